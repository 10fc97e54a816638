"""How figures are written for people."""

import os
import pty
import re
import sys
from contextlib import suppress

import pytest

from thresher.cli import COMMANDS, tables


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"), ("word", "word"), (12345, "12,345"), (0.25, "0.2500"), (1.0, "1.0000"),
        (0.0, "0.0000"), (123456.0, "123,456"), (1e-5, "1e-05"), (2.5e7 + 0.5, "2.5e+07"),
    ],
)  # fmt: skip
def test_figures(value, text):
    assert tables.text_of(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (96_763, "96.8 kB"),
     (999_600, "1 MB"), (1_234_567_890, "1.23 GB")],
)  # fmt: skip
def test_sizes(count, text):
    assert tables.size_of(count) == text


def test_bars_are_as_long_as_what_they_show():
    assert tables.bar(1.0, 1.0, 10) == "█" * 10
    assert tables.bar(-0.5, 1.0, 10) == "█" * 5
    assert tables.bar(1 / 16, 1.0, 10) == "▋"
    assert tables.bar(1e-9, 1.0, 10) == "▏"  # little is not nothing
    assert tables.bar(0.0, 1.0, 10) == tables.bar(0.0, 0.0) == ""


def test_weights_of_examples():
    assert tables.weight_of(1234.0) == "1,234"
    assert tables.weight_of(2.5) == "2.50"


def test_columns_are_aligned_and_the_text_is_safe(capfdbinary):
    tables.table([("a\x1b[2J", 0.5, "x"), ("bbb", None, "yy")], ("", "share", "z"), left=(0, 2))
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines == [
        "             share  z",
        r"  a\x1b[2J  0.5000  x",
        "  bbb            –  yy",
    ]


def test_brackets_in_labels_are_not_styles(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    tables.table([("[bold]x[/bold]", 1)], ("[red]label", "n"))
    said = capsys.readouterr().out
    assert "[red]label" in said
    assert "[bold]x[/bold]" in said


def test_tables_fit_narrow_terminals(tmp_path):
    """On fifty columns nothing is cut off: texts take several lines, and bars are shorter."""
    rows = [f"{i % 7 - 3}.125,{'ab'[i % 2]},{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    data = "\n".join(["a_rather_long_name_of_a_column,kind,label", *rows])
    (tmp_path / "a.csv").write_text(data + "\n")
    train = ["train", "a.csv", "-m", "m", "-q", "--learner", "pa"]
    assert in_terminal(tmp_path, 50, *train) == []
    for command in (["evaluate", "a.csv", "-m", "m"], ["inspect", "m"]):
        lines = in_terminal(tmp_path, 50, *command)
        assert all(len(line) <= 50 and not re.search(r"\w…", line) for line in lines), lines
    said = " ".join(" ".join(in_terminal(tmp_path, 50, "inspect", "m", "--top", "0")).split())
    assert "not zero; names take" in said and "bytes" in said
    race = in_terminal(tmp_path, 50, "race", "a.csv", "--learners", "pa,perceptron")
    assert any("perceptron" in line and "%" in line for line in race), race


@pytest.mark.parametrize("command", [None, *COMMANDS, "log export", "log verify", "log show"])
def test_help_fits_and_shows_what_to_type(tmp_path, command):
    """On eighty columns no line is longer; on fifty no description is cut off."""
    words = command.split() if command else []
    wide = in_terminal(tmp_path, 80, *words, "--help")
    assert all(len(line) <= 80 for line in wide), [line for line in wide if len(line) > 80]
    assert any(line.lstrip().startswith(("thresher ", "zcat ")) for line in wide)
    narrow = in_terminal(tmp_path, 50, *words, "--help")
    assert not any(line.endswith("...") for line in narrow[1:])


def in_terminal(folder, columns, *arguments):
    """What a command prints to a terminal of so many columns, line by line, without its colours."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.environ |= {"COLUMNS": str(columns), "TERM": "xterm"}
        code = "import sys; sys.argv[0] = 'thresher'; from thresher.cli import main; main()"
        os.execv(sys.executable, [sys.executable, "-c", code, *arguments])
    out = b""
    with suppress(OSError):  # at its end
        while block := os.read(terminal, 1 << 16):
            out += block
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0, out
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.decode())
    return [line.rstrip() for line in text.splitlines() if line.strip()]
