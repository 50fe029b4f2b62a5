#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The pre-flight on the page of a new run, and what its buttons do, as TAP.

usage: test-preflight-window.py WORKBENCH PROJECT [PICTURE]

On a display and a session bus of its own. An input that nobody scaled is found, and put right by
its button; a node that nobody needs is shown in the graph. PICTURE: where the page is kept as PNG.
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, take_picture, type_text

LOST = ('node { name: "lost" op: "Neg" input: "input/x" '
        'attr { key: "T" value { type: DT_FLOAT } } }\n'
        'node { name: "nobody" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { '
        'key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }\n')


IDLE = ("\nidle=nobody:0\n"
        "nesterov=train/step/update_hidden/biases/ResourceApplyAdam:use_nesterov\n")


def spoil(project):
    """Pixels as the files have them, a node that nobody reads, and a setting of it."""
    ini = os.path.join(project, "project.ini")
    graph = os.path.join(project, "model.pbtxt")
    with open(ini, encoding="utf-8") as file:
        text = file.read()
    with open(ini, "w", encoding="utf-8") as file:
        file.write(re.sub("^scale=.*$", "scale=1", text, flags=re.M) + IDLE)
    with open(graph, encoding="utf-8") as file:
        text = file.read()
    with open(graph, "w", encoding="utf-8") as file:
        file.write(LOST + text)


def says(w, *words, role="label"):
    """A label that has all the words, once there is one."""
    return w.until(lambda: next((o.label() for o in w.accessible().tree() if o.role() == role
                                 and all(word in o.label() for word in words)), None))


def pictured(w, *words):
    return says(w, *words, role="image")


def check(w, tap, project, picture):
    w.wait(lambda s: s["settled"])
    w.until(lambda: w.enabled("new-run"))
    press_keys("ctrl+n")
    w.wait(lambda s: s["page"] == "launch" and "things" in s["launch"]["preflight"])
    tap.point("memory: measured, by the plan, what there is, and that it fits",
              says(w, "CPU:0", " of ", " · plan ") and says(w, "fits"))
    tap.point("time: measured now, and modelled", says(w, "a step, measured · model "))
    tap.point("an input that nobody scaled is a row", says(w, "input/x:0 0 to 255", "scale"))
    tap.point("the first batch: shape, ends, mean",
              says(w, "64×8×8×1 f32") and says(w, "255") and says(w, "mean\u00a0", " · sd\u00a0"))
    tap.point("labels: how many of each", says(w, "10 classes") and says(w, "% each"))
    tap.point("the loss beside guessing", says(w, "loss ", "guessing gives ln 10 = 2.303"))
    tap.point("what is drawn is told",
              pictured(w, "input/x:0: float[64,8,8,1], 0 to 255", "zeros: 48", "not finite: 0")
              and pictured(w, "10 classes: ", "of the labels each"))
    tap.point("a run is called by a name that is free",
              w.state()["launch"]["usual-name"] == "digits-mlp")
    sweep = w.find_accessible("switch", "Sweep Seed")
    sweep.act()
    w.until(w.find_accessible("text box", "Seed: next value").has_focus)
    type_text("2")
    press_keys("Return")
    w.wait(lambda s: s["launch"]["start"] == "Start 2 runs" and s["settled"])
    tap.point("of a sweep what all of it takes",
              says(w, "one after the other", "on the disk", "of memory, were all under way at once")
              and says(w, "× 2"))
    tap.point("it is called by what it varies",
              w.state()["launch"]["usual-name"] == "digits-mlp seed {train.seed}",
              w.state()["launch"]["usual-name"])
    sweep.act()
    w.wait(lambda s: s["launch"]["start"] == "Start 1 run" and s["settled"])
    if picture:
        take_picture(picture)
    w.find_accessible("button", "Set scale=0.00392157").act()
    w.wait(lambda s: "2 things " in s["launch"]["preflight"])
    tap.point("a button sets what puts it right",
              pictured(w, "input/x:0: float[64,8,8,1], 0 to 1, "))
    tap.point("a setting that no step reads is a row; one of an attribute is read",
              says(w, "idle changes nothing: no step reads 'nobody:0'")
              and not any("use_nesterov'" in o.label() for o in w.accessible().tree()))
    w.find_accessible("button", "Take idle out of the form").act()
    w.wait(lambda s: "1 thing " in s["launch"]["preflight"])
    with open(os.path.join(project, "project.ini"), encoding="utf-8") as file:
        tap.point("its button takes it out", "idle=" not in file.read())
    w.find_accessible("button", "Show lost in the graph").act()
    state = w.wait(lambda s: s["page"] == "graph")
    tap.point("another shows the node", state["page"] == "graph", state)


def main():
    program, project = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(copy))
        spoil(copy)
        w = Workbench(program, copy, os.path.join(folder, "workspace"))
        try:
            check(w, tap, copy, sys.argv[3] if len(sys.argv) > 3 else None)
        finally:
            w.quit()
    tap.end()


main()
