#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Two runs that are selected, compared with learning off; one, trained again: as TAP.

usage: test-match-window.py WORKBENCH COMMAND PROJECT [PICTURE]

On a display and a session bus of its own. The second run's graph has another op; PICTURE: where the
page is kept as PNG.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

from gi.repository import GLib

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
    press_keys("alt+6", "F8")
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
                                  and "is the first that differs" in o.label()), None))
    tap.point("the losses of both, and the first op that differs", found.startswith("Batch 1 ")
              and "hidden/relu:0 (Relu) is the first" in found, found)
    if picture:
        take_picture(picture)
    w.find_accessible("button", "Show in graph").act()
    state = w.wait(lambda s: s["page"] == "graph")
    tap.point("which is shown in the graph", state["page"] == "graph", state)


def shown(w, role, start):
    """One that is on the screen and begins so, once there is one."""
    return w.until(lambda: next((o for o in w.accessible().tree() if o.role() == role
                                 and o.label().startswith(start) and o.place()[2] > 0), None))


def reproduce(w, tap):
    """By its key and its button, in the inspector of the run that is in front."""
    w.act("show-page", GLib.Variant("s", "charts"))
    w.wait(lambda s: s["page"] == "charts" and s["settled"] and s["front"] == "two")
    tap.point("of a run that nobody made again so far that is told",
              shown(w, "label", "Nobody has trained this run again"))
    w.walk_to(lambda: any(o.has_focus() for o in w.all_accessible("button", "Reproduce")),
              "shift+Tab")
    press_keys("space")
    badge = shown(w, "label", "bit-equal to step 3 on ").label()
    tap.point("trained again, it has its badge", "build Sluice" in badge, badge)
    told = w.state()["told"]
    tap.point("and a message says so", told == "“two” is equal bit for bit up to step 3", told)


def tampered(w, tap, workspace):
    """One bit of a variable in its checkpoint is another one."""
    folder = os.path.join(workspace, "runs", "2", "checkpoints")
    path = os.path.join(folder, max(os.listdir(folder)))
    with open(path, "r+b") as file:
        file.seek(-2, os.SEEK_END)
        byte = file.read(1)[0]
        file.seek(-2, os.SEEK_END)
        file.write(bytes([byte ^ 1]))
    w.all_accessible("button", "Reproduce")[-1].act()
    badge = shown(w, "label", "parted at step 3 (").label()
    tap.point("tampered with, it parts, and where is told", badge, w.state()["told"])


def write_npz(path, tensors):
    """tensors: name -> shape, floats"""
    with zipfile.ZipFile(path, "w") as archive:
        for name, (shape, values) in tensors.items():
            text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
            archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text))
                             + text + struct.pack(f"<{len(values)}f", *values))


def values(w, tap, folder):
    """What the graph computes beside tensors of a file."""
    path = os.path.join(folder, "values.npz")
    write_npz(path, {"loss/penalty/y:0": ((), [0.0003]), "hidden/zeros:0": ((128,), [0.0] * 128)})
    w.act("compare-values-with", GLib.Variant("s", path))
    told = w.wait(lambda s: "none differs" in s["told"])["told"]
    tap.point("values that are the same", told == "2 outputs were compared: none differs", told)
    write_npz(path, {"loss/penalty/y:0": ((), [0.0004]), "hidden/zeros:0": ((128,), [0.0] * 128)})
    w.act("compare-values-with", GLib.Variant("s", path))
    state = w.wait(lambda s: "first that differs" in s["told"])
    words = ("loss/penalty/y:0 (Const) is the first that differs: it was 0.00039999999, is "
             "0.000300000014. It reads nothing.")
    tap.point("the first node that is not, in the graph", state["told"] == words
              and state["page"] == "graph" and "loss/penalty/y" in state["inspector"], state)
    badge = w.until(lambda: next((o.label() for o in w.accessible().tree()
                                  if o.role() != "notification" and words in o.label()), None))
    tap.point("with a badge that says so", badge)
    w.act("compare-values-with", GLib.Variant("s", os.path.join(folder, "none.npz")))
    told = w.wait(lambda s: "none.npz" in s["told"])["told"]
    tap.point("a file that is not there", "none.npz" in told, told)


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
            reproduce(w, tap)
            tampered(w, tap, workspace)
            values(w, tap, folder)
        finally:
            w.quit()
    tap.end()


main()
