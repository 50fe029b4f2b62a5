#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Runs the registered benchmarks and shows what they measured: a table, then the JSON lines.

A benchmark prints one JSON object a line with "name", "value", "unit" and, where there is one,
"goal", which the value passes where it is at most that, or at least where "better" is "higher";
whatever else it says is shown beside it.   usage: bench.py BUILD [NAME=WORD]
"""
import json
import os
import pathlib
import subprocess
import sys

COLUMNS = ("name", "value", "unit", "goal", "verdict")


def judge(row):
    if "goal" in row:
        best = max if row.get("better") == "higher" else min
        row["verdict"] = "pass" if best(row["value"], row["goal"]) == row["value"] else "short"
    return row


def measure(build, benchmark):
    """The rows that one program prints, and whether it ended well."""
    environment = {**os.environ, **benchmark["env"]}
    print(f"running {benchmark['name']} ...", file=sys.stderr, flush=True)
    run = subprocess.run(benchmark["cmd"], env=environment, cwd=benchmark["workdir"] or build,
                         stdout=subprocess.PIPE, text=True, check=False)
    rows = [judge(json.loads(line)) for line in run.stdout.splitlines() if line.startswith("{")]
    return rows, run.returncode == 0 and bool(rows)


def cell(value):
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def table(rows):
    lines = [COLUMNS + ("",)]
    for row in rows:
        rest = " ".join(f"{k}={cell(v)}" for k, v in row.items() if k not in COLUMNS)
        lines.append(tuple(cell(row.get(column, "")) for column in COLUMNS) + (rest,))
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    for line in lines:
        name, value, *others = (text.ljust(width) for text, width in zip(line, widths))
        print("  ".join([name, value.strip().rjust(widths[1]), *others, line[-1]]).rstrip())


def main(build, word=""):
    word = word.removeprefix("NAME=")
    listed = json.loads((pathlib.Path(build) / "meson-info/intro-benchmarks.json").read_text())
    chosen = [benchmark for benchmark in listed if word in benchmark["name"]]
    if not chosen:
        names = ", ".join(benchmark["name"] for benchmark in listed) or "none is registered"
        print(f"no benchmark's name contains \"{word}\"; there are: {names}", file=sys.stderr)
        return 1
    rows, broken = [], []
    for benchmark in chosen:
        measured, well = measure(build, benchmark)
        rows += measured
        if not well:
            broken.append(benchmark["name"])
    table(rows)
    print()
    for row in rows:
        print(json.dumps(row))
    short = [row["name"] for row in rows if row.get("verdict") == "short"]
    judged = sum("verdict" in row for row in rows)
    print(f"{judged - len(short)} of {judged} goals are met", *short, file=sys.stderr)
    for name in broken:
        print(f"{name} failed", file=sys.stderr)
    return 1 if broken else 0


sys.exit(main(*sys.argv[1:]))
