#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A new run and its settings, asked for and begun by keys, as TAP.

usage: test-new-run.py WORKBENCH COMMAND PROJECT

On a display and a session bus of its own. Whoever begins a run that repeats another one is told so
before and after.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, type_text

NEW = "No run so far had these settings"


class Session:
    def __init__(self, program, command, project):
        self.program, self.command = program, command
        self.folder = tempfile.mkdtemp()
        self.project = os.path.join(self.folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(self.project))
        self.workspace = os.path.join(self.folder, "workspace")
        self.tap = Tap()
        self.w = None

    def says(self, *words):
        """The form's verdict, once it has all the words."""
        return self.w.until(lambda: next(
            (o.label() for o in self.w.accessible().tree()
             if o.role() == "label" and all(word in o.label() for word in words)), None))

    def field(self, title):
        return self.w.find_accessible("text box", title)

    def ask(self):
        self.w.wait(lambda s: s["control"] == "idle")
        self.w.until(lambda: self.w.enabled("new-run"))
        press_keys("ctrl+n")
        self.field("Seed")

    def gone(self):
        self.w.until(lambda: len(self.w.accessible().children()) == 1)

    def stopped(self):
        self.w.wait(lambda s: s["step"] > 5)
        press_keys("shift+F5")
        return self.w.wait(lambda s: s["control"] == "idle")

    def runs(self):
        done = subprocess.run([self.command, "info", "--json", "--workspace", self.workspace],
                              capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def first(self):
        self.ask()
        self.tap.point("the first of its kind is new", self.says(NEW))
        self.tap.point("the name has the focus", self.field("Name").has_focus())
        press_keys("Escape")
        self.gone()
        self.tap.point("Escape begins none", self.w.state()["runs"] == 0)
        self.ask()
        type_text("one")
        press_keys("Return")
        self.gone()
        self.w.wait(lambda s: s["front"] == "one")
        self.tap.point("Return begins it under the name that was typed", True)
        self.stopped()

    def repeated(self):
        self.ask()
        self.tap.point("one that would repeat another one says so",
                       self.says("This repeats “one”", "to the last bit"))
        self.w.find_accessible("button", "Another seed").act()
        self.tap.point("another seed is one click away", self.says(NEW))
        self.tap.point("which no run has", self.field("Seed").text() == "2",
                       self.field("Seed").text())
        press_keys("Return")
        self.gone()
        self.w.wait(lambda s: s["runs"] == 2)
        self.stopped()
        self.w.act("start-run", GLib.Variant("(sas)", ("again", [])))
        self.tap.point("a run that repeats another one is told when it begins",
                       self.says("This run repeats “one”"))
        self.stopped()

    def refused(self):
        self.ask()
        # From the name to the parameter and on to the steps.
        press_keys("Tab", "Tab")
        self.w.until(lambda: self.field("Steps").has_focus())
        press_keys("ctrl+a")
        type_text("many")
        self.tap.point("a value that is none is told", self.says("steps=many", "whole number"))
        start = [o for o in self.w.all_accessible("button", "Start")
                 if "sensitive" not in o.states()]
        self.tap.point("and begins nothing", len(start) == 1)
        press_keys("ctrl+a")
        type_text("70")
        self.w.until(lambda: "many" not in self.says("repeats"))
        self.tap.point("a shorter one repeats a longer one", self.says("This repeats “again”"))
        press_keys("shift+Tab")
        self.w.until(lambda: self.field("learning-rate").has_focus())
        type_text("0.25")
        self.says(NEW)
        press_keys("Return")
        self.gone()
        self.w.wait(lambda s: s["runs"] == 4 and s["control"] == "idle" and s["step"] == 70)
        self.tap.point("a run has the settings that were typed", True)

    def run(self):
        try:
            self.w = Workbench(self.program, self.project, self.workspace)
            self.w.wait(lambda s: s["settled"])
            self.first()
            self.repeated()
            self.refused()
            self.w.quit()
            names = [run["name"] for run in self.runs()]
            self.tap.point("runs have their names", names.count("one") == 1
                           and "again" in names, names)
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:4])).run()
