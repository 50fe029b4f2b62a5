#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The graph page by pointer and keys, as TAP.

usage: test-graph-window.py WORKBENCH SAMPLES [--pictures DIR]

On a display and a session bus of its own.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, take_picture

# A mean squared error of [?, 1] and [?], and weights that nothing trains beside some that are.
WARNED = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 1 } } } } }
node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "loss/error" op: "Sub" input: "x" input: "y"
  attr { key: "T" value { type: DT_FLOAT } } }
node { name: "loss/square" op: "Square" input: "loss/error"
  attr { key: "T" value { type: DT_FLOAT } } }
"""


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


class Graph:
    def __init__(self, program, samples, pictures):
        self.program, self.samples, self.pictures = program, samples, pictures
        self.tap = Tap()
        self.workspace = tempfile.mkdtemp()

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def project(self, name):
        """A copy: layouts are saved beside it."""
        folder = os.path.join(self.workspace, name)
        shutil.copytree(os.path.join(self.samples, name), folder)
        path = os.path.join(folder, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("=../data/", "=" + self.samples + "/data/"))
        return folder

    def rest(self, w):
        return w.wait(lambda s: s["settled"] and s["graph"]["items"] and not s["graph"]["busy"])

    def picture_of(self, w):
        graph = self.rest(w)["graph"]
        return [graph[key] for key in ("zoom", "x", "y", "items")]

    def item(self, w, name):
        return next(i for i in self.rest(w)["graph"]["items"] if i["name"] == name)

    def at(self, w, name):
        """Where a pointer meets the box."""
        item = self.item(w, name)
        left, top = self.place(w)[:2]
        return (round(left + item["x"] + item["width"] / 2),
                round(top + item["y"] + item["height"] / 2))

    def place(self, w):
        """Of the graph that is shown; another page's has no size."""
        return w.until(lambda: next((place for place in (
            o.place() for o in w.all_accessible("tree", "Graph")) if place[2] > 0), None))

    def click(self, place, n=1):
        xdotool("mousemove", *place)
        xdotool("click", "--repeat", n, "--delay", 60, 1)

    def drag(self, start, end):
        xdotool("mousemove", *start, "mousedown", 1)
        for part in range(1, 7):
            xdotool("mousemove", *(round(a + (b - a) * part / 6) for a, b in zip(start, end)))
        xdotool("mouseup", 1)

    def open_and_close(self, w):
        w.wait(lambda s: any(i["name"] == "conv2" for i in s["graph"]["items"]))  # has a size
        before = self.picture_of(w)
        self.click(self.at(w, "conv2"), 2)
        state = w.wait(lambda s: s["graph"]["open"] == ["conv2"] and not s["graph"]["busy"])
        frame = next(i for i in state["graph"]["items"] if i["name"] == "conv2")
        width, height = self.place(w)[2:]
        self.tap.point("what opens is in sight as a whole",
                       frame["x"] >= 0 and frame["y"] >= 0
                       and frame["x"] + frame["width"] <= width
                       and frame["y"] + frame["height"] <= height, frame)
        self.picture("graph-open")
        left, top = self.place(w)[:2]
        self.click((round(left + frame["x"] + frame["width"] - 30), round(top + frame["y"] + 16)))
        w.wait(lambda s: not s["graph"]["open"] and not s["graph"]["busy"])
        after = self.picture_of(w)
        self.tap.point("what closes leaves the picture as it was", after == before, before, after)

    def move(self, w):
        before = self.picture_of(w)
        was = self.item(w, "conv1")
        start = self.at(w, "conv1")
        self.drag(start, (start[0] - 110, start[1] - 60))

        def is_there(state):  # a busy machine follows the pointer later
            now = next(i for i in state["graph"]["items"] if i["name"] == "conv1")
            return abs(now["x"] - was["x"] + 110) < 2 and abs(now["y"] - was["y"] + 60) < 2
        self.tap.point("a box is moved by the pointer", w.wait(is_there))
        now = self.item(w, "conv1")
        self.picture("graph-moved")
        moved = self.picture_of(w)
        xdotool("key", "ctrl+z")
        w.wait(lambda s: next(i for i in s["graph"]["items"] if i["name"] == "conv1")["x"]
               == was["x"])
        self.tap.point("Ctrl+Z takes it back", self.picture_of(w) == before)
        xdotool("key", "ctrl+shift+z")
        w.wait(lambda s: next(i for i in s["graph"]["items"] if i["name"] == "conv1")["x"]
               == now["x"])
        self.tap.point("Ctrl+Shift+Z moves it again", self.picture_of(w) == moved)
        self.click(self.at(w, "fc1"), 2)
        w.wait(lambda s: s["graph"]["open"] == ["fc1"] and not s["graph"]["busy"])
        xdotool("key", "Return")
        w.wait(lambda s: not s["graph"]["open"] and not s["graph"]["busy"])
        self.tap.point("opening and closing a scope keeps its place", self.picture_of(w) == moved)

    def tips(self, w):
        w.act("open", GLib.Variant("s", self.project("moe")))
        title = "expert × 8"
        state = w.wait(lambda s: s["settled"] and not s["graph"]["busy"]
                       and any(i["title"] == title for i in s["graph"]["items"]))
        name = next(i["name"] for i in state["graph"]["items"] if i["title"] == title)
        xdotool("mousemove", *self.at(w, name))
        state = w.wait(lambda s: s["graph"]["tip"])
        item = self.item(w, name)
        x, y, width, height = state["graph"]["tip_rect"]
        self.tap.point("a fold names its members to a pointer that rests on it",
                       state["graph"]["tip"].startswith("expert0, ")
                       and state["graph"]["tip"].endswith("expert7"), state["graph"]["tip"])
        self.tap.point("and hides nothing of itself",
                       x >= item["x"] + item["width"] or x + width <= item["x"]
                       or y >= item["y"] + item["height"] or y + height <= item["y"],
                       state["graph"]["tip_rect"], item)
        self.picture("graph-tip")
        xdotool("click", 1)
        state = w.wait(lambda s: s["inspector"].startswith(title + "\n")
                       and not s["graph"]["tip"])
        self.tap.point("the inspector lists the members", "expert3: 87 ops" in state["inspector"],
                       state["inspector"])
        w.find_accessible("button", "Show expert3, 87 ops").act()
        w.wait(lambda s: s["graph"]["selection"] == "expert3")
        self.tap.point("and each is a way to it", True)

    def towers(self, w):
        w.act("open", GLib.Variant("s", self.project("towers")))
        state = w.wait(lambda s: s["settled"] and not s["graph"]["busy"]
                       and any(i["name"] == "tower0" for i in s["graph"]["items"]))
        self.tap.point("the first picture fits the window", state["graph"]["zoom"] >= 0.6
                       and not state["graph"]["minimap"], state["graph"]["zoom"])
        w.act("graph", GLib.Variant("s", "color-next"))
        state = w.wait(lambda s: s["graph"]["legend"][2] > 0 and not s["graph"]["busy"])
        x, y, width, height = state["graph"]["legend"]
        covered = [i["title"] for i in state["graph"]["items"]
                   if i["x"] < x + width and x < i["x"] + i["width"]
                   and i["y"] < y + height and y < i["y"] + i["height"]]
        self.tap.point("the legend of the colours covers no box", not covered, covered)
        for _ in range(10):
            w.act("graph", GLib.Variant("s", "color-next"))
        w.act("select", GLib.Variant("s", "tower0"))
        state = w.wait(lambda s: s["inspector"].startswith("tower0\n"))
        self.tap.point("a scope that is nearly one of a fold says what it has more",
                       re.search(r"(?m)^\w+: \d+ more$", state["inspector"]),
                       state["inspector"])
        self.picture("graph-towers")

    def warnings(self, w):
        path = os.path.join(self.workspace, "warned.pbtxt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(WARNED)
        w.act("open", GLib.Variant("s", path))
        state = w.wait(lambda s: "Warnings: 1" in s["inspector"])
        badges = {i["name"]: i.get("badge") for i in self.rest(w)["graph"]["items"]}
        self.tap.point("a closed scope has the badge of a warning in it",
                       badges.get("loss") == "warning", badges)
        w.find_accessible("button", next(
            o.label() for o in w.accessible().tree()
            if o.role() == "button" and o.label().startswith("loss/error: "))).act()
        state = w.wait(lambda s: s["inspector"].startswith("loss/error\n"))
        self.tap.point("the node says what is odd and what to do",
                       "?×1 and [?]" in state["inspector"] and "same rank" in state["inspector"],
                       state["inspector"])
        self.picture("graph-warning")

    @staticmethod
    def rows(state):
        """What the inspector says, without spaces of any kind."""
        return {"".join(line.split()) for line in state["inspector"].splitlines()}

    def charts(self, w):
        w.act("show-page", GLib.Variant("s", "charts"))
        state = w.wait(lambda s: s["page"] == "charts" and s["inspector"].startswith("No run\n"))
        self.tap.point("the charts' inspector is of runs, also where there is none", True)
        w.act("open", GLib.Variant("s", self.project("digits-mlp")))
        w.wait(lambda s: s["settled"])
        w.act("start")
        # A best value is told where the last one is another.
        state = w.wait(lambda s: "evaluate/accuracy: " in s["inspector"]
                       and " · best " in s["inspector"])
        text = state["inspector"]
        self.tap.point("the run in front: name, project, step, start, last and best values",
                       text.startswith("digits-mlp\n") and "Project: digits-mlp" in text
                       and "Step: " in text and "Started: " in text and " · best " in text, text)
        self.picture("graph-run")
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.act("show-page", GLib.Variant("s", "graph"))
        state = w.wait(lambda s: s["inspector"].startswith("The whole graph\n"))
        self.tap.point("back on the graph's page it is the graph's", True)
        self.tap.point("parameters are summed up scope by scope",
                       {"hidden:8320", "logits:1290"} <= self.rows(state), state["inspector"])
        w.act("select", GLib.Variant("s", "hidden"))
        state = w.wait(lambda s: s["inspector"].startswith("hidden\n"))
        self.tap.point("and in a scope variable by variable, with their shapes",
                       {"weights:64×128·8192", "biases:[128]·128"} <= self.rows(state),
                       state["inspector"])

    def run(self):
        try:
            w = Workbench(self.program, self.project("digits-lenet"), self.workspace)
            self.open_and_close(w)
            self.move(w)
            self.tips(w)
            self.towers(w)
            self.warnings(w)
            self.charts(w)
            self.tap.point("the window ends well", w.quit() == 0)
        except (RuntimeError, StopIteration, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
            self.picture("graph-failed")
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    where = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
    Graph(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), where).run()
