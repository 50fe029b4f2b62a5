#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The memory page in the window, by keys and AT-SPI, as TAP.

usage: test-memory-window.py WORKBENCH SAMPLES [--pictures DIR]

On a display and a session bus of its own. One step is trained and looked at: bands are walked, the
cursor goes from event to event and to the peak, each is told in words. Then a run is followed, and
one that lacks memory leads to the request that was refused.
"""
import os
import shutil
import sys
import tempfile
import traceback

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, take_picture


class Session:
    def __init__(self, program, samples, pictures):
        self.program, self.pictures = program, pictures
        self.folder = tempfile.mkdtemp()
        self.samples = os.path.join(self.folder, "samples")
        shutil.copytree(samples, self.samples)
        self.tap = Tap()
        self.w = None

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def memory(self, condition):
        return self.w.wait(lambda s: s["settled"] and condition(s["memory"]))["memory"]

    def project(self, old, new):
        """Its folder, with another line in what it says."""
        folder = os.path.join(self.samples, "digits-mlp")
        path = os.path.join(folder, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert old in text
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        return folder

    def open(self, project, workspace):
        folder = os.path.join(self.folder, workspace)
        os.mkdir(folder)
        self.w = Workbench(self.program, project, folder)
        self.w.wait(lambda s: s["settled"] and s["graph"]["items"])

    # ---- one step ----

    def empty(self):
        w = self.w
        w.act("show-page", GLib.Variant("s", "memory"))
        state = w.wait(lambda s: s["page"] == "memory" and s["settled"])
        self.tap.point("before a step ran nothing is shown", state["memory"]["shows"] == "empty")
        self.tap.point("and it says what would be", w.until(lambda: any(
            "No step recorded yet" in o.label() for o in w.accessible().tree())))
        self.picture("empty")
        w.until(lambda: w.find_accessible("button", "Train one step").has_focus())
        press_keys("Return")
        state = self.memory(lambda m: m["shows"] == "step")
        self.tap.point("a step that is trained by key appears", state["step"] == 1, state)

    def sums(self):
        state = self.w.state()["memory"]
        said = state["sum"].replace("\u202f", "")
        self.tap.point("every byte of the peak has an owner",
                       said.startswith(f"{state['peak_bytes']} bytes") and "every one" in said,
                       state["sum"])
        self.tap.point("the table names the largest holder, what it is and who frees it",
                       "hidden/weights, variable, 33.0\u202fkB in 2 blocks; freed by: the session "
                       "keeps it" in state["table"], state["table"])
        self.tap.point("addresses: pool, holes and how they are cut up",
                       all(word in state["map"] for word in ("pool", "live")), state["map"])
        self.tap.point("without a selection the pane has the step",
                       state["pane"].startswith("Step 1\nmemory of CPU:0\nPeak: "), state["pane"])

    def told(self):
        w = self.w
        tree = w.find_accessible("tree", "Memory over the step")
        self.tap.point("the peak as words", w.until(lambda: tree.description().startswith("peak "))
                       and "buffers" in tree.description(), tree.description())
        item = w.find_in("Memory over the step", "tree item",
                         next(iter(self.labels("hidden/weights, variable")), ""))
        self.tap.point("a band as words", "alive all the time" in item.label(), item.label())
        strip = w.find_accessible("image", "Addresses")
        self.tap.point("the addresses as words", "pool" in strip.description(),
                       strip.description())

    def labels(self, begin):
        return self.w.until(lambda: [o.label() for tree in self.w.all_accessible(
            "tree", "Memory over the step") for o in tree.tree() if o.label().startswith(begin)])

    def keys(self):
        w = self.w
        w.until(lambda: w.find_accessible("tree", "Memory over the step").has_focus())
        press_keys("Right")
        first = self.memory(lambda m: m["band"])
        self.tap.point("Right selects a buffer, and the step stays",
                       not first["live"] and first["pane"].splitlines()[0] in first["band"], first)
        press_keys("Right")
        self.memory(lambda m: m["band"] not in ("", first["band"]))
        press_keys("Left")
        self.tap.point("Left goes back", self.memory(lambda m: m["band"] == first["band"]))
        press_keys("Up")
        self.memory(lambda m: m["band"] not in ("", first["band"]))
        press_keys("Down")
        self.tap.point("Up and Down walk the stack",
                       self.memory(lambda m: m["band"] == first["band"]))
        press_keys("p")
        peak = self.memory(lambda m: m["cursor"] == m["peak"])
        press_keys("period")
        self.tap.point("period: the event after the peak",
                       self.memory(lambda m: m["cursor"] == peak["peak"] + 1))
        press_keys("comma", "comma")
        self.tap.point("comma: the one before",
                       self.memory(lambda m: m["cursor"] == peak["peak"] - 1))
        press_keys("plus")
        near = self.memory(lambda m: m["length"] < peak["length"])
        press_keys("minus")
        self.memory(lambda m: m["length"] > near["length"])
        press_keys("plus", "plus", "f")
        self.tap.point("+ and - zoom, f shows the whole step",
                       self.memory(lambda m: m["length"] == peak["length"]))
        press_keys("Escape")
        self.tap.point("Escape: nothing selected", self.memory(lambda m: m["band"] == ""))

    def joined(self):
        w = self.w
        row = w.until(lambda: next((o for o in w.accessible().tree() if o.role() == "list item"
                                    and o.label().startswith("hidden/relu, activation")), None))
        w.walk_to(row.has_focus)
        press_keys("space")
        state = w.wait(lambda s: s["memory"]["band"].startswith("hidden/relu, activation"))
        self.tap.point("a row of the table selects its band", state)
        self.picture("selected")
        w.act("show-page", GLib.Variant("s", "graph"))
        state = w.wait(lambda s: s["page"] == "graph" and "relu" in s["inspector"])
        self.tap.point("what is selected is so in the graph", "hidden/relu" in state["inspector"],
                       state["inspector"])

    # ---- a run ----

    def unseen(self):
        w = self.w
        n = w.state()["memory"]["n_tapes"]
        for step in (2, 3):
            w.act("step")
            w.wait(lambda s, step=step: s["step"] == step and s["control"] == "paused")
        self.tap.point("while nobody sees the page nothing is recorded",
                       w.state()["memory"]["n_tapes"] == n)

    def live(self):
        w = self.w
        w.act("show-page", GLib.Variant("s", "memory"))
        w.wait(lambda s: s["page"] == "memory")
        w.until(lambda: w.find_accessible("tree", "Memory over the step").has_focus())
        press_keys("Escape", "l")
        self.memory(lambda m: m["live"] and m["band"] == "")
        w.act("start")
        seen = w.wait(lambda s: s["memory"]["step"] > 3)["memory"]["step"]
        later = w.wait(lambda s: s["memory"]["step"] > seen)["memory"]
        self.tap.point("a run is followed", later["live"], later)
        self.tap.point("what grows is looked for in several steps", w.wait(
            lambda s: "Nothing did in " in s["memory"]["pane"]))
        press_keys("Right")
        stands = w.wait(lambda s: not s["memory"]["live"])["memory"]["step"]
        at = w.state()["step"]
        w.wait(lambda s: s["step"] > at + 200)
        self.tap.point("whoever looks at a buffer keeps its step",
                       w.state()["memory"]["step"] == stands)
        press_keys("bracketleft")
        before = w.wait(lambda s: s["memory"]["step"] < stands)
        self.tap.point("[ goes to the recorded step before", before)
        press_keys("bracketright")
        self.tap.point("] to the next", w.wait(lambda s: s["memory"]["step"] == stands))
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")

    # ---- what to do ----

    def ticks(self):
        return [o for o in self.w.accessible().tree() if o.role() == "checkbox"
                and ": recompute" in o.label()]

    def figure(self, text, what):
        """Of "7.9 MB at the most …": the number, in MB."""
        before = text.split(" at the most")[0].split(what)[-1].replace("\u202f", " ").split()
        return float(before[-2].replace(",", ".")) * {"kB": 1e-3, "MB": 1}[before[-1]]

    def fitted(self):
        self.open(os.path.join(self.samples, "word2vec"), "fitted")
        w = self.w
        w.act("show-page", GLib.Variant("s", "memory"))
        w.act("step")
        self.memory(lambda m: m["shows"] == "step" and m["fit"].startswith("Tick what"))
        w.act("step")
        w.wait(lambda s: s["step"] == 2 and s["control"] == "paused")
        w.until(self.ticks)
        self.tap.point("holders at the peak that can be computed again say so", self.ticks())
        peak = self.memory(lambda m: m["peak_bytes"])["peak_bytes"] / 1e6
        w.walk_to(self.ticks()[0].has_focus)
        press_keys("space")
        one = self.memory(lambda m: m["fit"].startswith("With 1 ticked"))["fit"]
        self.tap.point("ticked: the peak that is predicted is lower",
                       self.figure(one, "ticked:") < peak, (one, peak))
        self.picture("ticked")
        w.find_accessible("button", "Apply and measure").act()
        self.memory(lambda m: m["fit"].startswith("Applied; predicted"))
        press_keys("u")
        self.memory(lambda m: m["fit"].startswith("With 1 ticked"))
        press_keys("a")
        self.memory(lambda m: m["fit"].startswith("Applied; predicted"))
        w.act("start")
        said = self.memory(lambda m: "; measured: " in m["fit"])
        text = said["fit"]
        self.picture("applied")
        self.tap.point("applied to the run: the measured peak is what was predicted",
                       self.figure(text, "measured:") < 1.02 * self.figure(text, "predicted:"),
                       text)
        w.find_accessible("button", "Take back").act()
        self.tap.point("and taken back", self.memory(lambda m: m["fit"].startswith("With 1")))
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")

    # ---- too little ----

    def lacking(self):
        project = self.project("[train]\n", "[train]\ndevice=SIM:0\n"
                               "device-options=memory=100000\n")
        self.open(project, "tight")
        w = self.w
        w.act("start")
        w.wait(lambda s: s["failure"])
        w.find_accessible("button", "Show the memory").act()
        state = w.wait(lambda s: s["page"] == "memory" and s["memory"]["shows"] == "step")
        memory = state["memory"]
        self.picture("refused")
        self.tap.point("a run that lacks memory leads to the request that was refused",
                       memory["device"] == "SIM:0"
                       and memory["refusal"].startswith("SIM:0 had no 32.8\u202fkB for ")
                       and "would have done" in memory["refusal"], memory["refusal"])
        self.tap.point("and to what no decision would have changed",
                       "a step holds " in memory["refusal"], memory["refusal"])
        self.tap.point("with all that was in use then", "every one has an owner" in memory["sum"]
                       and "hidden/weights/Adam, optimiser" in memory["table"], memory["table"])

    def run(self):
        self.open(self.project("steps=10000\n", "steps=100000000\n"), "plain")
        for part in (self.empty, self.sums, self.told, self.keys, self.joined, self.unseen,
                     self.live):
            part()
        self.w.quit()
        self.fitted()
        self.w.quit()
        self.lacking()
        self.w.quit()


def main(arguments):
    pictures = None
    if "--pictures" in arguments:
        at = arguments.index("--pictures")
        pictures = arguments[at + 1]
        del arguments[at:at + 2]
    session = Session(arguments[0], arguments[1], pictures)
    try:
        session.run()
    except Exception:
        session.tap.point("to the end", False, traceback.format_exc(),
                          session.w.state() if session.w and session.w.process.poll() is None
                          else "")
        if session.w and session.w.process.poll() is None:
            session.w.process.kill()
    shutil.rmtree(session.folder, ignore_errors=True)
    session.tap.end()


main(sys.argv[1:])
