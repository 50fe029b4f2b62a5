# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Sluice's half of check-graphdef.py, for a Python that has gi: jobs as JSON on stdin, answers on stdout.

["rewrite", FROM, TO, FLAGS]     loads a graph and writes it
["sample", SCRIPT, TO]           runs data/samples/python/digits.py, writes its graph; answers with the names in it
["run", GRAPH, STEPS, PREFIX]    runs steps [FEED-FILE, FEEDS, FETCHES, TARGETS]; values go to PREFIX-K.npz
"""
import contextlib
import functools
import io
import json
import operator
import runpy
import sys

import gi
import numpy as np
gi.require_version("Sluice", "0")
from gi.repository import GLib, Sluice


def rewrite(source, destination, flags):
    how = functools.reduce(operator.or_, (getattr(Sluice.ExportFlags, flag) for flag in flags))
    Sluice.Graph.load(source).save(destination, how)


def sample(script, destination):
    with contextlib.redirect_stdout(io.StringIO()):
        made = runpy.run_path(script)
    made["g"].save(destination, Sluice.ExportFlags.TEXT)
    variables = sum(made["slots"], made["parameters"] + [made["step"], made["b1"], made["b2"]])
    return {"x": str(made["x"]), "y": str(made["y"]), "loss": str(made["loss"]), "train": [n.name for n in made["train"]],
            "init": [v.init.name for v in variables], "read": [str(v.read) for v in made["parameters"]],
            "given": [[v.init.dup_inputs()[1], v.read.shape] for v in made["parameters"]]}


def run(path, steps, prefix):
    session = Sluice.Session(Sluice.Graph.load(path), seed=1)
    for i, (file, feeds, fetches, targets) in enumerate(steps):
        arrays = np.load(file) if feeds else {}
        values = session.run(fetches, {edge: arrays[f"arr_{k}"] for k, edge in enumerate(feeds)}, targets)
        np.savez(f"{prefix}-{i}.npz", *values)


def main():
    answers = []
    for name, *arguments in json.load(sys.stdin):
        try:
            answers.append([True, {"rewrite": rewrite, "sample": sample, "run": run}[name](*arguments)])
        except GLib.Error as error:
            answers.append([False, error.message])
    json.dump(answers, sys.stdout)


main()
