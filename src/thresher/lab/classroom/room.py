"""What a class has been asked and has answered. Kept in memory, as long as the lab runs.

Everything that a phone sends is checked here, and refused by an `InvalidInput`.
"""

from __future__ import annotations

import csv
import io
import secrets
from dataclasses import dataclass, field
from typing import Any

from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.lab.classroom.quiz import Task, tasks

MOST_STUDENTS = 400
MOST_QUESTIONS = 200
MOST_CHOICES = 8
MOST_NAME = 40  # letters


@dataclass
class Asked:
    """A question of the lesson."""

    ask: str
    choices: list[str]
    right: int | None = None  # None: not revealed yet
    votes: dict[str, int] = field(default_factory=dict)  # by student

    def counts(self) -> list[int]:
        chosen = list(self.votes.values())
        return [chosen.count(k) for k in range(len(self.choices))]


@dataclass
class Student:
    seed: int
    name: str = ""
    quiz: dict[int, int] = field(default_factory=dict)  # the choice for each task

    def tasks(self) -> list[Task]:
        return tasks(self.seed)

    def score(self) -> int:
        return sum(self.quiz.get(k) == task.right for k, task in enumerate(self.tasks()))


class Room:
    def __init__(self) -> None:
        self.students: dict[str, Student] = {}
        self.asked: dict[str, Asked] = {}
        self.now: str | None = None  # the question that is shown
        self.quiz = ""  # "open" or "closed" while it is shown

    # -- from the lab's page

    def lead(self, given: Any) -> None:
        """What the page of the lecturer tells: one entry of these."""
        told = check.fields("the message", given, ("ask", "reveal", "quiz", "clear"))
        if "ask" in told:
            self._ask(told["ask"])
        if "reveal" in told:
            about = check.fields("reveal", told["reveal"], ("id", "right"))
            asked = self._question(about.get("id"))
            asked.right = check.whole("right", about.get("right"), 0, len(asked.choices) - 1)
        if "quiz" in told:
            self.quiz = check.word("quiz", told["quiz"], ("open", "closed", ""))
        if "clear" in told:
            self.now = None

    def _ask(self, given: Any) -> None:
        about = check.fields("ask", given, ("id", "ask", "choices"))
        name = check.word("id", about.get("id"), most=80)
        text = check.word("ask", about.get("ask"), most=1000)
        choices = check.items("choices", about.get("choices"), MOST_CHOICES,
                              lambda where, v: check.word(where, v, most=300))  # fmt: skip
        if name not in self.asked and len(self.asked) >= MOST_QUESTIONS:
            raise InvalidInput(f"{MOST_QUESTIONS} questions were asked; expected no more.")
        self.asked.setdefault(name, Asked(text, choices))
        self.now, self.quiz = name, ""

    def _question(self, name: Any) -> Asked:
        found = self.asked.get(check.word("question", name, most=80))
        if found is None:
            raise InvalidInput(f"question {check.short(name)} was not asked.")
        return found

    def overview(self) -> dict[str, Any]:
        """What the page of the lecturer shows."""
        asked = self.asked.get(self.now or "")
        done = [student for student in self.students.values() if student.quiz]
        tasks_each = len(tasks(0))
        return {
            "students": len(self.students),
            "question": self.now,
            "counts": asked and asked.counts(),
            "votes": len(asked.votes) if asked else 0,
            "quiz": self.quiz,
            "finished": sum(len(student.quiz) == tasks_each for student in done),
            "scores": [sum(student.score() == k for student in done) for k in range(tasks_each + 1)]
            if self.quiz == "closed" else None,
        }  # fmt: skip

    # -- from a phone

    def join(self, given: Any) -> str:
        """The name by which a phone is known: the one that it was given before, or a new one."""
        known = check.word("join", given, most=64)
        if known in self.students:
            return known
        if len(self.students) >= MOST_STUDENTS:
            raise InvalidInput(f"The class is full: {MOST_STUDENTS} have joined.")
        new = secrets.token_urlsafe(12)
        self.students[new] = Student(seed=secrets.randbelow(2**32))
        return new

    def hear(self, who: str, given: Any) -> None:
        """A name, a vote, or an answer in the quiz."""
        told = check.fields("the message", given, ("name", "question", "vote", "task", "choice"))
        student = self.students[who]
        if "name" in told:
            name = check.word("name", told["name"], most=MOST_NAME)
            student.name = "".join(letter for letter in name if letter.isprintable()).strip()
        elif "vote" in told:
            asked = self._question(told.get("question"))
            if told["question"] != self.now or asked.right is not None:
                raise InvalidInput("Votes on this question are closed.")
            asked.votes[who] = check.whole("vote", told["vote"], 0, len(asked.choices) - 1)
        else:
            if self.quiz != "open":
                raise InvalidInput("The quiz is closed.")
            mine = student.tasks()
            number = check.whole("task", told.get("task"), 0, len(mine) - 1)
            most = len(mine[number].choices) - 1
            student.quiz[number] = check.whole("choice", told.get("choice"), 0, most)

    def seen_by(self, who: str) -> dict[str, Any]:
        """What a phone shows; the right answer only when it is revealed."""
        student = self.students[who]
        out: dict[str, Any] = {"you": who, "name": student.name, "question": None, "quiz": None}
        asked = self.asked.get(self.now or "")
        if self.quiz:
            closed = self.quiz == "closed"
            out["quiz"] = [
                {"ask": task.ask, "choices": task.choices, "mine": student.quiz.get(k),
                 "right": task.right if closed else None}
                for k, task in enumerate(student.tasks())
            ]  # fmt: skip
        elif asked is not None:
            out["question"] = {
                "id": self.now, "ask": asked.ask, "choices": asked.choices,
                "mine": asked.votes.get(who), "right": asked.right,
            }  # fmt: skip
        return out

    # -- results

    def table(self) -> str:
        """CSV, one line for each student: the choice and whether it was right, the quiz."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        size = len(tasks(0))
        parts = [f"{name} {what}" for name in self.asked for what in ("choice", "right")]
        quiz = [f"quiz {k + 1}" for k in range(size)]
        writer.writerow(["student", "name", "seed", *parts, *quiz, "quiz right"])
        for number, (who, student) in enumerate(self.students.items(), 1):
            row: list[Any] = [number, _cell(student.name), student.seed]
            for asked in self.asked.values():
                vote = asked.votes.get(who)
                known = vote is not None and asked.right is not None
                row += ["" if vote is None else _cell(asked.choices[vote]),
                        int(vote == asked.right) if known else ""]  # fmt: skip
            mine = student.tasks()
            row += [_cell(mine[k].choices[student.quiz[k]]) if k in student.quiz else ""
                    for k in range(size)]  # fmt: skip
            writer.writerow([*row, student.score() if student.quiz else ""])
        return out.getvalue()


def _cell(text: str) -> str:
    """A spreadsheet would take a text that begins like a formula for one."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text
