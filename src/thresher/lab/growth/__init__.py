"""How mistakes grow with the number of variables: adding, multiplying, and between them."""

from thresher.lab.view import View

VIEW = View(
    questions={"run": "measure:run", "python": "measure:python"},
    smaller="Take fewer variables, or a smaller k",
    lesson_facts="lesson_facts:facts",
    recorded="recorded:recorded",
)
