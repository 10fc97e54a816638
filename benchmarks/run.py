"""Thresher against other libraries: one run, one table of ratios.

python benchmarks/run.py                  everything
python benchmarks/run.py --only csr dicts
python benchmarks/run.py --quick          small data: checks that it runs and that results agree
"""

import argparse
import sys
from dataclasses import asdict, replace
from pathlib import Path

import classes
import files
import workloads
from peers import Unequal
from table import Row, as_text, machine, save
from thresher.errors import ThresherError
from timing import Failed
from workloads import QUICK, Sizes

SECTIONS = workloads.SECTIONS | classes.SECTIONS | files.SECTIONS
RESULTS = Path(__file__).with_name("results.json")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Time Thresher against scikit-learn, scipy, River and Vowpal Wabbit, after "
        "checking that their results agree."
    )
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="only these parts")
    parser.add_argument("--rows", type=int, help=f"rows of CSR (default {Sizes.rows:,})")
    parser.add_argument(
        "--megabytes",
        type=int,
        nargs="+",
        help=f"sizes of files (default {' and '.join(f'{size:,}' for size in Sizes.megabytes)})",
    )
    parser.add_argument(
        "--repeats", type=int, help=f"take the best of N runs (default {Sizes.repeats})"
    )
    parser.add_argument("--quick", action="store_true", help="small data; the times mean nothing")
    parser.add_argument("--save", action="store_true", help=f"also write {RESULTS.name}")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    sizes = QUICK if given.quick else Sizes()
    megabytes = tuple(given.megabytes) if given.megabytes else None
    named = {"rows": given.rows, "megabytes": megabytes, "repeats": given.repeats}
    sizes = replace(sizes, **{name: value for name, value in named.items() if value is not None})

    sections: dict[str, list[Row]] = {}
    failures: list[str] = []
    for name in given.only or SECTIONS:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            title, rows = SECTIONS[name](sizes)
        except (Unequal, Failed, ThresherError) as failure:
            failures.append(f"Not timed: {name}. {failure}")
        else:
            sections[title] = rows

    here = machine()
    packages = ", ".join(f"{name} {number}" for name, number in here["packages"].items())
    print(f"{here['cpu']}, {here['cores']} cores, {here['system']}, Python {here['python']}")
    print(f"{packages}; best of {sizes.repeats}, contenders in turn")
    if given.quick:
        print("Quick run: the data is too small for the times to say anything.")
    print()
    print(as_text(sections))
    if given.save:
        save(RESULTS, asdict(sizes), sections)
    if failures:
        sys.exit("\n".join(["", *failures]))


if __name__ == "__main__":
    main()
