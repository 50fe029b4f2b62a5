#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Runs that the window resumes from an older checkpoint, or with data that have changed, as TAP.

usage: test-resume.py WORKBENCH PROJECT

On a display and a session bus of its own.
"""
import gzip
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench

SETTINGS = {"steps": 40, "checkpoint-every": 10}
KEPT = [10, 20, 30, 40]


class Resume:
    def __init__(self, program, project):
        self.folder = tempfile.mkdtemp()
        samples = os.path.join(self.folder, "samples")
        shutil.copytree(os.path.dirname(project), samples)
        self.project = os.path.join(samples, os.path.basename(project))
        self.labels = os.path.join(samples, "data", "digits", "t10k-labels-idx1-ubyte.gz")
        self.workspace = os.path.join(self.folder, "runs")
        os.mkdir(self.workspace)
        self.shorten()
        self.window = Workbench(program, self.project, self.workspace)
        self.tap = Tap()

    def shorten(self):
        path = os.path.join(self.project, "project.ini")
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for key, value in SETTINGS.items():
            lines = [f"{key}={value}" if line.startswith(key + "=") else line for line in lines]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def asked(self, query):
        with sqlite3.connect(os.path.join(self.workspace, "sluice.db")) as database:
            return [row[0] for row in database.execute(query)]

    def resumed_from(self):
        """The steps, in the order in which it was done."""
        return self.asked("SELECT step FROM events WHERE kind = 'resume' ORDER BY id")

    def is_whole(self):
        return (self.asked("SELECT step FROM runs") == [40]
                and self.asked("SELECT step FROM checkpoints ORDER BY step") == KEPT)

    def ended(self):
        return self.window.wait(lambda s: s["control"] == "idle" and s["step"] == 40)

    def change_data(self):
        """Other bytes, which unpack to the same labels."""
        with gzip.open(self.labels) as file:
            content = file.read()
        with gzip.GzipFile(self.labels, "wb", compresslevel=1, mtime=1) as file:
            file.write(content)

    def ask(self, step, label, *checks):
        """Through the dialog: its choices by their actions (GTK 4.8 gives checkboxes none for
        assistive technology, only the keyboard), its button by name."""
        w = self.window
        w.act("resume-from")
        w.find_accessible("checkbox", label)
        w.find_accessible("checkbox", "Accept data files that have changed")
        w.find_accessible("checkbox", "First take a step of its past again, and compare")
        w.act("resume-step", GLib.Variant("x", step))
        for check in checks:
            w.act(check)
        w.until(lambda: any(button.press() for button in w.accessible().tree()
                            if button.role() == "button" and "Resume" in button.label()))

    def from_checkpoint(self):
        w = self.window
        w.wait(lambda s: s["settled"] and w.enabled("start"))
        w.act("start")
        self.ended()
        self.tap.point("a run has checkpoints", self.is_whole())
        self.ask(10, "Step 10")
        w.until(lambda: self.resumed_from() == [10])
        self.ended()
        self.tap.point("the dialog goes back to the one that is chosen", self.is_whole())
        self.ask(20, "Step 20", "resume-audit")
        w.until(lambda: self.resumed_from() == [10, 20])
        self.ended()
        audits = self.asked("SELECT text FROM events WHERE kind = 'audit'")
        self.tap.point("a step of its past is taken again first, where that is wanted",
                       len(audits) == 1 and "bit for bit" in audits[0], *audits)
        self.ask(0, "The start")
        w.until(lambda: self.resumed_from() == [0])
        self.ended()
        self.tap.point("and to the start, after which nothing else is left", self.is_whole())
        w.act("resume-run-from", GLib.Variant("(sxbb)", ("digits-mlp", 25, False, False)))
        state = w.wait(lambda s: s["failure"] != "" and s["control"] == "idle")
        self.tap.point("a step without a checkpoint is refused by name",
                       "25" in state["failure"] and self.is_whole(), state["failure"])
        self.tap.point("which is nothing to accept", not w.enabled("accept-changed-data")
                       and not w.all_accessible("button", "Go on with these data"))

    def with_changed_data(self):
        w = self.window
        self.change_data()
        w.act("resume-run-from", GLib.Variant("(sxbb)", ("digits-mlp", 20, False, False)))
        state = w.wait(lambda s: "t10k-labels" in s["failure"] and s["control"] == "idle")
        self.tap.point("data that have changed are refused, and nothing has happened",
                       self.resumed_from() == [0] and self.is_whole(), state["failure"])
        w.find_accessible("button", "Go on with these data").act()
        w.until(lambda: self.resumed_from() == [0, 20])
        state = self.ended()
        self.tap.point("a button beside the message accepts them",
                       self.is_whole() and state["failure"] == "", state["failure"])
        self.change_data_again()
        self.ask(30, "Step 30", "resume-accept")
        w.until(lambda: self.resumed_from() == [0, 20, 30])
        state = self.ended()
        self.tap.point("the dialog does so before they are refused",
                       self.is_whole() and state["failure"] == "", state["failure"])

    def change_data_again(self):
        with gzip.open(self.labels) as file:
            content = file.read()
        with gzip.GzipFile(self.labels, "wb", compresslevel=9, mtime=2) as file:
            file.write(content)

    def run(self):
        try:
            self.from_checkpoint()
            self.with_changed_data()
            self.tap.point("the window ends well", self.window.quit() == 0)
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, str(error))
        shutil.rmtree(self.folder, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    Resume(*map(os.path.abspath, sys.argv[1:])).run()
