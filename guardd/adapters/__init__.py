"""Adapters: one module for each coding agent that runs a hook command for every event.

A hook is a process that lives for one event of an agent: one JSON document on stdin, the agent's own answer on
stdout. The agent waits for it before and after every tool call, so everything here is made of little: nothing
outside the standard library, and of that only what is needed.

Such processes have no memory, so whatever must be known about earlier events is asked of the daemon. No adapter
ever denies a call by accident: whatever goes wrong, the exit status is 0 and the call goes through.
"""
