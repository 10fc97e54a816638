"""The run of the example in learners/sequence.md, step by step, as a page of the site.

A line `<!-- tagging -->` becomes a frame with it. Python learns and explains each step; the page
only draws.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from thresher import SequencePerceptron
from thresher import reference as ref
from thresher.reference.sequence import START, features

EXAMPLE = Path(__file__).parent / "learners" / "sequence.md"
MARK, PLACE = "<!-- tagging -->", "lessons/tagging.html"
TITLE = "SequencePerceptron, sentence by sentence"

STYLE = """
:root { color-scheme: light dark; --paper: light-dark(#ffffff, #12161f);
  --line: light-dark(#dfe2ea, #333c4d); --control: light-dark(#868fa3, #71798a);
  --ink: light-dark(#1c2333, #eef0f5); --quiet: light-dark(#535c70, #a9b1c2);
  --right: light-dark(#1f6feb, #5b9bff); --predicted: light-dark(#c2410c, #ff8a4c); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0.8em; max-width: 62em; color: var(--ink); background: var(--paper);
  font: 400 15px/1.45 Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial,
    sans-serif; }
.controls { display: flex; flex-wrap: wrap; gap: 0.5em; align-items: center; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--control);
  border-radius: 0.5em; min-width: 2.6em; min-height: 2.4em; }
button:disabled { opacity: 0.45; }
input { flex: 1 1 6em; min-width: 0; accent-color: var(--ink); }
:focus-visible { outline: 3px solid light-dark(#e3a900, #ffcf33); outline-offset: 2px; }
.parts { display: flex; flex-wrap: wrap; gap: 0.4em 1.4em; }
svg { flex: 3 1 20em; min-width: 0; width: 100%; max-width: 40em; height: auto; align-self: start;
  font-size: 17px; forced-color-adjust: none; background: var(--paper); }
.told { flex: 2 1 14em; min-width: 0; min-height: 10em; }
p { margin: 0.5em 0; }
#count, .quiet { color: var(--quiet); font-variant-numeric: tabular-nums; }
ul { display: flex; flex-wrap: wrap; gap: 0.3em; margin: 0; padding: 0; list-style: none; }
li { border-left: 4px solid; border-radius: 3px; padding: 0 0.4em; font-size: 13px;
  background: light-dark(#f4f5f9, #1f2634); }
text { text-anchor: middle; fill: var(--ink); dominant-baseline: central; }
.halo { stroke: var(--paper); stroke-width: 5; paint-order: stroke; font-size: 15px; }
.side { text-anchor: start; }
line { stroke: var(--line); stroke-width: 1; }
circle { fill: var(--paper); stroke: var(--control); }
.later { opacity: 0.35; }
line.right, circle.right { stroke: var(--right); stroke-width: 7; }
circle.right, circle.right.predicted { stroke-width: 5; }
line.predicted, circle.predicted { stroke: var(--predicted); stroke-width: 2.5; }
line.wrong, circle.wrong { stroke-dasharray: 6 4; }
circle.right.predicted { stroke: var(--right); stroke-dasharray: none; }
text.right { fill: var(--right); }
text.predicted { fill: var(--predicted); }
li.right { border-color: var(--right); }
li.predicted { border-color: var(--predicted); }
"""

SCRIPT = """
const element = (id) => document.getElementById(id);
const { tags, steps } = JSON.parse(element("run").textContent);
const [back, on, play, range] = ["back", "on", "play", "range"].map(element);
const svg = document.querySelector("svg");
const sign = (value) => String(value).replace("-", "\\u2212");
let [now, timer] = [0, 0];
range.max = steps.length - 1;

function add(name, attributes, content = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = content;
  svg.append(made);
}

function draw({ words, known, w, v, predicted, right }) {
  svg.replaceChildren();
  const x = (t) => (t < 0 ? 62 : 150 + (t * 300) / Math.max(words.length - 1, 1));
  const y = (tag) => (tag < 0 ? 170 : 58 + 56 * tag);
  const wrong = predicted.some((tag, t) => tag !== right[t]) ? " wrong" : "";
  const edge = (t, from, to, kind) =>
    add("line", { x1: x(t - 1), y1: y(from), x2: x(t), y2: y(to), class: kind });
  const before = (path, t) => (t ? path[t - 1] : -1);
  words.forEach((_, t) => {
    for (let from = t ? 0 : -1; from < (t ? known : 0); from++)
      for (let to = 0; to < known; to++) edge(t, from, to, "");
  });
  words.forEach((_, t) => edge(t, before(right, t), right[t], "right"));
  words.forEach((_, t) => edge(t, before(predicted, t), predicted[t], "predicted" + wrong));
  const weight = (t, path, kind, part) => {
    const [from, to] = [before(path, t), path[t]];
    const [left, top] = [x(t - 1) + part * (x(t) - x(t - 1)), y(from) + part * (y(to) - y(from))];
    add("text", { x: left, y: top, class: "halo " + kind }, sign(v[from + 1][to]));
  };
  words.forEach((_, t) => {
    const same = predicted[t] === right[t] && before(predicted, t) === before(right, t);
    weight(t, right, "right", same ? 0.5 : 0.62);
    if (!same) weight(t, predicted, "predicted", 0.38);
  });
  add("circle", { cx: x(-1), cy: y(-1), r: 7 });
  add("text", { x: x(-1), y: y(-1) + 22, class: "halo" }, "start");
  tags.forEach((tag, k) => {
    add("text", { x: 16, y: y(k), class: k < known ? "" : "later" }, tag);
    words.forEach((_, t) => {
      const chosen = predicted[t] === k ? "predicted" + wrong : "";
      const kind = (right[t] === k ? "right " : "") + chosen;
      add("circle", { cx: x(t), cy: y(k), r: 17, class: k < known ? kind : "later" });
      if (k < known) add("text", { x: x(t), y: y(k), class: "score" }, sign(w[t][k]));
    });
  });
  add("text", { x: 6, y: 330, class: "side predicted" }, "predicted");
  add("text", { x: 6, y: 354, class: "side right" }, "right");
  words.forEach((word, t) => {
    add("text", { x: x(t), y: 20, class: "word" }, word);
    add("text", { x: x(t), y: 330, class: "predicted" }, tags[predicted[t]]);
    add("text", { x: x(t), y: 354, class: "right" }, tags[right[t]]);
  });
}

function show(step) {
  now = Math.max(0, Math.min(steps.length - 1, step));
  const { count, told, changes, picture } = steps[now];
  draw(steps[now]);
  svg.setAttribute("aria-label", picture);
  element("count").textContent = count;
  element("told").textContent = told;
  const item = ([name, before, after]) => {
    const made = document.createElement("li");
    made.className = after > before ? "right" : "predicted";
    made.textContent = `${name}: ${sign(before)} \\u2192 ${sign(after)}`;
    return made;
  };
  document.querySelector("ul").replaceChildren(...changes.map(item));
  range.value = now;
  range.setAttribute("aria-valuetext", count);
  [back.disabled, on.disabled] = [now === 0, now === steps.length - 1];
  if (on.disabled) stop();
}

function stop() {
  clearInterval(timer);
  timer = 0;
  play.textContent = "\\u25b6 Play";
}

function start() {
  if (now === steps.length - 1) show(0);
  timer = setInterval(() => show(now + 1), 2000);
  play.textContent = "\\u275a\\u275a Pause";
}

function go(step) {
  stop();
  show(step);
}

back.onclick = () => go(now - 1);
on.onclick = () => go(now + 1);
play.onclick = () => (timer ? stop() : start());
range.oninput = () => go(Number(range.value));
document.onkeydown = (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || event.target === range || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  go(now + by);
};
show(0);
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="{policy}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript>This picture is drawn with JavaScript; please allow it for this page.</noscript>
<main aria-label="{title}">
<div class="controls">
<button id="back" aria-label="One sentence back">◀</button>
<button id="on" aria-label="One sentence on">▶</button>
<button id="play">▶ Play</button>
<input id="range" type="range" min="0" value="0" aria-label="Sentence" />
</div>
<div class="parts">
<svg viewBox="0 0 480 370" role="img"></svg>
<div class="told" aria-live="polite" aria-atomic="true">
<p id="count"></p>
<p id="told"></p>
</div>
</div>
<ul aria-label="Weights that change"></ul>
<p class="quiet">In a circle: the score w·x of word and tag. On a line: the weight v of two
neighbouring tags. The score of a path is their sum.</p>
</main>
<script type="application/json" id="run">{run}</script>
<script type="module">{script}</script>
</body>
</html>
"""


# -- called by mkdocs


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File  # here, for the tests make the page without mkdocs

    files.append(File.generated(config, PLACE, content=html()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    from mkdocs.utils import get_relative_url

    address = get_relative_url(PLACE, page.url)
    frame = (
        f'<iframe src="{address}" title="{TITLE}" loading="lazy" width="100%" height="560" '
        'style="border: 1px solid var(--md-default-fg-color--lightest); border-radius: 8px">'
        f'</iframe>\n<small><a href="{address}">In a page of its own</a>.</small>\n'
    )
    return markdown.replace(MARK, frame)


def html() -> str:
    data = json.dumps(run(), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src '{_hash(SCRIPT)}'; style-src '{_hash(STYLE)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return PAGE.format(policy=policy, title=TITLE, style=STYLE, run=data, script=SCRIPT)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# -- the run


def example() -> dict[str, Any]:
    """The names that the example of the page defines: `X`, `y`, `sentences`, `model`."""
    found = re.search(r"^```python\n(.*?)^```$", EXAMPLE.read_text("utf-8"), re.M | re.S)
    assert found, EXAMPLE
    names: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()):
        exec(found[1], names)
    return names


def run() -> dict[str, Any]:
    """Every sentence of every pass of `fit`: scores and weights before it, and what it changes.

    While it learns it predicts with the weights themselves, also where their mean tags later.
    """
    shown = example()
    model, twin = SequencePerceptron(average=False), ref.SequencePerceptron(average=False)
    tags = list(dict.fromkeys(tag for right in shown["y"] for tag in right))
    steps: list[dict[str, Any]] = []
    length = len(shown["X"]) * shown["model"].epochs_
    for number in range(length):
        i = number % len(shown["X"])
        words, x, right = [w for w, _ in shown["sentences"][i]], shown["X"][i], shown["y"][i]
        named = [{f"{name}={value}": 1.0 for name, value in p.items()} for p in x]
        seen = list(model.classes_) if steps else []
        weights = weights_of(model) if steps else {}
        twin.tags += [tag for tag in dict.fromkeys(right) if tag not in twin.tags]
        predicted = twin.best(named, twin.w)
        # The twin in plain Python also knows tags that are new; without such the engine must agree.
        assert not set(right) <= set(seen) or model.predict_one(x) == predicted
        model.learn_one(x, right)
        twin.learn(named, right)
        after = weights_of(model)
        assert after == {key: value for key, value in twin.w.items() if value}
        assert (model.mistakes_, model.token_mistakes_) == (twin.mistakes, twin.token_mistakes)
        known, turn = len(twin.tags), number // len(shown["X"]) + 1
        scores = [score(named, path, weights) for path in (predicted, right)]
        steps.append(
            {
                "count": f"Sentence {number + 1} of {length} (pass {turn} of "
                f"{shown['model'].epochs_}), mistakes {model.mistakes_}",
                "told": told(words, predicted, right, scores),
                "picture": f"{' '.join(words)}: predicted {' '.join(predicted)}, "
                f"right {' '.join(right)}",
                "words": words,
                "known": known,
                "w": [[sum(weights.get((f, tag), 0) for f in p) for tag in tags] for p in named],
                "v": [[weights.get((b, tag, "pair"), 0) for tag in tags] for b in (START, *tags)],
                "predicted": [tags.index(tag) for tag in predicted],
                "right": [tags.index(tag) for tag in right],
                "scores": scores,
                "changes": changes(weights, after),
                "mistakes": model.mistakes_,
            }
        )
    assert model.mistakes_ == shown["model"].mistakes_
    return {"tags": tags, "steps": steps}


def weights_of(model: SequencePerceptron) -> dict[Any, float]:
    """The engine's weights that are not 0, by the names of the reference."""
    words = {(name, tag): w for tag, top in model.top_features(10**6).items() for name, w in top}
    pairs = {(b or START, tag, "pair"): v for (b, tag), v in model.transitions_.items() if v}
    return words | pairs


def score(x: list[dict[str, float]], path: list[str], weights: dict[Any, float]) -> float:
    return sum(value * weights.get(key, 0) for key, value in features(x, path).items())


def changes(before: dict[Any, float], after: dict[Any, float]) -> list[tuple[str, float, float]]:
    """What grows comes first."""
    both = [(key, before.get(key, 0), after.get(key, 0)) for key in {**after, **before}]
    moved = sorted((one for one in both if one[1] != one[2]), key=lambda one: one[1] - one[2])
    return [(name(key), old, new) for key, old, new in moved]


def name(key: Any) -> str:
    return f"v[{key[0].strip('()')}, {key[1]}]" if len(key) == 3 else f"w[{key[1]}] {key[0]}"


def told(words: list[str], predicted: list[str], right: list[str], scores: list[float]) -> str:
    best, true = (f"{value:g}".replace("-", "−") for value in scores)
    if predicted == right:
        return f"All tags right, with score {best}: nothing changes."
    wrong = "; ".join(
        f"{word}: {p} predicted, {r} right"
        for word, p, r in zip(words, predicted, right, strict=True)
        if p != r
    )
    if scores[0] == scores[1]:
        why = f"Both paths score {best}, and a tie goes to tags that were seen earlier"
    else:
        why = f"The predicted path scores {best}, the right one {true}"
    return (
        f"{wrong}. {why}. A mistake: +1 to each weight along the right path, −1 to each along the "
        "predicted one; what they share stays."
    )
