#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What `train` adds trains as TensorFlow does: updates, clipping, schedules, as TAP.

usage: test-training-values.py SLUICE SOURCE-FOLDER

What TensorFlow gave stands in training-values.json, which make-training-values.py wrote.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

NEAR = 1e-5
# Where a variable's value is read: a resource, a reference.
READ = {True: "Read/ReadVariableOp", False: "read"}


def flat(values):
    return [x for row in values for x in flat(row)] if isinstance(values, list) else [values]


def text(values):
    return json.dumps(values).replace(" ", "")


def variable(name, values, resource):
    shape = [len(values), len(values[0])]
    yield f"add Const {name}/initial dtype=DT_FLOAT value={text(values)}"
    if resource:
        yield f'add VarHandleOp {name} dtype=DT_FLOAT shape={text(shape)} shared_name="{name}"'
        yield f"add AssignVariableOp {name}/Assign {name} {name}/initial"
        yield f"add ReadVariableOp {name}/{READ[True]} {name} dtype=DT_FLOAT"
    else:
        yield f"add VariableV2 {name} dtype=DT_FLOAT shape={text(shape)}"
        yield f"add Assign {name}/Assign {name} {name}/initial"
        yield f"add Identity {name}/{READ[False]} {name}"


def script(values, line, resource):
    yield from variable("embeddings", values["embeddings"], resource)
    yield from variable("kernel", values["kernel"], resource)
    yield f"add Const ids dtype=DT_INT32 value={text(values['ids'])}"
    if resource:
        yield "add ResourceGather rows embeddings ids dtype=DT_FLOAT"
    else:
        yield "add Const axis value=0"
        yield "add GatherV2 rows embeddings/read ids axis"
    yield "add Const flat/shape value=[-1,3]"
    yield "add Reshape flat rows flat/shape"
    yield f"add MatMul product flat kernel/{READ[resource]}"
    yield f"add Const target dtype=DT_FLOAT value={text(pairs(values))}"
    yield "layer mean-squared-error loss input=product target=target"
    yield f"train loss/output {line}"
    yield "check"


def pairs(values):
    return [pair for row in values["target"] for pair in row]


def run(sluice, graph, *options):
    done = subprocess.run([sluice, "run", graph, "--json", *options], capture_output=True,
                          text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}, done.stderr


def is_near(found, wanted):
    return len(found) == len(wanted) and all(abs(a - b) <= NEAR * max(1, abs(b))
                                             for a, b in zip(found, wanted))


def check_variables(tap, sluice, graph, case, steps):
    edges = {name: f"{name}/{READ[case['resource']]}" for name in case["variables"]}
    found, said = run(sluice, graph, "--target=init", *["--target=train"] * steps,
                      *(f"--fetch={edge}" for edge in edges.values()))
    wrong = [name for name, wanted in case["variables"].items()
             if not is_near(flat(found.get(edges[name], [])), wanted)]
    kind = "resources" if case["resource"] else "references"
    tap.point(f"{case['line']}, {kind}", not wrong, *wrong, said, found)


def check_rates(tap, sluice, graph, case):
    wrong = []
    for step, wanted in case["rates"].items():
        found, said = run(sluice, graph, "--target=init", "--fetch=train/schedule",
                          *([] if "constant" in case["line"]
                            else [f"--feed=train/schedule/step/read={step}"]))
        if not is_near([found.get("train/schedule", 9)], [wanted]):
            wrong.append(f"step {step}: {found} instead of {wanted} {said}")
    tap.point(case["line"], not wrong, *wrong)


def main():
    tap = Tap()
    source = pathlib.Path(sys.argv[2]) / "tests/app/training-values.json"
    values = json.loads(source.read_text())
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(values["cases"]):
            graph = pathlib.Path(folder) / f"{number}.pb"
            lines = script(values, case["line"], case.get("resource", True))
            edited = subprocess.run([sys.argv[1], "edit", "--new", "--out", graph], text=True,
                                    input="".join(line + "\n" for line in lines),
                                    capture_output=True, check=False)
            if edited.returncode:
                tap.point(case["line"], False, edited.stderr)
            elif "rates" in case:
                check_rates(tap, sys.argv[1], graph, case)
            else:
                check_variables(tap, sys.argv[1], graph, case, values["steps"])
    tap.end()


main()
