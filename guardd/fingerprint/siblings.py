"""Errors of calls that never ran, because another call of the same parallel batch failed.

They say nothing about the call that got them: it is neither progress nor a failure of its own.
"""

import re
from typing import Final

_LONGEST: Final = 600
"""Characters of such an error at most: what failed is named in it, cut to a few words."""

_SIBLING: Final = re.compile(
    r"""\s*+(?:error:\s*+)?(?:<tool_use_error>\s*+)?(?:
        # Claude Code: anthropics/claude-code issues 22264, 23332, 25773
        sibling\ tool\ call\ errored
        # the same since: issues 64346, 64047, 64920; the call that failed may be named, with its command
      | cancell?ed:\ parallel\ tool\ call\b.{0,400}\berrored
        # other agents, in words of their own: a call was cancelled, skipped or not executed, and why
      | (?:this\ )?tool\ (?:call\ |execution\ )?(?:was\ )?(?:cancell?ed|skipped|aborted|not\ executed)
        \ because\ another\ tool\ call\b[^\n]{0,400}
    )\.?\s*+(?:</tool_use_error>\s*+)?""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def is_cancelled_sibling(error: bytes | str) -> bool:
    """Say whether an error only says that the call was cancelled because a sibling of its batch failed.

    Args:
        error: Its whole text, as bytes in UTF-8 or as a string.
    """
    if len(error) > _LONGEST * (4 if isinstance(error, bytes) else 1):
        return False
    text = error.decode("utf-8", "replace") if isinstance(error, bytes) else error
    return _SIBLING.fullmatch(text) is not None
