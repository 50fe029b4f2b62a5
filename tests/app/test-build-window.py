#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The open graph is changed in the window, as TAP.

usage: test-build-window.py WORKBENCH COMMAND PROJECT

Commands are done, refused, taken back and done again by the page's buttons and its history; the
graph's page follows; the file changes when it is saved, and not before.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import Tap
from workbench import Workbench, press_keys, type_text


class Build:
    def __init__(self, tap, command, w, project):
        self.tap, self.command, self.w = tap, command, w
        self.model = os.path.join(project, "model.pbtxt")

    def edit(self, command):
        self.w.act("edit", GLib.Variant("s", command))

    def nodes(self):
        """Of the file."""
        with open(self.model) as file:
            return sum(line.startswith("node {") for line in file)

    def press(self, name):
        self.w.find_accessible("button", name).act()

    def commands(self):
        press_keys("alt+1")
        state = self.w.wait(lambda s: s["page"] == "build" and s["settled"])
        self.tap.point("the page shows the graph of the project",
                       state["build"]["shows"] == "editor"
                       and state["build"]["name"] == "model.pbtxt", state["build"])
        self.edit("add Identity extra logits/bias_add")
        state = self.w.wait(lambda s: s["build"]["n-undo"] == 1)
        self.tap.point("a command is done, and can be taken back",
                       "add extra" in state["build"]["undo"]
                       and state["build"]["saved"].startswith("not saved"), state["build"])
        self.edit("connect extra hidden/nothing:0")
        state = self.w.wait(lambda s: s["build"]["refusal"])
        self.tap.point("one that cannot be done says why",
                       "hidden/nothing" in state["build"]["refusal"]
                       and state["build"]["n-undo"] == 1, state["build"]["refusal"])
        self.edit("rename extra other")
        state = self.w.wait(lambda s: s["build"]["n-undo"] == 2)
        self.tap.point("which goes with the next", not state["build"]["refusal"])

    def history(self):
        self.press("Undo a command")
        state = self.w.wait(lambda s: s["build"]["n-redo"] == 1)
        self.tap.point("Undo takes one back", state["build"]["n-undo"] == 1)
        rows = [o.label() or o.text() for o in self.w.all_accessible("label", "undone")]
        self.tap.point("which the history says", rows == ["undone"], rows)
        self.press("Redo a command")
        self.w.wait(lambda s: s["build"]["n-undo"] == 2)

    def layers(self):
        """What comes late is folded in the pane; all ops are in the palette."""
        def shown():
            return self.w.all_accessible("list item", "Softmax cross-entropy")
        folded = shown()
        self.press("Losses")
        self.w.until(shown)
        self.press("Losses")
        self.w.until(lambda: not shown())
        self.tap.point("losses are folded, and shown where somebody asks", not folded)
        self.press("All ops…")
        self.w.until(lambda: any(o.label() == "an op or a layer"
                                 for o in self.w.accessible().tree()))
        press_keys("Escape")
        self.tap.point("all ops are offered", True)

    def pages(self):
        self.w.act("select", GLib.Variant("s", "other"))
        self.w.wait(lambda s: s["graph"]["selection"] == "other" and s["settled"])
        press_keys("alt+1")
        state = self.w.wait(lambda s: s["page"] == "build" and s["settled"])
        self.tap.point("the graph's page follows, and selects together with it",
                       state["build"]["canvas"]["selection"] == "other", state["build"]["canvas"])

    def places(self):
        """A box is moved and framed by keys: in the one history, and in the project's layout."""
        before = self.w.state()["build"]
        press_keys("shift+Right")
        state = self.w.wait(lambda s: s["build"]["n-undo"] == before["n-undo"] + 1)
        self.tap.point("a move is a command, and no change of the graph",
                       "move other" in state["build"]["undo"]
                       and state["build"]["saved"] == before["saved"], state["build"])
        press_keys("ctrl+j")
        self.w.find_accessible("text box", "Title of the frame")
        type_text("Mine")
        press_keys("Return")
        state = self.w.wait(lambda s: s["build"]["canvas"]["notes"] and s["settled"])
        layout = os.path.join(os.path.dirname(self.model), "model.layout")

        def kept():
            if not os.path.exists(layout):
                return False
            with open(layout, encoding="utf-8") as file:
                lines = file.read().splitlines()
            return "frame 1 Mine other" in lines and "moved other 20 0" in lines
        self.tap.point("both are kept beside the graph", self.w.until(kept))
        press_keys("ctrl+z", "ctrl+z")
        self.w.wait(lambda s: not s["build"]["canvas"]["notes"]
                    and s["build"]["n-undo"] == before["n-undo"])

    def mutes(self):
        self.w.act("select", GLib.Variant("s", "logits/bias_add"))
        self.w.wait(lambda s: s["graph"]["selection"] == "logits/bias_add" and s["settled"])
        press_keys("alt+1")
        self.w.wait(lambda s: s["page"] == "build" and s["settled"]
                    and s["build"]["canvas"]["selection"] == "logits/bias_add")
        press_keys("m")
        state = self.w.wait(lambda s: "mute logits/bias_add" in s["build"]["undo"]
                            and s["settled"])
        muted = [i["name"] for i in state["build"]["canvas"]["items"] if i.get("muted")]
        said = any(", muted" in o.label() for graph in
                   self.w.all_accessible("tree", "Graph to change") for o in graph.tree())
        self.tap.point("what is muted is drawn so, and said so", muted and said, muted)
        press_keys("m")
        self.w.wait(lambda s: "unmute logits/bias_add" in s["build"]["undo"])
        press_keys("ctrl+z", "ctrl+z")
        state = self.w.wait(lambda s: "mute" not in s["build"]["undo"] and s["settled"])
        self.tap.point("and no more", not any(i.get("muted")
                                              for i in state["build"]["canvas"]["items"]))

    def saves(self):
        before = self.nodes()
        self.press("Save")
        self.w.wait(lambda s: s["build"]["saved"].startswith("saved"))
        self.tap.point("saving writes the file", self.nodes() == before + 1)
        checked = subprocess.run([self.command, "check", self.model], capture_output=True,
                                 text=True, check=False)
        self.tap.point("which is sound", checked.returncode == 0, checked.stdout + checked.stderr)

    def run(self):
        state = self.w.wait(lambda s: s["settled"] and s["graph"]["items"])
        self.tap.point("nothing is drawn where nobody looks", not state["build"]["canvas"]["items"],
                       state["build"]["canvas"])
        self.commands()
        self.history()
        self.layers()
        self.pages()
        self.places()
        self.mutes()
        self.saves()


def main():
    program, command, project = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(copy))
        w = Workbench(program, copy, os.path.join(folder, "workspace"))
        try:
            Build(tap, command, w, copy).run()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError):
            tap.point("the session goes on to its end", False, traceback.format_exc())
        finally:
            w.quit()
    tap.end()


if __name__ == "__main__":
    main()
