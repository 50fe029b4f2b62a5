#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Two runs that are selected, compared with learning off, as TAP.

usage: test-match-window.py WORKBENCH COMMAND PROJECT [PICTURE]

On a display and a session bus of its own. The second run's graph has another op; PICTURE: where the
page is kept as PNG.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, take_picture


def train(command, project, workspace, name):
    subprocess.run([command, "train", project, "--steps", "3", "--run", name, "--workspace",
                    workspace], check=True, capture_output=True)


def change_op(project):
    path = os.path.join(project, "model.pbtxt")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    at = text.index('name: "hidden/relu"')
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[:at] + text[at:].replace('op: "Relu"', 'op: "Tanh"', 1))
    return text


def select_all(w):
    w.wait(lambda s: s["settled"])
    press_keys("alt+4", "F8")
    w.wait(lambda s: s["page"] == "runs" and s["settled"])
    entry = w.find_accessible("search box", "Filter the runs")
    while not entry.holds_focus():
        press_keys("Tab")
    press_keys("Return", "ctrl+a")


def check(w, tap, picture):
    select_all(w)
    button = w.find_accessible("button", "Compare the losses")
    while not button.has_focus():
        press_keys("Tab")
    press_keys("space")
    found = w.until(lambda: next((o.label() for o in w.accessible().tree() if o.role() == "label"
                                  and "First op that differs" in o.label()), None))
    tap.point("the losses of both, and the first op that differs", found.startswith("Batch 1 ")
              and "hidden/relu (Relu), by " in found, found)
    if picture:
        take_picture(picture)
    w.find_accessible("button", "Show in graph").act()
    state = w.wait(lambda s: s["page"] == "graph")
    tap.point("which is shown in the graph", state["page"] == "graph", state)


def main():
    program, command, project = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "samples", os.path.basename(project))
        workspace = os.path.join(folder, "workspace")
        shutil.copytree(os.path.dirname(project), os.path.dirname(copy))
        train(command, copy, workspace, "one")
        before = change_op(copy)
        train(command, copy, workspace, "two")
        with open(os.path.join(copy, "model.pbtxt"), "w", encoding="utf-8") as file:
            file.write(before)
        w = Workbench(program, copy, workspace)
        try:
            check(w, tap, sys.argv[4] if len(sys.argv) > 4 else None)
        finally:
            w.quit()
    tap.end()


main()
