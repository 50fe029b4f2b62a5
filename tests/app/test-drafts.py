#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What was typed for a run and not launched is kept as a draft, as TAP.

usage: test-drafts.py WORKBENCH COMMAND PROJECT

On a display and a session bus of its own, by keys. A form that is filled outlives kill -9 of the
window; it is a run of state draft, is taken up again, thrown away and brought back, and goes when
it is launched.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import traceback

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from workbench import Workbench, press_keys, type_text

spec = importlib.util.spec_from_file_location("launch", os.path.join(HERE, "test-launch.py"))
launch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launch)


class Drafts(launch.Session):
    def open(self):
        self.w = Workbench(self.program, self.project, self.workspace)
        self.w.wait(lambda s: s["settled"])

    def drafts(self):
        return [run for run in self.runs() if run["state"] == "draft"]

    def kept(self):
        self.ask()
        type_text("later")
        self.write("Steps", "30")
        self.focus("switch", "Sweep learning-rate")
        press_keys("space")
        self.w.until(self.field("learning-rate: next value").has_focus)
        type_text("0.1, 0.03")
        press_keys("Return")
        self.launch(lambda s: s["draft"] and s["start"] == "Start 3 runs")
        self.w.wait(lambda s: s["settled"])
        drafts = self.drafts()
        self.tap.point("a form that is changed is a draft among the runs", len(drafts) == 1
                       and drafts[0]["run"] == "digits-mlp, draft", drafts)
        self.tap.point("how many runs it is to be is told in the list",
                       self.w.find_accessible("list item",
                                              "digits-mlp, draft, draft · 3 runs"))
        self.w.process.kill()
        self.w.process.wait()
        self.tap.point("kill -9 leaves it", self.drafts() == drafts)

    def resumed(self):
        self.open()
        self.ask()
        state = self.launch(lambda s: s["draft"] and s["start"] == "Start 3 runs")
        self.tap.point("it is taken up again as it was",
                       self.field("Name").text() == "later" and self.field("Steps").text() == "30",
                       self.field("Name").text(), state)

    def thrown_away(self):
        self.focus("button", "Throw away")
        press_keys("space")
        self.launch(lambda s: not s["draft"] and s["start"] == "Start 1 run")
        self.w.until(lambda: not self.drafts())
        self.tap.point("it is thrown away, and the form is as the project says",
                       self.field("Steps").text() == "10000", self.field("Steps").text())
        done = subprocess.run([self.command, "runs", "restore", "digits-mlp, draft", "--workspace",
                               self.workspace], capture_output=True, text=True, check=False)
        self.w.wait(lambda s: s["runs"] == 1)
        press_keys("Escape")
        self.gone()
        self.ask()
        self.launch(lambda s: s["draft"] and s["start"] == "Start 3 runs")
        self.tap.point("out of the trash it is there again", done.returncode == 0, done.stderr)

    def places(self):
        """The windows of the display, by its numbers; tooltips and the like are smaller."""
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--class", "sluice"],
                               capture_output=True, text=True, check=False).stdout.split()
        sizes = {place: subprocess.run(["xdotool", "getwindowgeometry", "--shell", place],
                                       capture_output=True, text=True, check=False).stdout
                 for place in found}
        return {place for place, size in sizes.items() if re.search(r"WIDTH=\d{4}", size)}

    def attend(self, window, place):
        """The keyboard goes there: nobody else manages windows."""
        self.w = window
        subprocess.run(["xdotool", "windowfocus", "--sync", place], check=True)

    def shared(self):
        one, first = self.w, self.places()
        other = Workbench(self.program, self.project, self.workspace)
        other.wait(lambda s: s["settled"])
        second = self.places() - first
        self.attend(other, *second)
        self.ask()
        self.launch(lambda s: s["draft"] and s["start"] == "Start 3 runs")
        self.write("Examples a step", "16")
        press_keys("Return")
        other.wait(lambda s: s["settled"])
        self.attend(one, *first)
        self.write("Steps", "31")
        press_keys("Return")
        one.until(lambda: self.field("Examples a step").text() == "16")
        self.tap.point("what another window changed in it is not lost",
                       self.field("Steps").text() == "31",
                       self.field("Steps").text())
        self.attend(other, *second)
        self.write("Examples a step", "64")
        press_keys("Return")
        other.until(lambda: self.field("Steps").text() == "31")
        self.tap.point("nor what this one changed", self.field("Examples a step").text() == "64")
        other.quit()
        self.attend(one, *first)
        self.write("Steps", "30")
        press_keys("Return")
        one.until(lambda: self.field("Examples a step").text() == "64")

    def launched(self):
        press_keys("ctrl+Return")
        self.gone()
        self.w.wait(lambda s: s["runs"] == 3 and s["control"] == "idle" and s["settled"]
                    and not s["launch"]["queue"] and not s["launch"]["draft"])
        runs = self.runs()
        self.tap.point("launched, it is runs and no draft",
                       {run["state"] for run in runs} == {"finished"} and len(runs) == 3, *runs)

    def run(self):
        try:
            self.open()
            for stage in (self.kept, self.resumed, self.thrown_away, self.shared, self.launched):
                stage()
            self.w.quit()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError):
            self.tap.point("the session goes on to its end", False, traceback.format_exc())
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Drafts(*map(os.path.abspath, sys.argv[1:4])).run()
