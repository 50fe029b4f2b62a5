#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Where nodes stand, on the graph, as TAP.

usage: test-place-window.py WORKBENCH SAMPLES [--pictures DIR]

On a display and a session bus of its own. The four towers: why a node stands where it does, what
would be if it stood elsewhere, a tower put on another device by the keys and by the pointer, and a
run that goes on with it.
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
from workbench import Workbench, press_keys, take_picture

LAB = {"devices": [{"name": "CPU:0"}]
       + [{"name": f"GPU:{i}", "gflops": 9000, "gbps": 700, "memory": 8e9} for i in range(4)],
       "links": [{"from": "CPU:0", "to": f"GPU:{i}", "latency_us": 8, "gbps": 12}
                 for i in range(4)]
       + [{"from": f"GPU:{i}", "to": f"GPU:{k}", "latency_us": 5, "gbps": 25}
          for i in range(4) for k in range(i)]}
CHANGE = re.compile(r"[+−][\d.]+\s(µs|ms|s) \([+-]\d+\s%\) · peak [+−].* · links [+−]")


def xdotool(*arguments):
    subprocess.run(["xdotool", *map(str, arguments)], check=True)


class Session:
    def __init__(self, program, samples, pictures):
        self.program, self.pictures = program, pictures
        self.folder = tempfile.mkdtemp()
        self.samples = os.path.join(self.folder, "samples")
        shutil.copytree(samples, self.samples)
        project = os.path.join(self.samples, "towers")
        ini = os.path.join(project, "project.ini")
        with open(ini, encoding="utf-8") as file:
            text = file.read().replace("steps=1500", "steps=1000000")
        with open(ini, "w", encoding="utf-8") as file:
            file.write(text)
        self.project = project
        self.tap = Tap()
        self.w = None

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def text(self, *arguments):
        return GLib.Variant("(" + "s" * len(arguments) + ")", arguments) \
            if len(arguments) > 1 else GLib.Variant("s", arguments[0])

    def tile(self, device):
        """The button of a device."""
        return self.w.until(lambda: next((
            o for o in self.w.accessible().tree()
            if o.label().startswith(device + ": ") and o.place()[2] > 0), None))

    def asked(self, node):
        """What it asks for, as the inspector has it."""
        self.w.act("select", self.text(node))
        text = self.w.wait(lambda s: s["inspector"].startswith(node + "\n"))["inspector"]
        found = re.search(r"^Device asked for: (.*)$", text, re.M)
        return found.group(1) if found else None

    def changed(self, device):
        """What would be there."""
        return self.w.until(lambda: next(
            (word for word in [self.tile(device).description()] if CHANGE.search(word)), None))

    # ---- why it stands there ----

    def why(self):
        w = self.w
        w.wait(lambda s: s["settled"] and s["graph"]["items"])
        w.act("select", self.text("tower2/fc1/matmul"))
        text = w.wait(lambda s: "Predicted: " in s["inspector"])["inspector"]
        self.tap.point("the inspector says what ties a node to its device",
                       "[asks for /device:CPU:2]" in text, text)
        self.tap.point("and what it is predicted to take",
                       re.search(r"^Predicted: [\d.]+", text, re.M), text)
        self.tap.point("each device says why it cannot have it, the one that has it when it ends",
                       text.count("it asks for another") == 3
                       and re.search(r"^CPU:2: [\d.]+.* ✓$", text, re.M), text)
        self.picture("place-why")

    # ---- by the keys ----

    def keys(self):
        w = self.w
        w.act("select", self.text("tower3"))
        w.wait(lambda s: s["inspector"].startswith("tower3\n"))
        press_keys("ctrl+shift+p")
        self.tile("CPU:3")
        self.picture("place-bar")
        w.until(lambda: self.tile("CPU:3").has_focus())
        self.tap.point("the key shows the devices, with the keyboard where it stands", True)
        press_keys("Left")
        w.until(lambda: self.tile("CPU:2").has_focus())
        words = self.changed("CPU:2")
        self.picture("place-tried")
        self.tap.point("a device tells what would be", True, words)
        press_keys("Return")
        state = w.wait(lambda s: "On /device:CPU:2, as predicted" in s["told"])
        self.tap.point("Return puts it there, as predicted",
                       words.split(" · ")[0] in state["told"], state["told"], words)
        self.tap.point("its nodes ask for it", self.asked("tower3/fc1/matmul") == "/device:CPU:2")
        w.act("undo-command")
        w.until(lambda: self.asked("tower3/fc1/matmul") == "/device:CPU:3")
        self.tap.point("one step takes it back", True)

    # ---- in colours ----

    def colors(self):
        w = self.w
        labels = lambda: [o.label() for o in w.accessible().tree()
                          if o.role() == "label" and o.place()[2] > 0]
        scale = next(o for o in w.accessible().tree() if o.role() == "slider"
                     and o.label() == "The decisions, one after the other")
        w.walk_to(scale.has_focus)
        press_keys("Home")
        self.tap.point("no decision is made yet", w.until(
            lambda: any(label.startswith("0 of ") for label in labels())))
        press_keys(*["Page_Up"] * 5)
        text = w.until(lambda: next((label for label in labels() if re.match(
            r"\d+ of \d+: \S+ on CPU:\d \(as asked\)", label)), None))
        shown = w.until(lambda: next((label for label in labels() if "not decided" in label),
                                     None))
        self.picture("place-scrubbed")
        self.tap.point("the decisions up to one are coloured, and it is told", True, text, shown)
        for way, words in (("margin", "nowhere else · "), ("reason", "explicit · ")):
            for _ in range(12):
                if w.act("graph", self.text("color-next")) or any(words in o for o in labels()):
                    break
            self.tap.point(f"colours by {way} have a legend", any(words in o for o in labels()),
                           labels())
            self.picture("place-" + way)

    # ---- a machine that is not here ----

    def elsewhere(self):
        w = self.w
        path = os.path.join(self.folder, "lab.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(LAB, file)
        w.act("predict-machine", self.text(path))
        self.tile("GPU:3")
        says = w.until(lambda: next((o.label() for o in w.accessible().tree()
                                     if "“lab.json”, not here: " in o.label()), None))
        self.picture("place-elsewhere")
        self.tap.point("devices of a file are predicted, and that is said", True, says)
        text = w.wait(lambda s: "not of this machine" in s["inspector"])["inspector"]
        self.tap.point("by the inspector, too", "GPU:0: " in text, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"devices": [{"name": "CPU:0", "gbps": 0}]}')
        w.act("predict-machine", self.text(""))
        self.tile("CPU:3")
        w.act("predict-machine", self.text(path))
        self.tap.point("a file that is wrong is told, with what is wrong in it", w.until(
            lambda: next((o.label() for o in w.accessible().tree() if o.place()[2] > 0
                          and "lab.json" in o.label() and "gbps" in o.label()), None)))
        w.act("predict-machine", self.text(""))
        self.tile("CPU:3")

    # ---- by the pointer ----

    def item(self, name):
        return next(i for i in self.w.state()["graph"]["items"] if i["name"] == name)

    def at(self, name):
        """The middle of a box, on the display."""
        w = self.w
        left, top = w.until(lambda: next((place for place in (
            o.place() for o in w.all_accessible("tree", "Graph")) if place[2] > 0), None))[:2]
        item = self.item(name)
        return (round(left + item["x"] + item["width"] / 2),
                round(top + item["y"] + item["height"] / 2))

    def pointer(self):
        w = self.w
        w.act("graph", self.text("close-all"))
        w.wait(lambda s: not s["graph"]["open"] and not s["graph"]["busy"])
        w.act("select", self.text("tower3"))
        w.wait(lambda s: s["inspector"].startswith("tower3\n") and not s["graph"]["busy"])
        before = self.item("tower3")
        start = self.at("tower3")
        x, y, width, height = self.tile("CPU:1").place()
        end = x + width // 2, y + height // 2
        xdotool("mousemove", *start, "mousedown", 1)
        for part in range(1, 9):
            xdotool("mousemove", *(round(a + (b - a) * part / 8) for a, b in zip(start, end)))
        words = self.changed("CPU:1")
        self.picture("place-dragged")
        self.tap.point("a device over which a scope is dragged tells it", True, words)
        xdotool("mouseup", 1)
        state = w.wait(lambda s: "On /device:CPU:1, as predicted" in s["told"])
        self.tap.point("its box stays where it was",
                       [before[k] for k in "xy"] == [self.item("tower3")[k] for k in "xy"],
                       before, self.item("tower3"))
        self.tap.point("dropped, it is put there, as predicted",
                       words.split(" · ")[0] in state["told"], state["told"], words)
        self.tap.point("its nodes ask for it", self.asked("tower3/fc1/matmul") == "/device:CPU:1")

    # ---- a run under way ----

    def goes_on(self):
        w = self.w
        w.act("start")
        w.wait(lambda s: s["control"] == "running" and s["step"] > 20)
        w.act("put-on", self.text("tower3/", "/device:CPU:3"))
        state = w.wait(lambda s: ", measured " in s["told"])
        self.tap.point("a run goes on with it, and is measured beside what was predicted",
                       re.search(r"Predicted [\d.]+\s\w+ a step, measured [\d.]+( ± [\d.]+)?\s\w+: "
                                 r"\d+\s% (late|early)", state["told"]), state["told"])
        self.picture("place-measured")
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")

    def carry(self):
        """The longest dashed bar of CPU:3, up to the lane of CPU:0: rows are 40 units high."""
        w = self.w
        tree = w.find_accessible("tree", "Predicted lanes")
        before = w.state()["n_undo"]
        bars = w.until(lambda: [(o.place(), o.label()) for o in tree.tree()
                                if o.label().startswith("tower3/") and o.place()[2] > 0])
        (x, y, width, height), bar = max(bars, key=lambda b: b[0][2])
        x, y = x + width // 2, y + height // 2
        xdotool("mousemove", x, y, "keydown", "ctrl", "mousedown", 1)
        for part in range(1, 9):
            xdotool("mousemove", x + part, y - 15 * part)
        w.wait(lambda s: s["timeline"]["lower_words"].startswith(
            "On /device:CPU:0, as predicted: "))
        self.picture("place-carried")
        self.tap.point("a bar that is carried to another device tells what would be", bar, bar)
        xdotool("mouseup", 1, "keyup", "ctrl")
        self.tap.point("dropped there, its node is put on it", w.wait(
            lambda s: s["n_undo"] == before + 1 and "On /device:CPU:0" in s["told"]))

    def timeline(self):
        w = self.w
        w.act("show-page", self.text("timeline"))
        w.wait(lambda s: s["page"] == "timeline" and s["timeline"]["lower"] == "memory")
        for mode in ("compare", "heat", "predicted"):
            press_keys("b")
            w.wait(lambda s: s["timeline"]["lower"] == mode)
        state = w.wait(lambda s: s["timeline"]["lower"] == "predicted"
                       and s["timeline"]["lower_words"].startswith("Predicted "))["timeline"]
        self.picture("place-timeline")
        self.tap.point("the timeline has lanes of what was predicted, and compares",
                       re.search(r"^Predicted [\d.]+\s\w+ a step, measured [\d.]+",
                                 state["lower_words"]), state["lower_words"])
        self.carry()
        lanes = w.find_accessible("tree", "Predicted lanes")
        self.tap.point("which are told one by one",
                       any(o.label().startswith("plan of CPU:0") for o in lanes.tree()),
                       [o.label() for o in lanes.tree()][:9])

    def run(self):
        try:
            self.w = Workbench(self.program, self.project, os.path.join(self.folder, "workspace"))
            self.why()
            self.keys()
            self.colors()
            self.elsewhere()
            self.pointer()
            self.goes_on()
            self.timeline()
            self.tap.point("the program ends as it should", self.w.quit() == 0)
        except Exception:
            self.tap.point("no exception", False, traceback.format_exc())
            if self.w is not None:
                self.picture("place-failed")
                self.w.process.kill()
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    arguments = [os.path.abspath(a) for a in sys.argv[1:] if a != "--pictures"]
    Session(*arguments[:2], arguments[2] if len(arguments) > 2 else None).run()
