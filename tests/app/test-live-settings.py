#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Settings of a run at work are changed in the window, as TAP.

usage: test-live-settings.py WORKBENCH COMMAND PROJECT

On a display and a session bus of its own, by keys. The inspector of a run at work has a field for
each setting that need not wait for a restart; what is typed there counts from a step on, is an
event of the run, and is taken back.
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import traceback

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from workbench import Workbench, press_keys

spec = importlib.util.spec_from_file_location("launch", os.path.join(HERE, "test-launch.py"))
launch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launch)


class Live(launch.Session):
    def events(self):
        done = subprocess.run([self.command, "log", "--json", "--kind", "event", "--tag", "set",
                               "--workspace", self.workspace],
                              capture_output=True, text=True, check=True)
        return [value for line in done.stdout.splitlines() for value in json.loads(line)["values"]]

    def change(self):
        self.w.act("start-run", GLib.Variant("(sas)", ("long", ["steps=100000000"])))
        self.w.wait(lambda s: s["step"] > 5)
        press_keys("alt+6")
        self.w.wait(lambda s: s["page"] == "runs" and s["front"] == "long")
        self.tap.point("a run at work shows what can be changed",
                       self.w.until(lambda: self.field("learning-rate").text() == "0.003"))
        self.tap.point("and nothing that needs a restart",
                       not self.w.all_accessible("text box", "Examples a step"))
        self.write("learning-rate", "abc")
        press_keys("Return")
        self.tap.point("what is no value is told beside it", self.says("abc", "number"))
        self.write("learning-rate", "0.01")
        press_keys("Return")
        self.w.until(lambda: len(self.events()) == 1)
        self.tap.point("another value is an event of the run",
                       self.events() == ["learning-rate 0.003 to 0.01"], self.events())
        self.w.until(lambda: self.field("learning-rate").text() == "0.01")
        run = self.runs()[0]["id"]
        self.w.act("set-live", GLib.Variant("(xss)", (run, "learning-rate=0.003",
                                                      "learning-rate=0.01")))  # Undo
        self.w.until(lambda: len(self.events()) == 2)
        self.tap.point("and is taken back", self.events()[1].endswith("0.01 to 0.003"),
                       self.events())
        press_keys("shift+F5")
        self.w.wait(lambda s: s["control"] == "idle")
        self.w.until(lambda: not self.w.all_accessible("text box", "learning-rate"))
        self.tap.point("of a run that has ended nothing is to be changed", True)

    def run(self):
        try:
            self.w = Workbench(self.program, self.project, self.workspace)
            self.w.wait(lambda s: s["settled"])
            self.change()
            self.w.quit()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError):
            self.tap.point("the session goes on to its end", False, traceback.format_exc())
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Live(*map(os.path.abspath, sys.argv[1:4])).run()
