#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The timeline of a run by keys, by pointer and by what assistive technology meets, as TAP.

usage: test-timeline-window.py WORKBENCH SAMPLES [--pictures DIR]

On a display and a session bus of its own.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, take_picture, type_text


def rows(sums):
    """Of the table: name -> count."""
    cells = [line.split("\t") for line in sums.splitlines()]
    return {row[0]: int(row[1].replace("\u202f", "")) for row in cells}


class Session:
    def __init__(self, program, samples, pictures):
        self.program, self.samples, self.pictures = program, samples, pictures
        self.tap = Tap()
        self.folder = tempfile.mkdtemp()
        self.w = None

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def state(self):
        return self.w.state()["timeline"]

    def wait(self, condition):
        return self.w.wait(lambda s: condition(s["timeline"]))["timeline"]

    def press(self, key, said, condition):
        press_keys(key)
        try:
            self.wait(condition)
            self.tap.point(f"{key}: {said}", True)
        except RuntimeError as error:
            self.tap.point(f"{key}: {said}", False, error, str(self.state())[:600])

    # ---- a run at work ----

    def follows(self):
        press_keys("alt+4")
        self.w.wait(lambda s: s["page"] == "timeline" and s["settled"])
        button = self.w.find_accessible("button", "Start training")
        self.tap.point("before a run the page says what will be here, and begins one",
                       button.place()[2] > 0 and self.state()["n_steps"] == 0)
        button.act()
        first = self.wait(lambda t: t["n_steps"] > 0 and t["step"] > 3)
        then = self.wait(lambda t: t["step"] > first["step"] + 20)
        self.tap.point("while the run is under way the newest step is shown", then["live"])
        self.tap.point("of which the whole is in sight",
                       then["from"] == then["begin"] and then["to"] == then["end"], then)
        press_keys("Left")
        stands = self.wait(lambda t: not t["live"] and t["n_path"] > 0)
        at = self.w.state()["step"]
        self.w.wait(lambda s: s["step"] > at + 200 or s["control"] == "idle")
        now = self.state()
        self.tap.point("Left: it stands while the run goes on",
                       now["step"] == stands["step"] and now["from"] == now["begin"],
                       stands, now)  # what of it came late, makes it longer
        press_keys("l")
        self.wait(lambda t: t["live"] and t["step"] > stands["step"])
        self.tap.point("l: it follows again", True)
        self.w.act("pause")
        self.w.wait(lambda s: s["control"] == "paused")
        steps = self.wait(lambda t: t["n_path"] > 0 and t["n_steps"] > 20)
        self.tap.point("no more than 200 steps are kept", steps["n_steps"] <= 200, steps)
        self.tap.point("four devices have lanes", steps["n_lanes"] >= 4, steps)
        self.tap.point("why they did nothing is known", steps["n_gaps"] > 0, steps)

    # ---- memory under the lanes ----

    def memory(self):
        def is_aligned(t):
            return t["memory_from"] == t["from"] and t["memory_to"] == t["to"]
        shown = self.wait(lambda t: t["has_lower"])
        self.tap.point("what memory held stands under the lanes", "memory" in shown["lower_title"]
                       and "peak" in shown["lower_words"], shown)
        self.tap.point("on their axis", is_aligned(shown), shown)
        self.press("w", "both come closer",
                   lambda t: is_aligned(t) and t["to"] - t["from"] < shown["to"] - shown["from"])
        press_keys("f")
        self.wait(lambda t: t["from"] == t["begin"] and is_aligned(t))
        tree = self.w.find_accessible("tree", "Memory over the step").tree()
        bands = [item for item in tree if "alive from" in item.label()]
        self.tap.point("each buffer is told of", len(bands) > 4, len(bands))
        name = bands[0].label().split(",")[0]
        bands[0].act()
        held = self.wait(lambda t: t["band"].startswith(name))
        self.tap.point("one that is chosen selects who made it, and that says what it holds",
                       "Holds: " in held["span"] and held["node"] != "", held)
        press_keys("Escape")
        self.wait(lambda t: t["node"] == "" and t["band"] == "")
        self.press("b", "something else stands there", lambda t: t["lower"] != "memory")
        while self.state()["lower"] != "memory":
            press_keys("b")
            self.w.wait(lambda s: s["settled"])
        self.wait(lambda t: t["has_lower"])

    # ---- two steps ----

    def compares(self):
        first = self.state()["step"]
        self.press("c", "a step is kept to compare others with",
                   lambda t: t["lower"] == "compare" and t["other"] == first)
        press_keys("Left", "Left")
        two = self.wait(lambda t: t["step"] == first - 2 and t["differences"]
                        and str(first - 2) in t["lower_words"])
        rows = [row.split("\t") for row in two["differences"].splitlines()]
        self.tap.point("another one is compared with it, node by node", len(rows) > 20 and all(
            len(row) == 5 for row in rows), rows[:3])
        self.tap.point("and one sentence says what differs most",
                       rows[0][0] in two["lower_words"] and "(B)" in two["lower_words"],
                       two["lower_words"])
        bars = self.w.find_accessible("slider", "Steps").place()
        at = [str(bars[0] + 150), str(bars[1] + bars[3] - 8)]
        subprocess.run(["xdotool", "mousemove", *at, "keydown", "ctrl", "click", "1",
                        "keyup", "ctrl"], check=True)
        other = self.wait(lambda t: t["other"] not in (0, first))
        self.tap.point("a click with Ctrl takes another one for it, and the step stays",
                       other["step"] == first - 2, other)
        self.wait(lambda t: str(other["other"]) in t["lower_words"])
        press_keys("Right", "Right")
        self.wait(lambda t: t["step"] == first)
        press_keys("c", "c")
        self.wait(lambda t: t["other"] == 0 and not t["has_lower"])
        self.tap.point("c twice: none is", True)
        lanes = self.w.find_accessible("tree", "Lanes").place()  # the keyboard goes back there
        subprocess.run(["xdotool", "mousemove", str(lanes[0] + 60), str(lanes[1] + 60),
                        "click", "1"], check=True)
        while self.state()["lower"] != "memory":
            press_keys("b")
            self.w.wait(lambda s: s["settled"])

    # ---- nodes by steps ----

    def heat(self):
        self.press("h", "every node in every step is shown",
                   lambda t: t["lower"] == "heat" and t["n_heat"] > 50 and t["has_lower"])
        by_time = self.state()["heat_by_time"]
        self.press("h", "by the median, or by time", lambda t: t["heat_by_time"] != by_time)
        rows = [row for row in self.w.find_accessible("tree", "Nodes by steps").tree()
                if row.role() == "tree item"]
        told = re.match(r"(\S+): .* most .* in step ([\d\u202f]+)$", rows[1].label())
        self.tap.point("a row is told of", told is not None, rows[1].label())
        step = int(told[2].replace("\u202f", ""))
        rows[1].act()
        self.tap.point("and shows the step in which its node took longest", self.wait(
            lambda t: t["node"] == told[1] and t["step"] == step), self.state())
        press_keys("Escape")
        self.wait(lambda t: t["node"] == "")
        while self.state()["lower"] != "memory":
            press_keys("b")
            self.w.wait(lambda s: s["settled"])

    # ---- notes ----

    def notes(self):
        def list_notes():
            return [path for path, _, names in os.walk(os.path.join(self.folder, "runs"))
                    if "notes.json" in names]
        press_keys("shift+n")
        self.w.until(self.w.find_accessible("text box", "Note").has_focus)
        type_text("why so slow")
        press_keys("Return")
        shown = self.wait(lambda t: t["n_notes"] == 1 and t["lower"] == "notes")
        self.tap.point("shift+n: a note is written", shown["has_lower"], shown)
        files = list_notes()
        with open(os.path.join(files[0], "notes.json"), encoding="utf-8") as file:
            kept = json.load(file)
        self.tap.point("and kept with the run, by its step", kept[0]["text"] == "why so slow"
                       and kept[0]["step"] == shown["step"], kept)
        self.w.find_accessible("button", "Remove the note").act()
        self.wait(lambda t: t["n_notes"] == 0)
        self.tap.point("it is taken away, and nothing is left of it", not list_notes())
        while self.state()["lower"] != "memory":
            press_keys("b")
            self.w.wait(lambda s: s["settled"])
        lanes = self.w.find_accessible("tree", "Lanes").place()
        subprocess.run(["xdotool", "mousemove", str(lanes[0] + 60), str(lanes[1] + 60),
                        "click", "1"], check=True)

    # ---- keys ----

    def moves(self):
        def width(t):
            return t["to"] - t["from"]
        whole = self.state()
        self.press("w", "comes closer", lambda t: width(t) < width(whole))
        near = self.state()
        self.press("d", "goes to later times", lambda t: t["from"] > near["from"]
                   and width(t) == width(near))
        later = self.state()
        self.press("a", "goes to earlier ones", lambda t: t["from"] < later["from"])
        self.press("s", "goes away", lambda t: width(t) > width(near))
        press_keys("w")
        self.wait(lambda t: width(t) < width(whole))
        self.press("f", "shows the step", lambda t: t["from"] == t["begin"] and t["to"] == t["end"])
        self.press("f", "then all steps", lambda t: width(t) > 5 * width(whole))
        press_keys("f")
        step = self.wait(lambda t: t["to"] == t["end"])["step"]
        self.press("Left", "shows the step before", lambda t: t["step"] < step)
        step = self.state()["step"]
        self.press("Right", "the next one", lambda t: t["step"] > step)
        step = self.state()["step"]
        self.press("n", "the next slow one", lambda t: t["slow"] and t["step"] != step)
        self.press("m", "sets a mark", lambda t: t["n_marks"] == 1)
        self.press("m", "takes it away", lambda t: t["n_marks"] == 0)
        press_keys("question")
        keys = self.w.until(lambda: next((o for o in self.w.accessible().tree()
                                          if "Next on the lane" in o.label()), None))
        self.tap.point("question: shows the keys", keys is not None)
        press_keys("Escape")
        lanes = self.w.find_accessible("tree", "Lanes")
        self.w.until(lanes.has_focus)

    def spans(self):
        self.press("period", "selects the first one in sight", lambda t: t["node"])
        first = self.state()["node"]
        self.press("period", "then the next on the lane", lambda t: t["node"] != first)
        self.press("comma", "and back", lambda t: t["node"] == first)
        def lane(t):
            return t["span"].splitlines()[1].split(" · ")[-2:]
        first = lane(self.state())
        for _ in range(3):  # what overlaps has several rows on its lane
            press_keys("Down")
        self.tap.point("Down: goes to the lanes below", self.wait(lambda t: lane(t) != first))
        for _ in range(3):
            press_keys("Up")
        self.tap.point("Up: goes up again", self.wait(lambda t: lane(t) == first))
        self.w.act("select", GLib.Variant("s", "tower0/logits/matmul"))
        self.wait(lambda t: t["node"] == "tower0/logits/matmul")
        self.w.act("show-page", GLib.Variant("s", "timeline"))
        text = self.wait(lambda t: t["span"].startswith("tower0/logits/matmul\nMatMul · CPU:0"))
        self.tap.point("what is selected in the graph is so here", True)
        wanted = re.search(r"Read by: (\S+)", text["span"])[1]
        self.press("bracketright", "goes to who reads it", lambda t: t["node"] == wanted)
        self.tap.point("the graph has it, too", self.w.wait(
            lambda s: s["graph"]["selection"] == wanted))
        before = re.search(r"Waited for: (\S+)", self.state()["span"])[1]
        self.press("bracketleft", "goes to what it waited for", lambda t: t["node"] == before)
        self.press("f", "shows all of it", lambda t: t["to"] - t["from"] < t["end"] - t["begin"])
        span = self.state()["span"]
        self.tap.point("its times, slack and history are told",
                       all(re.search(what, span, re.M) for what in (
                           r"^Started: \d", r"^Ended: \d", r"^Took: \d", r"^Slack: \d",
                           r"^Median · 95 %: \d")), span)

    def sums(self):
        name = self.state()["node"]
        self.press("r", "sums up the time of the selection", lambda t: name in rows(t["sums"]))
        self.picture("timeline-sums")
        self.press("Escape", "closes the table", lambda t: not t["sums"] and t["node"])
        self.press("Escape", "selects nothing", lambda t: not t["node"] and not t["span"])
        press_keys("f")
        self.wait(lambda t: t["to"] == t["end"])
        press_keys("f", "r")
        sums = self.wait(lambda t: t["sums"])
        counts = rows(sums["sums"])
        self.tap.point("each step is there whole",
                       all(counts[f"tower{i}/gradients/tower{i}/conv2/relu_grad/ReluGrad"]
                           == sums["n_steps"] for i in range(4)), sums["n_steps"], counts)
        self.tap.point("of all steps every span is counted",
                       sum(rows(sums["sums"]).values()) == sums["n_spans"],
                       sum(rows(sums["sums"]).values()), sums["n_spans"])
        self.wait(lambda t: t["below"] > 20)
        self.press("Page_Down", "goes down to other lanes", lambda t: t["top"] > 0)
        self.press("Page_Up", "and up", lambda t: t["top"] == 0)
        press_keys("Escape")
        self.wait(lambda t: not t["sums"])
        press_keys("f")
        self.wait(lambda t: t["to"] == t["end"])

    # ---- what is told, and the pointer ----

    def find(self, pattern):
        lanes = self.w.find_accessible("tree", "Lanes")
        return self.w.until(lambda: next((o for o in lanes.tree() if o.role() == "tree item"
                                          and re.match(pattern, o.label())
                                          and o.place()[2] > 8), None))

    def words(self):
        while self.state()["slow"]:  # of a usual step spans are wide; most are usual
            step = self.state()["step"]
            press_keys("Left")  # it may be the last one
            self.wait(lambda t, step=step: t["step"] < step)
        for said, pattern in (
                ("a lane", r"lane 0 of CPU:1, \d+\u202f% busy, [\d\u202f]+ spans$"),
                ("a span", r"tower\d/\S+: \w+, from [\d.]+\u202f[mµ]s, took [\d.]+\u202f[mµ]s"),
                ("why a lane is idle", r"lane \d of CPU:\d idle: .+, from .+, for .+")):
            self.tap.point(f"{said} is told in words", self.find(pattern))

    def pointer(self):
        def mouse(*words):
            subprocess.run(["xdotool", *words], check=True)

        def click():
            """Of a wide span; where they are is told a moment after the step has changed."""
            span = self.find(r"tower\d/conv\d/relu: ")
            name = span.label().split(":")[0]
            x, y, width, height = span.place()
            at = [str(x + width // 2), str(y + height // 2)]
            mouse("mousemove", *at, "click", "1")
            return at if self.state()["node"] == name else None
        at = self.w.until(click, longest=1)
        self.tap.point("a click selects", True)
        lanes = self.w.find_accessible("tree", "Lanes").place()
        mouse("mousemove", str(lanes[0] + 60), str(lanes[1] + 60), "click", "1")
        self.wait(lambda t: not t["node"])
        self.tap.point("a click beside all spans selects none", True)
        wide = self.state()  # and what follows is no third click

        def double():
            """On a busy machine the second click may come too late for one. Clicks come by another
            way than the question: what they have done is asked for some time."""
            mouse("mousemove", *at, "click", "1", "click", "1")
            for _ in range(1000):
                state = self.state()
                if state["to"] - state["from"] < (wide["to"] - wide["from"]) / 2:
                    return state
            return None
        near = self.w.until(double, longest=1)
        self.tap.point("a double click shows all of a span", near["node"], near)
        mouse("keydown", "ctrl", "click", "5", "click", "5", "keyup", "ctrl")
        self.tap.point("the wheel with Ctrl goes away", self.wait(
            lambda t: t["to"] - t["from"] > near["to"] - near["from"]))
        before = self.state()
        mouse("mousedown", "2", "mousemove_relative", "--sync", "--", "-60", "0", "mouseup", "2")
        self.tap.point("the middle button moves the time", self.wait(
            lambda t: t["from"] > before["from"]))
        mouse("mousedown", "1", "mousemove_relative", "--sync", "--", "80", "10", "mouseup", "1")
        self.tap.point("a drag sums up an area", self.wait(lambda t: t["sums"]))
        press_keys("Escape", "Escape")
        self.wait(lambda t: not t["sums"] and not t["node"])

    def search(self):
        press_keys("ctrl+f")
        type_text("tower2/conv1/relu")
        self.w.wait(lambda s: "found" in s["found"])
        press_keys("Return")
        self.wait(lambda t: t["node"].startswith("tower2/conv1/relu"))
        self.tap.point("the search finds nodes here", self.w.state()["page"] == "timeline")
        press_keys("Escape")

    def files(self):
        path = os.path.join(self.folder, "trace.json")
        events = [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 5}
                  for name, at in (("load", 0), ("parse", 5), ("load", 20))]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        before = self.state()["n_spans"]
        self.w.act("open-trace-file", GLib.Variant("s", path))
        shown = self.wait(lambda t: "trace.json" in t["file"])
        self.tap.point("a trace of another program is shown", shown["n_spans"] == 3
                       and shown["to"] - shown["from"] == 25000, shown)
        press_keys("r")
        sums = self.wait(lambda t: t["sums"])["sums"]
        self.tap.point("and summed up", rows(sums) == {"load": 2, "parse": 1}, sums)
        with open(path, "w", encoding="utf-8") as file:
            file.write("no trace")
        self.w.act("open-trace-file", GLib.Variant("s", path))
        told = self.wait(lambda t: "is not shown" in t["file"])
        self.tap.point("what is none says so, and what was there stays", told["n_spans"] == 3, told)
        press_keys("l")
        self.wait(lambda t: not t["file"] and t["n_spans"] == before)
        self.tap.point("l: back to the run", True)

    def moment(self):
        """The end of the run was kept, as a notification's button opens it."""
        press_keys("c")
        kept = self.wait(lambda t: t["other"] != 0)["other"]
        run = self.w.state()
        self.w.act("show-page", GLib.Variant("s", "charts"))
        self.w.act("show-moment", GLib.Variant("(sx)", (run["front"], run["step"] - 2)))
        self.press("w", "a moment of the past is in front, at its step",
                   lambda t: ".sltrace" in t["file"] and t["step"] == run["step"] - 2
                   and t["n_steps"] > 2)
        self.tap.point("on the page of it", self.w.state()["page"] == "timeline")
        shown = f"{run['step'] - 2} (A)"
        both = self.wait(lambda t: t["differences"] and shown in t["lower_words"])
        self.tap.point("a step of the kept trace is compared with one of the run",
                       f"{kept} (B)" in both["lower_words"] and both["other"] == kept, both)

    # Sentences, the worst first; Return goes to what one is about.
    def report(self):
        press_keys("Escape")
        self.wait(lambda t: not t["node"])
        press_keys("y")
        lines = self.wait(lambda t: t["report"])["report"].splitlines()
        self.tap.point("y: says what makes steps slow, in figures",
                       all(re.search(r"\d", line) for line in lines), lines)
        self.w.wait(lambda s: s["settled"])
        self.picture("timeline-report")
        heard = self.w.until(lambda: next((o for o in self.w.accessible().tree()
                                           if lines[0].split("\t")[1] in o.label()), None))
        self.tap.point("a row says it all", lines[0].split("\t")[2] in heard.label())
        kinds = [line.split("\t")[0] for line in lines]
        place = next(i for i, kind in enumerate(kinds)
                     if kind not in ("input", "host", "leak", "late-free", "fragmentation"))
        self.w.until(heard.has_focus)
        for _ in range(place):
            press_keys("Down")
        self.press("Return", "goes to its evidence",
                   lambda t: t["node"] and t["node"] in lines[place] or t["from"] != t["begin"])
        self.press("y", "closes it", lambda t: not t["report"])

    def run(self):
        try:
            shutil.copytree(self.samples, os.path.join(self.folder, "samples"))
            self.w = Workbench(self.program, os.path.join(self.folder, "samples", "towers"),
                               os.path.join(self.folder, "runs"), height=640)
            self.w.wait(lambda s: s["settled"])
            self.follows()
            self.memory()
            self.compares()
            self.heat()
            self.notes()
            self.moves()
            self.spans()
            self.sums()
            self.words()
            self.pointer()
            self.search()
            self.report()
            self.files()
            self.picture("timeline")
            self.w.act("stop")
            self.w.wait(lambda s: s["control"] == "idle")
            self.moment()
            self.tap.point("the program ends well", self.w.quit() == 0)
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error),
                           self.state() if self.w.process.poll() is None else "")
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    pictures = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
    Session(*map(os.path.abspath, sys.argv[1:3]), pictures).run()
