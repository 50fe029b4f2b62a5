#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A researcher's day by keys alone: change, launch, compare, ask what differs, fork; as TAP.

usage: test-launch-flow.py WORKBENCH COMMAND PROJECT

On a display and a session bus of its own. The digits are opened, their learning rate is promoted
from the inspector, a sweep of 3 × 2 is launched from the form, the best one is found in the table
by sorting, what differs from it to the worst is read by AT-SPI, and the best one is forked at step
K with another rate: its curve leaves its parent there. data/help/new-run.md does the same in a
terminal.
"""
import json
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
from workbench import Workbench, press_keys, type_text

STEPS, K, EVERY = 120, 80, 20
TABS = 300


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


class Session:
    def __init__(self, program, command, project):
        self.program, self.command = program, command
        self.folder = tempfile.mkdtemp()
        self.project = os.path.join(self.folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(self.project))
        self.workspace = os.path.join(self.folder, "workspace")
        self.tap = Tap()
        self.w = None

    # ---- keys, and what they lead to ----

    def shown(self, role, label):
        """One that is on the screen."""
        return self.w.until(lambda: next((o for o in self.w.all_accessible(role, label)
                                          if o.place()[2] > 0), None))

    def tab_to(self, role, label, key="Tab"):
        thing = self.shown(role, label)
        for _ in range(TABS):
            if thing.holds_focus():
                return thing
            press_keys(key)
        raise RuntimeError(f"{key} does not come to {label}")

    def write(self, title, text):
        self.tab_to("text box", title)
        press_keys("ctrl+a")
        type_text(text)

    def says(self, *words):
        """A text on the screen that has all the words, once there is one."""
        def look():
            for thing in self.w.accessible().tree():
                text = thing.label() if thing.role() == "label" else ""
                if all(word in text for word in words) and thing.place()[2] > 0:
                    return text
            return None
        return self.w.until(look)

    def launch(self, condition):
        return self.w.wait(lambda s: s["settled"] and condition(s["launch"]))["launch"]

    def page(self, condition):
        return self.w.wait(lambda s: s["settled"] and condition(s["table"]))["table"]

    # ---- what the command says of it ----

    def runs(self):
        done = subprocess.run([self.command, "runs", "--json", "--workspace", self.workspace],
                              capture_output=True, text=True, check=True)
        return {run["run"]: run for run in map(json.loads, done.stdout.splitlines())}

    def points(self, run):
        done = subprocess.run([self.command, "log", "--json", "--workspace", self.workspace,
                               "--run", run, "--tag", "^loss$"],
                              capture_output=True, text=True, check=True)
        series = json.loads(done.stdout)
        return dict(zip(series["steps"], series["values"]))

    # ---- the day ----

    def read_project(self):
        with open(os.path.join(self.project, "project.ini"), encoding="utf-8") as file:
            return file.read()

    def open(self):
        """As it was before anybody promoted anything."""
        text = self.read_project()
        with open(os.path.join(self.project, "project.ini"), "w", encoding="utf-8") as file:
            file.write(text.partition("[parameters]")[0].replace("checkpoint-every=1000",
                                                                 f"checkpoint-every={EVERY}"))
        press_keys("ctrl+o")
        self.w.until(lambda: next((o for o in self.w.accessible().tree() if o.role() == "dialog"
                                   or o.label() == "Open a project"), None))
        type_text(self.project)
        press_keys("Return")
        self.w.wait(lambda s: s["settled"] and s["project"] == self.project)
        self.tap.point("Ctrl+O opens the digits", True)

    def promote(self):
        press_keys("ctrl+f")
        self.w.until(lambda: any(o.holds_focus() for o in self.w.accessible().tree()
                                 if o.role() == "search box"))
        type_text("train/learning_rate")
        press_keys("Return")
        self.w.wait(lambda s: s["settled"] and s["inspector"].startswith("train/learning_rate\n"))
        self.tab_to("switch", "In launch form")
        press_keys("space")
        self.w.until(lambda: "\nlearning-rate=train/learning_rate:0\n" in self.read_project())
        self.tap.point("a constant is promoted in the inspector", True)

    def sweep(self):
        self.w.until(lambda: self.w.enabled("new-run"))
        press_keys("ctrl+n")
        self.launch(lambda s: s["shows"] == "form")
        self.w.until(self.w.find_accessible("text box", "Name").has_focus)
        type_text("day")
        for title, values in (("learning-rate", "0.1, 0.0003"), ("Examples a step", "16")):
            self.tab_to("switch", f"Sweep {title}")
            press_keys("space")
            self.w.until(self.shown("text box", f"{title}: next value").has_focus)
            type_text(values)
            press_keys("Return")
        self.write("Steps", str(STEPS))
        state = self.launch(lambda s: s["start"] == "Start 6 runs" and "one group" in s["said"])
        self.tap.point("the form says that it is 3 × 2 runs", self.says("3 × 2 = 6 runs"), state)
        press_keys("ctrl+Return")
        self.w.wait(lambda s: s["page"] == "runs" and s["runs"] == 6 and s["control"] == "idle"
                    and not s["launch"]["queue"] and s["settled"])
        runs = self.runs()
        self.tap.point("all six are trained to their end", len(runs) == 6 and all(
            run["state"] == "finished" and run["step"] == STEPS for run in runs.values()),
            *runs.values())

    def rows(self):
        """The rows of the table get the focus, by way of the filter above."""
        entry = self.shown("search box", "Filter the runs")
        if not entry.holds_focus():
            press_keys("slash")
            self.w.until(entry.holds_focus)
        press_keys("Return")
        self.w.until(lambda: not entry.holds_focus())

    def best(self):
        """In the table, by the last loss, once it is told."""
        self.page(lambda p: "last:loss" in p["columns"])
        self.rows()
        press_keys("o")
        self.tab_to("button", "Sort by loss, last")
        press_keys("space")
        page = self.page(lambda p: p["sort"] == "last:loss")
        press_keys("Escape")
        runs = self.runs()
        wanted = sorted(runs, key=lambda name: runs[name]["results"]["loss"]["last"])
        self.tap.point("sorted by the loss, the best one is on top", page["names"] == wanted,
                       page["names"], wanted)
        return wanted[0], wanted[-1]

    def differs(self, best, worst):
        self.rows()
        press_keys("Home", "ctrl+End", "ctrl+space")
        page = self.page(lambda p: set(p["selected"]) == {best, worst} and p["differs"])
        runs = self.runs()
        rates = [f"{runs[name]['settings']['learning-rate']:g}" for name in (best, worst)]
        press_keys("d")
        self.tap.point("what differs from the best to the worst is read out",
                       self.says(" → ".join(rates)) and self.says("learning-rate"),
                       page["differs"])
        press_keys("Escape")

    def drag(self, x, y, by):
        """A hand takes what is there, and lets go of it so far below."""
        xdotool("mousemove", x, y, "mousedown", 1)
        for i in range(1, 6):
            xdotool("mousemove", x, y + by * i // 5)
            self.w.state()
        xdotool("mouseup", 1)

    def dragged(self, best, picture):
        """The ring of step K, by the pointer; lineage-view.c says where it is. What was told lies
        over it for some seconds."""
        told = ("is a setting of new runs", "wait in the queue")
        self.w.until(lambda: not any(words in o.label() for words in told
                                     for o in self.w.accessible().tree()))
        left, top, width, _ = picture.place()
        x, y = left + 150 + (width - 150 - 124) * K // STEPS, top + 26 + 20
        self.drag(x, y, 10)
        self.w.until(lambda: picture.description().endswith(f"checkpoint of step {K}"))
        self.tap.point("a ring that is let go of where it was is only chosen",
                       self.w.state()["page"] == "runs")
        self.drag(x, y, 60)
        state = self.launch(lambda s: s["shows"] == "form" and s["from"] == [best, K])
        self.tap.point("dragged out, a ring opens the form, which begins there",
                       self.w.state()["page"] == "launch", state)

    def fork(self, best):
        self.rows()
        press_keys("Home")
        self.page(lambda p: p["selected"] == [best])
        press_keys("f")
        picture = self.w.find_accessible("image", "Lineage")
        self.w.until(picture.has_focus)
        self.dragged(best, picture)
        press_keys("Escape")
        self.w.wait(lambda s: s["page"] == "runs" and s["settled"])
        self.rows()
        press_keys("f")
        self.w.until(picture.has_focus)
        for _ in range(STEPS // EVERY):
            if self.w.until(picture.description).endswith(f"checkpoint of step {K}"):
                break
            press_keys("Right")
        press_keys("Return")
        self.launch(lambda s: s["shows"] == "form" and s["from"] == [best, K])
        self.tap.point("a ring of the lineage leads to the form, which begins there",
                       self.w.find_accessible("text box", "Step to start from").text() == str(K))
        rate = f"{self.runs()[best]['settings']['learning-rate']:g}"
        field = self.w.find_accessible("text box", "learning-rate")
        self.tap.point("with the settings that the run had",
                       self.w.until(lambda: field.text() == rate), rate, field.text())
        self.write("Name", "fork")
        self.write("learning-rate", "0.01")
        self.launch(lambda s: s["runs"] == 1 and s["start"] == "Start 1 run")
        press_keys("ctrl+Return")
        self.w.wait(lambda s: s["runs"] == 7 and s["control"] == "idle" and s["settled"])
        fork = self.runs()["fork"]
        self.tap.point("the fork is trained with the other rate",
                       fork["state"] == "finished" and fork["step"] == STEPS
                       and fork["settings"]["learning-rate"] == 0.01
                       and fork["parent_step"] == K, fork)
        had, has = self.points(best), self.points("fork")
        self.tap.point("its points begin behind that step, and are others than its parent's",
                       min(has) == K + 1 and has[K + 1] == had[K + 1] and has[STEPS] != had[STEPS],
                       [had[step] for step in (K, K + 1, STEPS)], sorted(has.items())[:2])

    def curve(self, best):
        press_keys("alt+3")
        self.w.wait(lambda s: s["page"] == "charts" and s["settled"])
        card = self.tab_to("image", "loss")
        press_keys("Home")
        self.w.until(lambda: card.description().startswith("step 1,"))
        for step in range(EVERY, K + 1, EVERY):  # from mark to mark
            press_keys("n")
            self.w.until(lambda step=step: card.description().startswith(f"step {step} "))
        self.tap.point("until the step it has no curve of its own",
                       ", fork " not in card.description(), card.description())
        press_keys("Right")
        at = self.w.until(lambda: f"step {K + 1}" in card.description() and card.description())
        self.tap.point("there the curve leaves its parent's",
                       self.told(at, "fork") == self.told(at, best), at)
        press_keys("End")
        end = self.w.until(lambda: f"step {STEPS}" in card.description() and card.description())
        self.tap.point("and goes its own way", self.told(end, "fork") != self.told(end, best), end)

    @staticmethod
    def told(text, run):
        """The value of a run, as the chart tells it."""
        return re.search(rf", {re.escape(run)} ([\d.]+)", text)[1]

    def run(self):
        try:
            os.makedirs(self.workspace)
            self.w = Workbench(self.program, None, self.workspace)
            self.w.wait(lambda s: s["settled"])
            self.open()
            self.promote()
            self.sweep()
            best, worst = self.best()
            self.differs(best, worst)
            self.fork(best)
            self.curve(best)
            self.w.quit()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError):
            self.tap.point("the session goes on to its end", False, traceback.format_exc())
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:4])).run()
