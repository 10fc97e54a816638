"""Part-of-speech tagging of whole sentences: structured against greedy, accuracy and speed.

    python benchmarks/sequence.py --data FOLDER

Both see the same features of words. The greedy tagger also sees the tags before as features: the
right ones while it learns, its own while it predicts. The structured one has a weight for each
pair of neighbouring tags and decides a sentence at once. Sentences come in a new random order in
each pass.
"""

import argparse
import gzip
import random
import time
from pathlib import Path

from thresher import AROW, Perceptron, SequencePerceptron

Sentence = tuple[list[list[str]], list[str]]


def sentences(path: Path) -> list[Sentence]:
    """Lines of `TAG<TAB>feature feature …`; t-1=<B> begins a sentence. Without features of tags."""
    found: list[Sentence] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            tag, text = line.rstrip("\n").split("\t")
            features = text.split(" ")
            if "t-1=<B>" in features:
                found.append(([], []))
            found[-1][0].append([f for f in features if not f.startswith(("t-1", "t-2"))])
            found[-1][1].append(tag)
    return found


def with_history(features: list[str], before: str, last: str, word: str) -> list[str]:
    return [*features, f"t-1={last}", f"t-2t-1={before}|{last}", f"t-1w={last}|{word}"]


def word_of(features: list[str]) -> str:
    return next((f for f in features if f.startswith("w=")), "w=")


def greedy(train: list[Sentence], test: list[Sentence], model, passes: int) -> tuple[float, float]:
    order = random.Random(0)
    for _ in range(passes):
        for x, tags in order.sample(train, len(train)):
            before = last = "<B>"
            for features, tag in zip(x, tags, strict=True):
                model.learn_one(with_history(features, before, last, word_of(features)), tag)
                before, last = last, tag
    right, begun = 0, time.perf_counter()
    for x, tags in test:
        before = last = "<B>"
        for features, tag in zip(x, tags, strict=True):
            found = model.predict_one(with_history(features, before, last, word_of(features)))
            right += found == tag
            before, last = last, found
    tokens = sum(len(tags) for _, tags in test)
    return 100 * right / tokens, tokens / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--passes", type=int, default=5)
    options = parser.parse_args()
    train, test = (
        sentences(options.data / f"ewt-upos.{part}.feats.gz") for part in ("train", "test")
    )
    tokens = sum(len(tags) for _, tags in test)
    print(f"{len(train):,} sentences to learn from, {len(test):,} ({tokens:,} tokens) to tag")
    print(f"{'tagger':44} {'accuracy':>9} {'tokens/s':>10}")
    for name, model, passes in (
        ("greedy Perceptron, averaged", Perceptron(), options.passes),
        ("greedy AROW, r = 3, one pass", AROW(r=3.0), 1),
    ):
        accuracy, speed = greedy(train, test, model, passes)
        print(f"{name:44} {accuracy:8.2f} % {speed:9,.0f}", flush=True)
    X, y = map(list, zip(*test, strict=True))
    for passes in sorted({1, options.passes}):
        tagger = SequencePerceptron(max_epochs=passes, shuffle=True, random_state=0)
        tagger.fit(*zip(*train, strict=True))
        begun = time.perf_counter()
        found = tagger.predict(X)
        seconds = time.perf_counter() - begun
        right = sum(
            a == b for p, t in zip(found, y, strict=True) for a, b in zip(p, t, strict=True)
        )
        name = f"SequencePerceptron, {passes} pass{'es' * (passes > 1)}"
        print(f"{name:44} {100 * right / tokens:8.2f} % {tokens / seconds:9,.0f}", flush=True)


if __name__ == "__main__":
    main()
