#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""SavedModels that TensorFlow wrote, opened in the window, whole and damaged, as TAP.

usage: test-saved-model-window.py WORKBENCH

On a display and a session bus of its own.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench

MODELS = pathlib.Path(__file__).resolve().parent / "saved-models"


class Models:
    def __init__(self, program):
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.tap = Tap()
        for archive in sorted(MODELS.glob("*.zip")):
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(self.folder)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir() if path.is_dir())

    def open(self, window, path):
        before = window.state()["graph"]["items"]
        window.act("open", GLib.Variant("s", str(path)))
        return window.wait(lambda s: s["settled"] and s["graph"]["items"] != before)

    def check(self, window, name, state):
        items = [item["name"] for item in state["graph"]["items"] if item["name"]]
        self.tap.point(f"{name} is drawn", len(items) > 0 and state["failure"] == "", state)
        self.tap.point(f"{name} is looked at, not trained", not window.enabled("start"))
        window.act("select", GLib.Variant("s", items[0]))
        state = window.wait(lambda s: s["graph"]["selection"] == items[0] and s["settled"])
        self.tap.point(f"the inspector tells of {items[0]}", items[0] in state["inspector"],
                       state["inspector"])

    def all(self, window):
        first, *others = self.names()
        self.check(window, first, window.wait(lambda s: s["settled"] and s["graph"]["items"]))
        for name in others:
            self.check(window, name, self.open(window, self.folder / name))

    def by_file(self, window):
        state = self.open(window, self.folder / "keras_cnn" / "saved_model.pb")
        self.tap.point("the file in it opens like the folder", len(state["graph"]["items"]) > 0)

    def damaged(self, window):
        path = self.folder / "module" / "saved_model.pb"
        path.write_bytes(path.read_bytes()[:100])
        window.act("open", GLib.Variant("s", str(path.parent)))
        label = window.until(lambda: next(
            (o.label() for o in window.accessible().tree()
             if o.role() == "label" and "saved_model.pb" in o.label()), None))
        self.tap.point("one that is cut off is told by the name of its file", True, label)
        button = window.find_accessible("button", "Open Another Graph…")
        self.tap.point("and another graph is offered", button.place()[2] > 0, button.place())

    def run(self):
        try:
            workspace = self.folder.parent / (self.folder.name + "-runs")
            workspace.mkdir()
            window = Workbench(self.program, str(self.folder / self.names()[0]), str(workspace))
            self.all(window)
            self.by_file(window)
            self.damaged(window)
            self.tap.point("the window ends well", window.quit() == 0)
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, str(error))
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(workspace, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    Models(os.path.abspath(sys.argv[1])).run()
