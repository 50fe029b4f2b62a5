#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The page that asks for a new run, filled and begun by keys, as TAP.

usage: test-launch.py WORKBENCH COMMAND PROJECT

On a display and a session bus of its own. Who begins a run that repeats another one is told so
before and after; a wrong value is said at its row; a sweep of 3 × 2 is asked for, begun and trained
to its end in the window; what waits is moved, taken out, and kept over a restart.
"""
import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, type_text

NEW = "No run so far had these settings"


def seconds(words):
    """(time, ±) of "1 h 2 min ± 3.5 s" and of "1:02:00 ± 0:04"."""
    found = []
    for part in words.split(" ± "):
        units = {"s": 1, "min": 60, "h": 3600, "d": 86400}
        pairs = re.findall(r"([\d.]+) (s|min|h|d)\b", part)
        found.append(sum(float(number) * units[unit] for number, unit in pairs) if pairs else
                     sum(int(number) * 60 ** i
                         for i, number in enumerate(reversed(part.split(":")))))
    return tuple(found)


def near(a, b):
    """As they are rounded: above an hour one of them tells whole minutes."""
    return len(a) == len(b) and all(abs(x - y) <= (60 if max(x, y) >= 3600 else 1)
                                    for x, y in zip(a, b))


class Session:
    def __init__(self, program, command, project):
        self.program, self.command = program, command
        self.folder = tempfile.mkdtemp()
        self.project = os.path.join(self.folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(self.project))
        self.workspace = os.path.join(self.folder, "workspace")
        self.tap = Tap()
        self.w = None

    # ---- what there is ----

    def says(self, *words):
        """A label that has all the words, once there is one."""
        return self.w.until(lambda: next(
            (o.label() for o in self.w.accessible().tree()
             if o.role() == "label" and all(word in o.label() for word in words)), None))

    def field(self, title):
        return self.w.find_accessible("text box", title)

    def focus(self, role, label):
        """Tab, until it is there. The window answers when it has seen the key."""
        thing = self.w.find_accessible(role, label)
        for _ in range(300):
            if any(thing.holds_focus() for _ in range(5)):
                return thing
            press_keys("Tab")
        raise RuntimeError(f"Tab does not come to {label}")

    def write(self, title, text):
        self.focus("text box", title)
        press_keys("ctrl+a")
        type_text(text)

    def launch(self, condition):
        return self.w.wait(lambda s: condition(s["launch"]))["launch"]

    def ask(self):
        self.w.wait(lambda s: s["control"] == "idle" and s["settled"])
        self.w.until(lambda: self.w.enabled("new-run"))
        press_keys("ctrl+n")
        self.w.wait(lambda s: s["page"] == "launch" and s["launch"]["shows"] == "form")
        self.w.until(self.field("Name").has_focus)

    def gone(self):
        return self.w.wait(lambda s: s["page"] == "runs")

    def stopped(self):
        self.w.wait(lambda s: s["step"] > 5)
        press_keys("shift+F5")
        return self.w.wait(lambda s: s["control"] == "idle")

    def runs(self):
        done = subprocess.run([self.command, "runs", "--json", "--workspace", self.workspace],
                              capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    # ---- one run ----

    def first(self):
        self.ask()
        self.tap.point("the name has the focus", self.field("Name").has_focus())
        self.tap.point("the first of its kind is new", self.says(NEW))
        self.tap.point("a promoted constant has the graph's own value",
                       self.field("learning-rate").text() == "0.003",
                       self.field("learning-rate").text())
        self.tap.point("a row tells where it comes from and when it counts",
                       self.says("train/learning_rate · float · next step"))
        press_keys("Escape")
        self.gone()
        self.tap.point("Escape begins none", self.w.state()["runs"] == 0)
        self.ask()
        type_text("one")
        press_keys("ctrl+Return")
        self.gone()
        self.w.wait(lambda s: s["front"] == "one")
        self.tap.point("Ctrl+Return begins it under the name that was typed", True)
        self.stopped()

    def repeated(self):
        self.ask()
        self.tap.point("one that would repeat another one says so",
                       self.says("This repeats “one”", "to the last bit"))
        self.w.find_accessible("button", "Another seed").act()
        self.tap.point("another seed is one click away", self.says(NEW))
        self.tap.point("which no run has", self.field("Seed").text() == "2",
                       self.field("Seed").text())
        press_keys("ctrl+Return")
        self.gone()
        self.w.wait(lambda s: s["runs"] == 2)
        self.stopped()
        self.w.act("start-run", GLib.Variant("(sas)", ("again", [])))
        self.tap.point("a run that repeats another one is told when it begins",
                       self.w.wait(lambda s: s["told"].startswith("This run repeats “one”")))
        self.stopped()

    def refused(self):
        self.ask()
        self.write("Steps", "many")
        self.tap.point("a value that is none is told at its row",
                       self.says("steps=many", "whole number"))
        start = self.w.find_accessible("button", "Start 1 run")
        self.w.until(lambda: "sensitive" not in start.states())
        self.tap.point("and begins nothing", True)
        press_keys("ctrl+a")
        type_text("70")
        self.w.until(lambda: "many" not in self.says("repeats"))
        self.tap.point("a shorter one repeats a longer one", self.says("This repeats “again”"))
        self.write("learning-rate", "0.25")
        self.says(NEW)
        press_keys("ctrl+Return")
        self.gone()
        self.w.wait(lambda s: s["runs"] == 4 and s["control"] == "idle" and s["step"] == 70)
        self.tap.point("a run has the settings that were typed", True)

    def promoted(self):
        """A constant is taken out of the form, and put in again."""
        self.w.act("select", GLib.Variant("s", "train/learning_rate"))
        self.w.wait(lambda s: s["page"] == "graph" and s["settled"])
        switch = self.w.find_accessible("switch", "In launch form")
        self.tap.point("the inspector says that a constant is in the form",
                       "checked" in switch.states(), switch.states())
        self.focus("switch", "In launch form")
        press_keys("space")
        self.w.until(lambda: "learning-rate=" not in self.read_project())
        self.ask()
        self.w.until(lambda: not self.w.all_accessible("text box", "learning-rate"))
        self.tap.point("out of the form, it is no row", True)
        press_keys("Escape")
        self.gone()
        self.w.act("promote", GLib.Variant("(sss)", ("train/learning_rate", "", "")))
        self.described()
        self.ask()
        self.tap.point("in the form again, it is one", self.field("learning-rate"))
        press_keys("Escape")
        self.gone()
        self.noted()

    def read_project(self):
        with open(os.path.join(self.project, "project.ini"), encoding="utf-8") as file:
            return file.read()

    def describe(self, **fields):
        """The form behind the line of the inspector is filled by keys."""
        self.focus("button", "Name, unit, range and what it does")
        press_keys("space")
        self.w.until(lambda: any(o.has_focus()
                                 for o in self.w.all_accessible("text box", "Name")))
        for title, text in fields.items():
            if title != "Name":  # that has the focus, and is not the only one of this name
                self.focus("text box", title.replace("_", " "))
            press_keys("ctrl+a")
            type_text(text)
            if text == "":
                press_keys("Delete")
        press_keys("Return")

    def described(self):
        """Name, unit, range and help of a setting are said in the inspector, and taken back."""
        before = self.read_project()
        self.w.act("select", GLib.Variant("s", "train/learning_rate"))
        self.w.wait(lambda s: s["page"] == "graph" and s["settled"])
        self.describe(Least_value="2", Greatest_value="1")
        self.tap.point("a range upside down is told where it was typed",
                       self.says("low=2 lies above high=1"))
        press_keys("Escape")
        self.describe(Name="rate", Unit="a step", What_it_does="How far it goes; at most",
                      Least_value="0", Greatest_value="1")
        line = ("\nrate=train/learning_rate:0; unit=a step; low=0; high=1; "
                "help=How far it goes; at most\n")
        self.w.until(lambda: line in self.read_project())
        self.tap.point("what was typed is written, and shown under the switch",
                       self.says("rate · a step · 0 to 1 · How far it goes; at most"))
        self.focus("switch", "In launch form")
        press_keys("space")
        self.w.until(lambda: "train/learning_rate" not in self.read_project())
        self.undo_told()
        self.w.until(lambda: line in self.read_project())
        self.tap.point("a setting that is taken out comes back with all that was said", True)
        self.describe(Name="learning-rate", Unit="", What_it_does="", Least_value="",
                      Greatest_value="")
        self.w.until(lambda: "rate=" in self.read_project() and "low=" not in self.read_project())
        self.tap.point("said no more, the file is as it was", self.read_project() == before)
        self.undo_told()
        self.w.until(lambda: line in self.read_project())
        self.tap.point("Undo says it again", True)
        self.describe(Name="learning-rate", What_it_does="How far it goes")
        self.w.until(lambda: "\nlearning-rate=" in self.read_project())

    def noted(self):
        """What is said of a setting stands under its name, and holds."""
        self.ask()
        self.tap.point("unit and range of a setting are told, and what it does",
                       self.says("train/learning_rate · float · a step · 0 to 1 · next step")
                       and self.says("How far it goes"))
        self.write("learning-rate", "7")
        self.tap.point("a value outside is refused at its row",
                       self.says("learning-rate=7 lies outside its range", "0 to 1"))
        self.w.find_accessible("button", "learning-rate: back to 0.003").act()
        self.says("repeats")
        press_keys("Escape")
        self.gone()

    def lost(self):
        """The graph has it no more."""
        path = os.path.join(self.project, "project.ini")
        with open(path, encoding="utf-8") as file:
            before = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + "\ngone=no/such:0\n")
        self.ask()
        self.tap.point("a parameter that the graph has lost is told",
                       self.says("no/such · not in the graph any more"))
        self.w.find_accessible("button", "Take gone out of the form").act()
        self.w.until(lambda: not self.w.all_accessible("button", "Take gone out of the form"))
        with open(path, encoding="utf-8") as file:
            self.tap.point("and taken out on demand", "gone=" not in file.read())
        press_keys("Escape")
        self.gone()

    # ---- many ----

    def fill_sweep(self, steps):
        """Three rates by two seeds."""
        self.write("Name", "sweep")
        self.write("Steps", steps)
        self.focus("switch", "Sweep learning-rate")
        press_keys("space")
        self.w.until(self.field("learning-rate: next value").has_focus)
        type_text("0.1, 0.03")
        press_keys("Return")
        self.focus("switch", "Sweep Seed")
        press_keys("space")
        self.w.until(self.field("Seed: next value").has_focus)
        type_text("2")
        press_keys("Return")

    def sweep(self):
        self.ask()
        self.fill_sweep("30")
        self.tap.point("the sum says how many", self.says("3 × 2 = 6 runs"))
        self.launch(lambda s: s["start"] == "Start 6 runs" and "one group" in s["said"])
        self.tap.point("the button says it, too", True)
        self.tap.point("what is not entered is", self.says("3 values"))
        self.w.find_accessible("switch", "Stop the worse half early").act()
        self.tap.point("stopped early, it is expected to take part of the steps",
                       self.says("one after the other", "% of the steps of whole runs"))
        self.w.find_accessible("switch", "Stop the worse half early").act()
        self.w.until(lambda: not any("% of the steps of whole runs" in o.label()
                                     for o in self.w.accessible().tree()))
        self.launch(lambda s: s["start"] == "Start 6 runs" and "one group" in s["said"])
        press_keys("ctrl+Return")
        self.gone()
        self.w.wait(lambda s: s["runs"] == 10 and s["control"] == "idle"
                    and not s["launch"]["queue"] and s["settled"])
        swept = [run for run in self.runs() if run["group"]]
        self.tap.point("all six are trained to their end", len(swept) == 6
                       and all(run["state"] == "finished" and run["step"] == 30 for run in swept),
                       *swept)
        names = sorted(run["run"] for run in swept)
        self.tap.point("they are called by what they vary",
                       names[0] == "sweep learning-rate 0.003 seed 1"
                       and names[-1] == "sweep learning-rate 0.1 seed 2", *names)
        self.tap.point("in one group", len({run["group"] for run in swept}) == 1)

    # ---- how long ----

    def slow(self):
        """As the workspace has it, each step of the runs so far took a second. The message is
        another one, too: how long a run took alone makes no row anew."""
        with contextlib.closing(sqlite3.connect(os.path.join(self.workspace, "sluice.db"))) as db:
            with db:
                db.execute("UPDATE runs SET seconds = step, message = ''")

    def ends_in(self):
        """(what the pre-flight says, what the bar of the queue's draft says), each in seconds and
        with its ±; None as long as one of them says nothing."""
        labels = [o.label() for o in self.w.accessible().tree()
                  if o.role() in ("label", "list item")]
        finish = next((re.fullmatch(r"(.*) until it has finished", label) for label in labels
                       if label.endswith("until it has finished")), None)
        bar = next((re.search(r", begins in 0:00, ends in (.*)$", label) for label in labels
                    if ", as it would be queued, " in label), None)
        return finish and bar and (seconds(finish[1]), seconds(bar[1]))

    def finish(self):
        """Pre-flight and queue go by the same figure, whatever took how long before."""
        self.slow()
        self.ask()
        self.write("Steps", "2000000")
        self.launch(lambda s: s["preflight"].startswith("ready"))
        self.w.wait(lambda s: s["settled"])
        said = self.w.until(self.ends_in)
        self.tap.point("the queue's bar ends when the pre-flight says that it has finished",
                       60 < said[0][0] < 1e6 and near(*said), *said)
        self.w.find_accessible("button", "Steps: back to 10000").act()
        press_keys("Escape")
        self.gone()

    def too_many(self):
        self.ask()
        self.focus("switch", "Sweep learning-rate")
        press_keys("space")
        self.w.find_accessible("button", "learning-rate: Grid").act()
        for field, text in (("low", "0.1"), ("high", "1"), ("points", "9000")):
            self.write(f"learning-rate: {field}", text)
        self.says("9000 points")
        self.focus("switch", "Sweep Seed")
        press_keys("space")
        self.w.until(self.field("Seed: next value").has_focus)
        type_text("2")
        press_keys("Return")
        self.tap.point("a sweep of too many is told", self.says("at most", "vary fewer"))
        self.w.find_accessible("button", "learning-rate: back to 0.003").act()
        self.w.find_accessible("button", "Seed: back to 1").act()
        self.launch(lambda s: s["start"] == "Start 1 run" and s["runs"] == 1)

    # ---- what waits ----

    def queued(self):
        if not self.w.state()["launch"]["works"]:
            self.w.find_accessible("button", "Train what waits").act()
        self.w.find_accessible("button", "Pause queue").act()
        self.launch(lambda s: s["paused"])
        for name in ("a", "b", "c"):
            self.write("Name", name)
            self.write("Steps", "40")
            if name == "b":
                self.needed()
            self.says("1 run")
            press_keys("ctrl+shift+Return")
            self.launch(lambda s, name=name: name in s["queue"])
            if name == "b":
                self.w.find_accessible("button", "Threads: back to none").act()
                self.w.find_accessible("button", "Memory: back to none").act()
        self.tap.point("what is added waits in order",
                       self.w.state()["launch"]["queue"] == ["a", "b", "c"])
        needs = [(line["threads"], line["memory"]) for line in self.waiting()]
        self.tap.point("with what it was said to need, or what its plan takes",
                       needs[1] == (2, 300 << 20) and needs[0] == needs[2] and needs[0][0] is None
                       and 0 < needs[0][1] < 300 << 20, *needs)
        row = self.w.until(lambda: next((o for o in self.w.accessible().tree() if
                                         o.role() == "list item"
                                         and o.label().startswith("c, waiting, ")), None))
        self.tap.point("a row tells when it begins and ends", "ends in" in row.label(),
                       row.label())
        self.focus("list item", row.label())
        press_keys("space", "alt+Up")
        self.launch(lambda s: s["queue"] == ["a", "c", "b"])
        self.tap.point("Alt+Up moves it", True)
        press_keys("Delete")
        self.launch(lambda s: s["queue"] == ["a", "b"])
        self.tap.point("Delete takes it out", True)
        press_keys("ctrl+z")
        self.launch(lambda s: s["queue"] == ["a", "c", "b"])
        row = self.w.until(lambda: next((o for o in self.w.accessible().tree() if o.has_focus()
                                         and o.label().startswith("c, waiting, ")), None))
        self.tap.point("Ctrl+Z puts it back, and the focus is there", row)
        press_keys("Delete")
        self.launch(lambda s: s["queue"] == ["a", "b"])
        self.undone()

    def waiting(self):
        done = subprocess.run([self.command, "queue", "--json", "--workspace", self.workspace],
                              capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def needed(self):
        """What a run needs of the machine is said beside what there is."""
        self.w.find_accessible("button", "Device, threads and memory").act()
        n = len(os.sched_getaffinity(0))
        self.tap.point("the machine's memory and threads are told",
                       self.says("free here") and self.says(f"{n} here"))
        self.write("Memory", "much")
        self.tap.point("a need that is none is told at its row", self.says("memory=much", "64M"))
        self.write("Memory", "300M")
        self.write("Threads", "2")

    def from_file(self):
        """A checkpoint file's values wait, too, and need the file no more."""
        folder = os.path.join(self.workspace, "runs", str(self.numbers()["one"]), "checkpoints")
        path = os.path.join(self.folder, "foreign.safetensors")
        shutil.copy(os.path.join(folder, max(os.listdir(folder))), path)
        self.write("Name", "d")
        self.write("Steps", "40")
        self.focus("button", "Start from")
        press_keys("space", "End", "Return")
        self.w.until(lambda: next((o for o in self.w.accessible().tree() if o.role() == "dialog"
                                   or o.label() == "Start from a checkpoint"), None))
        type_text(path)
        press_keys("Return")
        self.tap.point("which variables a checkpoint file has is told",
                       self.w.find_accessible("button", "foreign.safetensors")
                       and self.says("get a value of the checkpoint"))
        press_keys("ctrl+shift+Return")
        self.launch(lambda s: s["queue"] == ["a", "b", "d"])
        os.unlink(path)

    def read_back(self):
        """A fork is asked for as its parent was."""
        self.w.act("fork-run", GLib.Variant("(xx)", (self.numbers()["b"], 0)))
        self.w.wait(lambda s: s["settled"] and s["launch"]["from"] == ["b", 0])
        self.w.find_accessible("button", "Device, threads and memory").act()
        self.tap.point("a run made from another one needs what that one did",
                       self.w.until(lambda: self.field("Threads").text() == "2")
                       and self.field("Memory").text() == str(300 << 20),
                       self.field("Memory").text())

    def numbers(self):
        return {run["run"]: run["id"] for run in self.runs()}

    def undo_told(self):
        """Of the window's last toast: those before it are shown first, each for its seconds."""
        told = self.w.state()["told"]
        self.w.until(lambda: self.w.all_accessible("label", told))
        self.undo()

    def undo(self):
        self.w.until(lambda: next((o for o in self.w.accessible().tree() if o.role() == "button"
                                   and o.label().endswith("Undo")), None)).act()

    def undone(self):
        self.undo()
        self.launch(lambda s: s["queue"] == ["a", "c", "b"])
        self.tap.point("Undo puts it back in its place", True)
        self.w.find_accessible("button", "Begin c only after a has finished").act()
        row = self.w.find_accessible("button", "c begins only after a has finished")
        self.tap.point("a run can be told to come after the one above", row)
        row.act()
        self.w.find_accessible("button", "Begin c only after a has finished")
        self.w.find_accessible("button", "Take c out of the queue").act()
        self.launch(lambda s: s["queue"] == ["a", "b"])
        self.tap.point("a button takes it out", True)

    def restarted(self):
        self.w.quit()
        self.w = Workbench(self.program, self.project, self.workspace)
        state = self.w.wait(lambda s: s["settled"])
        self.w.until(lambda: self.w.enabled("new-run"))
        press_keys("ctrl+n")
        self.launch(lambda s: s["queue"] == ["a", "b"] and s["paused"])
        self.tap.point("the queue outlives the window, as it was", state["control"] == "idle"
                       and state["launch"]["works"])
        self.from_file()
        self.w.find_accessible("button", "Resume queue").act()
        self.launch(lambda s: not s["queue"] and not s["paused"])
        done = {run["run"]: run["state"] for run in self.runs()}
        self.tap.point("and is trained when it goes on",
                       done["a"] == done["b"] == done["d"] == "finished", done)
        said = subprocess.run([self.command, "runs", "diff", "a", "d", "--workspace",
                               self.workspace], capture_output=True, text=True, check=False)
        self.tap.point("a run that waited with a file's values began with them",
                       "foreign.safetensors" in said.stdout, said.stdout, said.stderr)
        self.read_back()

    def run(self):
        try:
            self.w = Workbench(self.program, self.project, self.workspace)
            self.w.wait(lambda s: s["settled"])
            self.first()
            self.repeated()
            self.refused()
            self.promoted()
            self.lost()
            self.sweep()
            self.finish()
            self.too_many()
            self.queued()
            self.restarted()
            self.w.quit()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, traceback.format_exc(),
                           repr(error))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:4])).run()
