#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What the graph page tells of a run while it is under way, as TAP.

usage: test-live-window.py WORKBENCH SAMPLES [--pictures DIR]

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


class Live:
    def __init__(self, program, samples, pictures):
        self.program, self.samples, self.pictures = program, samples, pictures
        self.tap = Tap()
        self.workspace = tempfile.mkdtemp()

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def select(self, w, name):
        w.act("select", GLib.Variant("s", name))
        return w.wait(lambda s: s["graph"]["selection"] == name and s["settled"]
                      and s["inspector"].startswith(name + "\n"))

    def told(self, w, pattern):
        """The inspector's text once it has the pattern."""
        return w.wait(lambda s: re.search(pattern, s["inspector"]))["inspector"]

    def digits(self):
        w = Workbench(self.program, self.project("0.00392156862745098"), self.workspace)
        w.wait(lambda s: s["settled"] and s["graph"]["items"])
        state = self.select(w, "conv2/relu")
        self.tap.point("before a run it is said that values will come",
                       "Values appear here" in state["inspector"], state["inspector"])
        w.act("start")
        text = self.told(w, r"Min · mean · max: \S+ · \S+ · \S+\n")
        self.tap.point("values of a node while the run is under way",
                       re.search(r"Zeros: \d[\d.]*\u202f?.%\nNot finite: none\n", text), text)
        text = self.told(w, r"Time, this step: [\d.]+\u202f[mµ]s\nMedian · 95 %: [\d.]+\u202f[mµ]s")
        self.tap.point("and times", True)
        text = self.told(w, r"mean · steps \d.* to \d")
        self.tap.point("and their history", True)
        self.tap.point("and how large it was", "Output: 64×4×4×48, " in text, text)
        self.tap.point("the loss stands in its box", w.until(lambda: next(
            (o.label() for o in w.accessible().tree() if o.role() == "tree item"
             and re.match(r"scope loss, 8 ops · \d", o.label())), None)))
        self.picture("live-relu")
        self.select(w, "conv2/bias_add")
        text = self.told(w, r"Fused into \S+: it has no value of its own")
        self.tap.point("a node within another's kernel says so",
                       re.search(r"Runs: in ", text) and "Min · mean · max: –" in text, text)
        self.picture("live-fused")
        w.act("pause")
        w.wait(lambda s: s["control"] == "paused")
        return w

    def neighbours(self, w):
        self.select(w, "conv2/relu")
        link = w.find_accessible("button", next(
            o.label() for o in w.accessible().tree()
            if o.role() == "button" and o.label().startswith("Input 0: conv2/")))
        name = re.match(r"Input 0: ([^,]+),", link.label()).group(1)
        link.act()
        w.wait(lambda s: s["graph"]["selection"] == name)
        self.tap.point("an input is a way to its node", True)
        state = self.select(w, "conv2/weights")
        self.tap.point("no raw attributes", "DT_" not in state["inspector"], state["inspector"])
        self.picture("live-weights")

    def shown(self, state, key):
        """Names of the drawn boxes that have it."""
        return {item["name"]: item[key] for item in state["graph"]["items"] if item.get(key)}

    def trace(self, w):
        w.act("select", GLib.Variant("s", "pool2/max_pool"))
        w.wait(lambda s: s["inspector"].startswith("pool2/max_pool\n"))
        w.find_accessible("button", "Trace inputs").act()
        names = self.shown(w.wait(lambda s: self.shown(s, "traced")), "traced")
        self.tap.point("inputs are traced", "conv2/relu" in names and "fc1" not in names, names)
        self.picture("live-trace")
        w.find_accessible("button", "Trace outputs").act()
        state = w.wait(lambda s: "fc1" in self.shown(s, "traced"))
        self.tap.point("outputs are traced", "conv1" not in self.shown(state, "traced"))
        w.act("graph", GLib.Variant("s", "trace-none"))
        w.wait(lambda s: not self.shown(s, "traced"))

    def colours(self, w):
        legends = {"device": "CPU:0", "time": "share of the step", "bytes": "bytes of the outputs",
                   "asked": "asks for none", "dtype": "float · ", "gradient": "as what it is of",
                   "health": "nothing to say"}
        w.act("graph", GLib.Variant("s", "fit"))
        for nick, words in legends.items():
            w.act("graph", GLib.Variant("s", "color-next"))
            order = ["device", "time", "bytes", "asked", "dtype", "gradient", "health"]
            said = w.until(lambda words=words: next(
                (o.label() for o in w.accessible().tree()
                 if o.role() == "label" and words in o.label()), None))
            self.tap.point(f"colours by {nick} are explained", order.index(nick) >= 0, said)
            self.picture("live-by-" + nick)
        w.act("graph", GLib.Variant("s", "color-next"))

    def folder(self, scale):
        return os.path.join(self.workspace, "digits-" + scale)

    def project(self, scale):
        """A copy of the digits, their brightness times so much: layouts are saved beside it."""
        folder = self.folder(scale)
        shutil.copytree(os.path.join(self.samples, "digits-lenet"), folder)
        path = os.path.join(folder, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"(?m)^scale=.*$", "scale=" + scale, text)
        text = text.replace("=../data/", "=" + self.samples + "/data/")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return folder

    def not_finite(self, w):
        w.act("open", GLib.Variant("s", self.project("1e30")))
        w.wait(lambda s: s["settled"] and s["graph"]["items"] and s["control"] == "idle")
        self.select(w, "conv2/relu")
        w.act("graph", GLib.Variant("s", "close-all"))
        w.act("graph", GLib.Variant("s", "fit"))
        w.act("start")
        state = w.wait(lambda s: s["failure"] != ""
                       and "failure" in self.shown(s, "badge").values())
        self.tap.point("a failure begins with a capital and gives advice",
                       state["failure"].startswith("The loss is ")
                       and "learning rate" in state["failure"], state["failure"])
        badges = self.shown(state, "badge")
        self.tap.point("the node that failed has a badge, or the scope that holds it", True, badges)
        name = next(name for name, kind in badges.items() if kind == "failure")
        w.act("select", GLib.Variant("s", name))
        self.picture("live-failure")
        state = w.wait(lambda s: s["graph"]["selection"] == name)
        said = w.until(lambda: next(
            (o.label() for o in w.accessible().tree()
             if o.role() == "tree item" and "learning rate" in o.label()), None))
        self.tap.point("the badge is said, too", True, said)
        w.act("open", GLib.Variant("s", self.folder("1e30")))
        state = w.wait(lambda s: s["settled"] and not s["failure"] and s["graph"]["items"]
                       and "failure" in self.shown(s, "badge").values())
        self.tap.point("who comes later sees it, too: what the run in front failed with",
                       self.shown(state, "badge").get(name) == "failure", name,
                       self.shown(state, "badge"))
        self.forgotten(w)

    def forgotten(self, w):
        w.wait(lambda s: s["control"] == "idle")
        w.act("delete-run")
        state = w.wait(lambda s: not s["failure"]
                       and "failure" not in self.shown(s, "badge").values())
        self.tap.point("what a run failed with goes with it", True, state["failure"])

    def refused(self, w):
        path = os.path.join(self.workspace, "refused.pbtxt")
        nodes = "".join(f'node {{ name: "far/n{i}" op: "NobodyKnows" input: "x" }}\n'
                        for i in range(3))
        with open(path, "w", encoding="utf-8") as file:
            file.write('node { name: "x" op: "Placeholder" device: "/device:GPU:1" '
                       'attr { key: "dtype" value { type: DT_FLOAT } } }\n' + nodes)
        w.act("open", GLib.Variant("s", path))
        state = w.wait(lambda s: "NobodyKnows: × 3" in s["inspector"])
        self.tap.point("which ops cannot run, how many and why",
                       re.search(r"NobodyKnows: × 3\n.*no op of this name", state["inspector"]),
                       state["inspector"])
        state = w.wait(lambda s: self.shown(s, "badge"))
        self.tap.point("a closed scope has the badge of what is in it",
                       self.shown(state, "badge").get("far") == "refusal",
                       self.shown(state, "badge"))
        self.picture("live-refused")
        w.act("select", GLib.Variant("s", "x"))
        self.told(w, "Device asked for: /device:GPU:1")
        self.tap.point("a node tells the device that it asks for", True)

    def run(self):
        try:
            w = self.digits()
            self.neighbours(w)
            self.trace(w)
            self.colours(w)
            w.act("stop")
            w.wait(lambda s: s["control"] == "idle")
            self.not_finite(w)
            self.refused(w)
            self.tap.point("the window ends well", w.quit() == 0)
        except (RuntimeError, StopIteration, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
            self.picture("live-failed")
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    where = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
    Live(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), where).run()
