import pytest

from guardd.fingerprint.exit_codes import exit_code

CODEX = (
    "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {}\nOriginal token count: 5\nOutput:\n{}"
)
GEMINI = "Output: {}\nExit Code: 1"
COPILOT = "{}\n<shellId: 12 completed with exit code {}>"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        # OpenClaw
        ({"content": [], "details": {"status": "failed", "exitCode": 2}}, 2),
        ({"content": [], "details": {"status": "completed", "exitCode": 0}}, 0),
        ({"content": [], "details": {"status": "completed", "exitCode": None}}, None),
        ({"content": [], "details": "exitCode"}, None),
        # Cursor
        ({"output": "x", "exitCode": 1}, 1),
        ({"output": "x", "exitCode": -1}, -1),
        ({"output": "x", "exitCode": True}, None),
        ({"output": "x", "exitCode": "1"}, None),
        ({"output": "exitCode: 1"}, None),
        # Codex CLI
        (CODEX.format(1, "x"), 1),
        (CODEX.format(0, "Process exited with code 1\nOutput:\n"), 0),
        ("Exit code: 127\nWall time: 0 seconds\nOutput:\nx", 127),
        ("Wall time: 0 seconds\nOutput:\nProcess exited with code 1\n", None),
        ("Process exited with code 1", None),
        ({"output": "x", "metadata": {"exit_code": 1}}, 1),
        ({"output": "x", "metadata": {"exit_code": 0}}, 0),
        # Gemini CLI
        ({"llmContent": GEMINI.format("x")}, 1),
        (
            {"llmContent": GEMINI.format("x") + "\nSignal: 15\nBackground PIDs: 1, 2\nProcess Group PGID: 5"},
            1,
        ),
        ({"llmContent": f"<untrusted_context>\n{GEMINI.format('x' * 9000)}\n</untrusted_context>"}, 1),
        ({"llmContent": "Output: Exit Code: 1"}, None),
        ({"llmContent": "Output: \nExit Code: 1\nok"}, None),
        ({"llmContent": "Output: x", "returnDisplay": GEMINI.format("x")}, None),
        ({"llmContent": [{"text": GEMINI.format("x")}]}, None),
        # GitHub Copilot CLI; the adapter takes the shell's number away
        ({"textResultForLlm": COPILOT.format("x", 1)}, 1),
        ({"textResultForLlm": COPILOT.format("x" * 9000, 0)}, 0),
        ({"text_result_for_llm": "x\n<shellId:  completed with exit code 1>"}, 1),
        ({"text_result_for_llm": "x\n<exited with exit code 1>\n"}, 1),
        ({"textResultForLlm": COPILOT.format("x", 1) + "\nmore"}, None),
        ({"textResultForLlm": "completed with exit code 1"}, None),
        # Others
        ({"stdout": "Exit Code: 1", "stderr": ""}, None),
        ({"content": [{"type": "text", "text": GEMINI.format("x")}]}, None),
        (None, None),
        (1, None),
        ([{"exitCode": 1}], None),
        ("", None),
    ],
)
def test_exit_codes(result: object, expected: int | None):
    assert exit_code(result) == expected


@pytest.mark.parametrize(
    "unit", ["<", "\nExit Code: 1", "\nExit Code: 1\nSignal: ", "Exit code: 1", "\n", "< exited"]
)
def test_time_is_linear(unit: str):
    """Quadratic time would be longer than a test may take."""
    text = unit * (1_000_000 // len(unit))
    for result in (text, text + "Output:\n", {"llmContent": text}, {"textResultForLlm": text}):
        exit_code(result)
