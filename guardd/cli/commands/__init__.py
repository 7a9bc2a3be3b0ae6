"""The commands of `guardctl`: one file each, imported only when used, whose `command` it is."""
