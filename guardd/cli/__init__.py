"""The programs that people run: `guardd`, and `guardctl`, which looks into it. Only these print."""
