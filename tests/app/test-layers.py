#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Each kind of layer gives TensorFlow's values and gradients, as TAP.

usage: test-layers.py SLUICE SOURCE-FOLDER

What TensorFlow gave stands in layer-values.json, which make-layer-values.py wrote.
"""
import json
import os
import pathlib
import posixpath
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from edit_model import graph_state
from tap import Tap

NEAR = 1e-5


def flat(values):
    return [x for row in values for x in flat(row)] if isinstance(values, list) else [values]


def rank_of(values):
    return 1 + rank_of(values[0]) if isinstance(values, list) else 0


def node_of(variable):
    """A variable of the layer n, or of one beside it."""
    return posixpath.normpath(f"n/{variable}")


def is_near(found, wanted):
    return len(found) == len(wanted) and all(abs(a - b) <= NEAR * max(1, abs(b))
                                             for a, b in zip(found, wanted))


def script_of(case):
    """The layer with the case's values as those that its variables begin with, and a loss."""
    value = json.dumps(case["x"]).replace(" ", "")
    if "x" in case["gradients"]:
        shape = json.dumps(case["shape"]).replace(" ", "")
        yield f"add Const in/initial dtype=DT_FLOAT value={value}"
        yield f"add VarHandleOp in dtype=DT_FLOAT shape={shape}"
        yield "add AssignVariableOp in/Assign in in/initial"
        yield "add ReadVariableOp x in dtype=DT_FLOAT"
    else:
        yield f"add Const x value={value}"
    if "y" in case["others"]:
        labels = case["others"]["y"]
        kind = "DT_FLOAT" if isinstance(flat(labels)[0], float) else "DT_INT64"
        yield f"add Const y dtype={kind} value={json.dumps(labels).replace(' ', '')}"
    yield case["line"]
    for name, values in case["variables"].items():
        yield f"add Const given/{name} dtype=DT_FLOAT value={json.dumps(values).replace(' ', '')}"
        yield f"connect given/{name} {node_of(name)}/Assign:1"
    if not case["gradients"]:
        return
    weights = case["weights"]
    axes = list(range(rank_of(weights)))
    yield f"add Const weights dtype=DT_FLOAT value={json.dumps(weights).replace(' ', '')}"
    yield "add Mul weighted n/output weights"
    yield f"add Const axes dtype=DT_INT32 value={json.dumps(axes).replace(' ', '')}"
    yield "add Sum loss weighted axes"
    yield "train loss optimizer=sgd learning-rate=0.1"
    yield "check"


def gradient_of(inputs, variable):
    """The edges of its values and, where it is sparse, of the rows that they are added to."""
    update = f"train/update_{'in' if variable == 'x' else node_of(variable)}/Resource"
    dense = inputs.get(update + "ApplyGradientDescent")
    if dense:
        return [dense[2]]
    _, indices, scaled = inputs[update + "ScatterSub"]
    return [inputs[scaled][0], indices]


def as_dense(values, rows, length):
    """Of a sparse gradient all that it stands for."""
    dense, width = [0.0] * length, len(values) // len(rows)
    for number, value in enumerate(values):
        dense[rows[number // width] * width + number % width] += value
    return dense


def differences(case, found, edges):
    """What is not as TensorFlow has it."""
    if not is_near(flat(found.get("n/output", [])), case["output"]):
        yield "output"
    for name, (values, *rows) in edges.items():
        wanted, value = case["gradients"][name], flat(found.get(values, []))
        if rows and value:
            value = as_dense(value, flat(found[rows[0]]), len(wanted))
        if not is_near(value, wanted):
            yield name


def check_case(tap, sluice, folder, number, case):
    graph = folder / f"{number}.pbtxt"
    edited = subprocess.run([sluice, "edit", "--new", "--out", graph], text=True,
                            input="".join(line + "\n" for line in script_of(case)),
                            capture_output=True, check=False)
    name = f"{number}: {case['line'].splitlines()[-1]}"
    if edited.returncode:
        tap.point(name, False, edited.stderr)
        return
    inputs = {node[0]: node[4] for node in graph_state(graph.read_text())}
    edges = {variable: gradient_of(inputs, variable) for variable in case["gradients"]}
    feeds = [f"--feed={edge}={json.dumps(value)}" for edge, value in case["others"].items()
             if edge != "y"]
    init = ["--target=init"] if edges else []
    done = subprocess.run([sluice, "run", graph, "--json", *init, "--fetch=n/output", *feeds,
                           *(f"--fetch={edge}" for edge in sum(edges.values(), []))],
                          capture_output=True, text=True, check=False)
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    wrong = list(differences(case, found, edges))
    trained = [node for node in inputs if node.startswith("train/update_n/moving")]
    tap.point(name, not wrong and not trained, "other than TensorFlow's:", *wrong, *trained,
              done.stderr, found)


def check_kinds(tap, sluice, cases):
    listed = subprocess.run([sluice, "edit", "--layers", "--json"], capture_output=True, text=True,
                            check=False).stdout.splitlines()
    kinds = {one["layer"] for one in map(json.loads, listed)
             if one["family"] in ("input", "layer", "loss", "metric")}
    missing = kinds - {line.split()[1] for case in cases for line in case["line"].splitlines()}
    tap.point("each kind has a case", bool(kinds) and not missing, *missing)


def main():
    tap = Tap()
    cases = json.loads((pathlib.Path(sys.argv[2]) / "tests/app/layer-values.json").read_text())
    check_kinds(tap, sys.argv[1], cases)
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases, 1):
            check_case(tap, sys.argv[1], pathlib.Path(folder), number, case)
    tap.end()


main()
