#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Models are built on an empty canvas by keys alone, and trained, as TAP.

usage: test-build-flow.py WORKBENCH COMMAND [PICTURES [PROJECTS]]

On a display and a session bus of its own. A project is made from the digits that come with the
program, without a model; each layer is chosen in the palette, the training in its form, the run on
its page. No action is called behind the window's back: keys are pressed, AT-SPI is read. PICTURES:
a folder for one of each stage; PROJECTS: one that is to be kept, with what was built.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, type_text, take_picture

MLP = ["flatten", "dense activation=relu name=hidden", "dense units=10 name=logits",
       "softmax cross-entropy name=loss"]
LENET = ["convolution filters=32 size=3 activation=relu name=conv1", "pooling name=pool1",
         "convolution filters=64 activation=relu name=conv2", "pooling name=pool2", "flatten",
         "dense activation=relu units=128 name=hidden", "dense units=10 name=logits",
         "softmax cross-entropy name=loss"]


class Flow:
    def __init__(self, tap, program, folder, pictures):
        self.tap, self.folder, self.pictures, self.keys = tap, folder, pictures, 0
        os.environ["HOME"] = folder
        self.workspace = os.path.join(folder, "workspace")
        self.w = Workbench(program, None, self.workspace)

    def press(self, *keys):
        self.keys += len(keys)
        press_keys(*keys)

    def type(self, text):
        self.keys += len(text)
        type_text(text)

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def walk_to(self, role, label):
        self.w.walk_to(self.w.find_accessible(role, label).holds_focus, press=self.press)

    def build(self):
        return self.w.state()["build"]

    # ---- stages ----

    def make_project(self, name):
        self.press("ctrl+shift+n")
        create = self.w.find_accessible("button", "Create")
        self.w.until(lambda: "sensitive" in create.states())
        model = "None: the data alone, on an empty canvas"
        self.walk_to("list item", model)
        # The field of the folder says nothing of its focus.
        self.press("space", "Tab", "Tab", "Tab", "Tab", "ctrl+a")
        folder = os.path.join(self.folder, name)
        self.type(folder)
        self.picture(name + "-new")
        self.walk_to("button", "Create")
        self.press("space")
        state = self.w.wait(lambda s: s["page"] == "build" and s["settled"]
                            and s["project"] == folder)
        self.tap.point(f"{name}: a project is made, its canvas has the data alone",
                       sorted(i["name"] for i in state["build"]["canvas"]["items"]) == ["x", "y"],
                       state["build"]["canvas"]["items"])
        self.tap.point("and the keyboard", self.w.until(self.w.in_canvas))
        return folder

    def select(self, name):
        for _ in range(40):
            state = self.w.wait(lambda s: s["settled"])
            if state["build"]["canvas"]["selection"] == name:
                return
            self.press("ctrl+Right")
        raise RuntimeError(f"{name} is not selected by ctrl+Right")

    def has_palette(self):
        return any(o.label().startswith("what ") for o in self.w.accessible().tree())

    def add(self, text):
        before = self.build()["n-undo"]
        self.w.until(lambda: not self.has_palette())
        self.press("shift+a")
        self.w.until(self.has_palette)
        self.type(text)
        self.press("Return")
        self.w.wait(lambda s: s["build"]["n-undo"] == before + 1 and s["settled"])

    def train(self):
        self.press("ctrl+shift+t")
        self.walk_to("button", "Train this")
        self.press("space")
        self.w.wait(lambda s: "train" in s["build"]["undo"] and s["settled"])

    def launch(self, command, least):
        self.press("ctrl+Return")
        self.w.wait(lambda s: s["page"] == "launch" and s["settled"])
        start = self.w.find_accessible("button", "Start 1 run")
        self.w.until(lambda: "sensitive" in start.states())
        runs = self.w.state()["runs"]
        self.press("ctrl+Return")
        state = self.w.wait(lambda s: s["runs"] == runs + 1 and s["control"] == "idle"
                            and s["step"] == 2000)
        accuracy = float(re.search(r"test ([0-9.]+)", state["status"])[1]) / 100
        self.tap.point(f"the run that it launches learns to {least}", accuracy >= least, accuracy)

    def model(self, command, name, layers, least):
        self.keys = 0
        folder = self.make_project(name)
        self.select("x")
        for layer in layers:
            self.add(layer)
        self.select("logits")
        self.add("accuracy")
        self.picture(name + "-built")
        state = self.build()
        self.tap.point(f"{len(layers) + 1} layers are {len(layers) + 1} commands",
                       state["n-undo"] == len(layers) + 1, state)
        self.select("loss")
        self.train()
        self.picture(name + "-trained")
        self.launch(command, least)
        self.picture(name + "-run")
        print(f"# {self.keys} keys", flush=True)
        return folder

    def run(self, command):
        for name, layers, least in (("mlp", MLP, 0.97), ("lenet", LENET, 0.98)):
            folder = self.model(command, name, layers, least)
            done = subprocess.run([command, "check", folder], capture_output=True, text=True,
                                  check=False)
            self.tap.point("and what is saved is sound", done.returncode == 0,
                           done.stdout + done.stderr)


def main():
    program, command = map(os.path.abspath, sys.argv[1:3])
    pictures = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
    tap = Tap()
    kept = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
    folder = kept or tempfile.mkdtemp()
    flow = Flow(tap, program, folder, pictures)
    try:
        flow.run(command)
    except (RuntimeError, GLib.Error, subprocess.SubprocessError):
        tap.point("the session goes on to its end", False, traceback.format_exc())
        state = flow.w.state()
        print("#", {key: state[key] for key in ("page", "settled", "project", "control")})
        flow.picture("end")
    finally:
        flow.w.quit()
    if kept is None:
        shutil.rmtree(folder)
    tap.end()


if __name__ == "__main__":
    main()
