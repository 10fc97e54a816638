"""A linear model as one file of C99 that needs nothing else: features by name in, a label out."""

from __future__ import annotations

import re
from typing import Any

from thresher.errors import InvalidInput
from thresher.export.portable import Portable, portable
from thresher.export.recipes import refuse_recipe

SOURCE = """\
/* {learner}
 * Exported by Thresher {version}. An example is a list of features by name and their values:
 *
 *     const char *names[] = {{"age", "color=red"}};
 *     double values[] = {{42.0, 1.0}};
 *     {returns} answer = {name}_predict(names, values, 2);
 *
 * Each name once; a feature that is not given is 0, a name that is not known counts as nothing.
 * Compile it with your code (C99 or C++), or alone with -D{upper}_MAIN: then it reads a line of
 * name<TAB>value<TAB>name<TAB>value ... for each example, and prints the answer and the scores.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#define {upper}_FEATURES {features}
#define {upper}_SCORES {scores}

struct {name}_feature {{
    const char *name;
    double scale;
    double weight[{upper}_SCORES];
}};

/* Sorted by name, as strcmp does. */
static const struct {name}_feature {name}_features[{upper}_FEATURES + 1] = {{
{rows}
    {{"", 0.0, {{0.0}}}}
}};
static const double {name}_intercept[{upper}_SCORES] = {{{intercepts}}};
{classes}
static const struct {name}_feature *{name}_find(const char *name) {{
    size_t low = 0, high = {upper}_FEATURES;
    while (low < high) {{
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp({name}_features[middle].name, name);
        if (order == 0) return &{name}_features[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }}
    return NULL;
}}

/* The score of each class; of two classes, or of a number, a single one. */
static void {name}_scores(const char *const *names, const double *values, size_t n,
                          double *scores) {{
    double sum[{upper}_SCORES] = {{0.0}}, squares = 0.0;
    for (size_t i = 0; i < n; ++i) {{
        const struct {name}_feature *feature = {name}_find(names[i]);
        if (!feature) continue;
        const double x = values[i] * feature->scale;
        squares += x * x;
        for (size_t k = 0; k < {upper}_SCORES; ++k) sum[k] += feature->weight[k] * x;
    }}
    const double length = {length};
    for (size_t k = 0; k < {upper}_SCORES; ++k)
        scores[k] = {name}_intercept[k] + (length > 0.0 ? sum[k] / length : 0.0);
}}

static {returns} {name}_predict(const char *const *names, const double *values, size_t n) {{
    double scores[{upper}_SCORES];
    {name}_scores(names, values, n, scores);
{answer}
}}

#ifdef {upper}_MAIN
#include <stdio.h>
#include <stdlib.h>

int main(void) {{
    static char line[1 << 24];
    static const char *names[1 << 20];
    static double values[1 << 20], scores[{upper}_SCORES];
    while (fgets(line, sizeof line, stdin)) {{
        size_t n = 0;
        line[strcspn(line, "\\n")] = 0;
        for (char *name = strtok(line, "\\t"), *value; name && (value = strtok(NULL, "\\t"));
             name = strtok(NULL, "\\t")) {{
            if (n == 1 << 20) return 1;
            names[n] = name;
            values[n++] = strtod(value, NULL);
        }}
        printf("{printed}", {name}_predict(names, values, n));
        {name}_scores(names, values, n, scores);
        for (size_t k = 0; k < {upper}_SCORES; ++k) printf("\\t%.17g", scores[k]);
        putchar('\\n');
    }}
    return 0;
}}
#endif
"""


def source(learner: Any, name: str = "model") -> str:
    """The text of the file; its functions are called NAME_scores and NAME_predict."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,40}", name):
        raise InvalidInput(f"name is {name!r}; expected a name that C takes for a function.")
    from thresher.version import __version__

    found = portable(learner)
    refuse_recipe(found.recipe, "C", "its code takes features by name, and makes none")
    scale = [1.0] * len(found.names) if found.scale is None else found.scale.tolist()
    keyed = sorted(
        (feature.encode("utf-8", "surrogateescape"), factor, row)
        for feature, factor, row in zip(found.names, scale, found.weights.T.tolist(), strict=True)
        if any(row) or found.unit
    )
    if any(b"\0" in feature for feature, _, _ in keyed):
        raise InvalidInput("a feature's name holds a NUL, which no text of C can.")
    rows = "\n".join(
        f"    {{{literal(feature)}, {factor!r}, {{{_numbers(row)}}}}},"
        for feature, factor, row in keyed
    )
    texts = found.classes is not None and not _all_numbers(found.classes)
    answer, classes = _answer(found, name, texts)
    return SOURCE.format(
        learner=found.learner.replace("*/", "* /"), version=__version__, name=name,
        upper=name.upper(), features=len(keyed), scores=len(found.intercepts), rows=rows,
        intercepts=_numbers(found.intercepts.tolist()), classes=classes, answer=answer,
        length="sqrt(squares)" if found.unit else "1.0; (void)squares",
        returns="const char *" if texts else "double", printed="%s" if texts else "%.17g",
    )  # fmt: skip


def _answer(found: Portable, name: str, texts: bool) -> tuple[str, str]:
    """The end of NAME_predict, and the table of classes that it uses."""
    if found.classes is None:
        low, high = found.bounds or (None, None)
        clip = "" if low is None else f"    if (scores[0] < {low!r}) return {low!r};\n"
        clip += "" if high is None else f"    if (scores[0] > {high!r}) return {high!r};\n"
        return f"{clip}    return scores[0];", ""
    kind = "const char *const" if texts else "const double"
    listed = ", ".join(literal(str(c).encode()) if texts else repr(c) for c in found.classes)
    table = f"static {kind} {name}_classes[{len(found.classes)}] = {{{listed}}};\n"
    if len(found.classes) <= 2:
        last = len(found.classes) - 1
        return f"    return {name}_classes[scores[0] >= {found.threshold!r} ? {last} : 0];", table
    return (
        "    size_t best = 0;\n"
        f"    for (size_t k = 1; k < {name.upper()}_SCORES; ++k)\n"
        "        if (scores[k] > scores[best]) best = k;\n"
        f"    return {name}_classes[best];",
        table,
    )


def literal(text: bytes) -> str:
    """A text of C, in ASCII; no digit can follow an escape, since each has three."""
    plain = "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text
    )
    return f'"{plain}"'


def _numbers(row: list[float]) -> str:
    return ", ".join(map(repr, row))


def _all_numbers(classes: list[Any]) -> bool:
    return all(isinstance(label, (int, float)) for label in classes)
