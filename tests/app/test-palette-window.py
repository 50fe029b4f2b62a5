#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A wrong shape is found and mended by the palette's first offer, by keys alone, as TAP.

usage: test-palette-window.py WORKBENCH COMMAND

A wire from pictures to a product that reads rows is refused; Return there opens the palette, and
Return again takes what it offers first. A second time the list of problems mends it.
"""
import os
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import Tap
from workbench import Workbench, press_keys

GRAPH = """
add Placeholder pictures dtype=DT_FLOAT shape=[?,28,28,1]
add Placeholder weights dtype=DT_FLOAT shape=[784,10]
add MatMul product "" weights
"""
LABELS = """
add Placeholder labels dtype=DT_INT64 shape=[?]
add SparseSoftmaxCrossEntropyWithLogits loss product ""
"""


class Palette:
    def __init__(self, tap, command, w, model):
        self.tap, self.command, self.w, self.model = tap, command, w, model

    def check(self):
        """What is wrong with the graph as it is saved."""
        self.w.act("save-graph")
        self.w.wait(lambda s: s["build"]["saved"].startswith("saved"))
        return subprocess.run([self.command, "check", self.model], capture_output=True, text=True,
                              check=False)

    def field(self):
        """The palette's, once it is open."""
        return self.w.find_accessible("text box", "what reads float32 of 4 axes")

    def refusal(self):
        """As the canvas says it, where its name begins with the port."""
        return next((o.label() for o in self.w.accessible().tree()
                     if "does not fit: reads 2 axes, this has 4" in o.label()), None)

    def wire(self):
        self.w.act("select", GLib.Variant("s", "pictures"))
        self.w.wait(lambda s: s["graph"]["selection"] == "pictures" and s["settled"])
        press_keys("alt+1")
        self.w.wait(lambda s: s["page"] == "build" and s["settled"]
                    and s["build"]["canvas"]["selection"] == "pictures")
        self.w.walk_to(self.w.in_canvas)
        press_keys("l", "Right")
        self.tap.point("the wire says why it does not fit", self.w.until(self.refusal))
        press_keys("Return")
        field = self.field()
        self.tap.point("the first offer is read out", "Reshape to ?×784, gives ?×10 float32"
                       in field.description(), field.description())
        build = self.w.wait(lambda s: s["build"]["text"]["preview"])["build"]
        self.tap.point("it stands dashed in the text and in the picture",
                       build["canvas"]["ghost"] == "Reshape" and build["n-undo"] == 0
                       and "with Reshape inserted" in build["text"]["hint"], build["text"])
        self.tap.point("and so does what the refused input would read",
                       len(build["text"]["preview-input"]) == 2, build["text"])
        press_keys("Down", "ctrl+p", "Up")
        self.tap.point("arrows walk, and Ctrl+P pins", field.description().startswith("Reshape"),
                       field.description())
        press_keys("Return")
        state = self.w.wait(lambda s: s["build"]["n-undo"] == 1 and s["settled"])
        self.tap.point("and is dashed no more", "ghost" not in state["build"]["canvas"]
                       and not state["build"]["text"]["preview"], state["build"]["text"])
        self.tap.point("which is done as one command", "insert Reshape" in state["build"]["undo"],
                       state["build"])
        checked = self.check()
        self.tap.point("and nothing is wrong any more", checked.returncode == 0,
                       checked.stdout + checked.stderr)

    def problem(self):
        for line in LABELS.strip().splitlines():
            self.w.act("edit", GLib.Variant("s", line))
        self.w.wait(lambda s: s["build"]["n-undo"] == 3 and s["settled"])
        self.w.find_accessible("button", "Connect labels").act()
        self.w.wait(lambda s: s["build"]["n-undo"] == 4 and s["settled"])
        checked = self.check()
        self.tap.point("a problem is mended by its button", checked.returncode == 0,
                       checked.stdout + checked.stderr)

    def blocks(self):
        """What is made a block is offered among the layers, and its scope's menu has one more."""
        for line in ("add Placeholder wide dtype=DT_FLOAT shape=[?,6]",
                     "layer dense body/fc input=wide units=6", "block body part"):
            self.w.act("edit", GLib.Variant("s", line))
        self.w.wait(lambda s: s["build"]["n-undo"] == 7 and s["settled"])
        self.tap.point("a block stands among the layers",
                       self.w.find_accessible("list item", "part") is not None)
        self.w.act("select", GLib.Variant("s", "body/fc"))
        press_keys("alt+1")
        self.w.wait(lambda s: s["page"] == "build" and s["settled"])
        self.w.walk_to(self.w.in_canvas)
        press_keys("BackSpace")
        self.w.wait(lambda s: s["build"]["canvas"]["selection"] == "body")
        press_keys("ctrl+alt+b")
        state = self.w.wait(lambda s: s["build"]["n-undo"] == 8)
        self.tap.point("a key makes one more of it", "one more part" in state["build"]["undo"],
                       state["build"]["undo"])

    def scopes(self):
        """What others read of a scope that is no layer is in hand where it is selected."""
        for line in ("add Tanh given/first wide", "add Neg given/second given/first",
                     "add Sum given/norm given/second given/axes",
                     "add Abs taker given/second"):
            if "axes" in line:
                self.w.act("edit", GLib.Variant("s", "add Const given/axes value=[0,1]"))
            self.w.act("edit", GLib.Variant("s", line))
        self.w.wait(lambda s: s["build"]["n-undo"] == 13 and s["settled"])
        self.w.act("select", GLib.Variant("s", "given/first"))
        press_keys("alt+1")
        self.w.wait(lambda s: s["page"] == "build" and s["settled"])
        self.w.walk_to(self.w.in_canvas)
        press_keys("BackSpace")
        self.w.wait(lambda s: s["build"]["canvas"]["selection"] == "given")
        press_keys("shift+a")
        self.w.find_accessible("text box", "what reads float32 of 2 axes")
        heading = self.w.until(lambda: [o.label() for o in self.w.accessible().tree()
                                        if o.label() == "Fits given/second"])
        self.tap.point("of a scope it is what others read of it", heading)
        press_keys("Escape")

    def run(self):
        self.w.wait(lambda s: s["settled"] and s["graph"]["items"])
        self.wire()
        self.problem()
        self.blocks()
        self.scopes()


def main():
    program, command = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        model, script = os.path.join(folder, "model.pbtxt"), os.path.join(folder, "script")
        with open(script, "w") as file:
            file.write(GRAPH)
        subprocess.run([command, "edit", "--new", "--script", script, "--out", model], check=True)
        w = Workbench(program, model, os.path.join(folder, "workspace"))
        try:
            Palette(tap, command, w, model).run()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError):
            tap.point("the session goes on to its end", False, traceback.format_exc())
        finally:
            w.quit()
    tap.end()


if __name__ == "__main__":
    main()
