#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A graph is edited in the window: one JSON line a figure.

usage: bench-build-page.py WORKBENCH COMMAND GRAPH [KIND...]

On a display of its own. Commands of each kind are done at first sight of the graph, within the
scope that has the most boxes, and with all scopes open: the longest turn of the main loop until
what the command did is drawn and what is wrong is told, in time on the processor (app/probe.h), so
that what else runs on the machine does not count; by the clock, how long both took. Then the turns
behind a pause, a wire that is dragged, saving, and the text. SLUICE_BENCH_GRAPH names another graph
than GRAPH; with KINDs only these are measured.
"""
import itertools
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from gi.repository import GLib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "app"))
from workbench import Workbench, press_keys, take_picture

KINDS = ("rename", "disconnect", "connect", "delete", "add", "set", "group", "ungroup", "paste",
         "duplicate", "undo", "redo")
PICTURES = os.environ.get("SLUICE_PICTURES")  # a folder, to look at what was dragged
N_TIMES = 5
N_PASTED = 50
N_DRAGS = 40   # moves of the pointer
FRAME = 0.03   # seconds from one to the next
GOAL = 16      # ms, a turn
TOLD_GOAL = 100


def tell(name, values, goal, what):
    print(json.dumps({"name": f"build/{name}", "value": round(statistics.median(values), 1),
                      "best": round(min(values), 1), "worst": round(max(values), 1), "unit": "ms",
                      "goal": goal, "what": what}), flush=True)


def quote(text):
    """As a word of a command."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def write_graph(command, graph, path):
    """In the form that the path's name says."""
    subprocess.run([command, "edit", graph, "--out", path], check=True, input=b"",
                   stdout=subprocess.DEVNULL)


class Nodes:
    """Of the graph's text: by scope, what can be done something to."""

    def __init__(self, command, graph, folder):
        text = os.path.join(folder, "graph.pbtxt")
        write_graph(command, graph, text)
        with open(text, encoding="utf-8") as file:
            self.blocks = re.findall(r"^node \{\n.*?^\}\n", file.read(), re.M | re.S)
        self.small = [b for b in self.blocks if 'op: "Const"' in b and len(b) < 600][:N_PASTED]
        self.inputs = {}
        self.ops = {}
        for block in self.blocks:
            name = re.search(r'^  name: "(.*)"', block, re.M)[1]
            self.inputs[name] = re.findall(r'^  input: "(.*)"', block, re.M)
            self.ops[name] = re.search(r'^  op: "(.*)"', block, re.M)[1]

    def largest_scope(self):
        """With the most nodes right in it."""
        direct = {}
        for name in self.inputs:
            scope = name.rpartition("/")[0]
            if scope:
                direct[scope] = direct.get(scope, 0) + 1
        return max(sorted(direct), key=direct.get)

    def in_scope(self, scope):
        """Names of nodes with a data input, far from each other."""
        names = [n for n in self.inputs if (not scope or n.startswith(scope + "/"))
                 and self.inputs[n] and not self.inputs[n][0].startswith("^")
                 and self.ops[n] not in ("Switch", "Merge", "Enter", "Exit", "NextIteration")]
        return [names[(k + 1) * 7919 % len(names)] for k in range(len(names))]


class Bench:
    def __init__(self, program, command, graph, folder, kinds):
        self.kinds = kinds
        self.nodes = Nodes(command, graph, folder)
        self.copy = os.path.join(folder, "copy.pb")
        write_graph(command, graph, self.copy)
        self.w = Workbench(program, self.copy, os.path.join(folder, "workspace"),
                           settings={"reduced-motion": "true"})
        self.number = 0
        self.settle()

    def costs(self):
        return self.w.ask("dump-costs")

    def settle(self):
        """The worst turn until all is at rest."""
        worst = 0

        def is_settled():
            nonlocal worst
            costs = self.costs()
            worst = max(worst, costs["worst_busy_ms"])
            return costs["settled"]
        self.w.until(is_settled)
        return worst

    def measure(self, act, counts=True):
        """Worst turn; milliseconds until it is drawn, and until all that is wrong is told, by the
        clock and of the processor. counts: it is a command, or one is taken back."""
        costs = self.costs()
        n, cpu, work = costs["n_undo"], costs["cpu_ms"], 0
        begun = time.monotonic()
        act()
        worst, drawn, told = 0, None, None
        while drawn is None or told is None:
            costs = self.costs()
            now = (time.monotonic() - begun) * 1e3
            worst = max(worst, costs["worst_busy_ms"])
            if now > 20000:
                raise RuntimeError("waited in vain: " + str(self.w.state()["build"]["refusal"]))
            if counts and costs["n_undo"] == n:
                continue  # the action is on its way
            drawn = now if drawn is None and costs["build_drawn"] else drawn
            if told is None and costs["build_told"]:
                told, work = now, costs["cpu_ms"] - cpu
            time.sleep(0.003)
        costs = self.costs()  # the frame itself
        return max(worst, costs["worst_busy_ms"]), drawn, told, work

    def edit(self, line):
        return self.measure(lambda: self.w.act("edit", GLib.Variant("s", line)))

    # ---- kinds of commands: each yields what was measured ----

    def lines_of(self, kind, names, scope):
        """Lines that are done one after the other, of which the first or all are measured."""
        self.number += 1
        n, name = self.number, next(names)
        under = scope + "/" if scope else ""
        source = self.nodes.inputs[name][0]
        block = "".join(
            re.sub('^  name: ".*"', f'  name: "{under}pasted{n}_{i}"', b, flags=re.M)
            for i, b in enumerate(self.nodes.small))
        others = []
        if kind in ("group", "ungroup"):
            beside = (name for name in names if name.rpartition("/")[0] == scope)
            others = list(itertools.islice(beside, 3))
        return {
            "rename": [f"rename {name} {name}_r{n}"],
            "connect": [f"disconnect {name}:0", f"connect {source} {name}:0"],
            "disconnect": [f"disconnect {name}:0"],
            "delete": [f"delete {name}"],
            "add": [f"add Identity {under}added{n} {source}"],
            "set": [f'set {name} _note="{n}"'],
            "group": [f"group {under}group{n} " + " ".join(others)],
            "ungroup": [f"group {under}group{n} " + " ".join(others), f"ungroup {under}group{n}"],
            "paste": ["text " + quote(block)],
            "duplicate": [f"duplicate {name} {under}copy{n}"],
        }[kind]

    def one(self, kind, names, scope):
        if kind in ("undo", "redo"):
            key = "ctrl+z" if kind == "undo" else "ctrl+shift+z"
            return self.measure(lambda: press_keys(key))
        lines = self.lines_of(kind, names, scope)
        for line in lines[:-1]:
            self.edit(line)
        return self.edit(lines[-1])

    def commands(self, where, scope):
        names = iter(self.nodes.in_scope(scope))
        pauses, all_worst = [], []
        for kind in KINDS:
            if not self.wants(kind):
                continue
            found = [self.one(kind, names, scope) for _ in range(N_TIMES)]
            all_worst.extend(f[0] for f in found)
            tell(f"{where}/{kind}", [f[0] for f in found], GOAL, "longest turn")
            tell(f"{where}/{kind}-drawn", [f[1] for f in found], TOLD_GOAL, "until it is drawn")
            tell(f"{where}/{kind}-told", [f[2] for f in found], TOLD_GOAL,
                 "until problems and shapes are told, by the clock")
            tell(f"{where}/{kind}-work", [f[3] for f in found], TOLD_GOAL,
                 "what the main loop computes until then")
            pauses.append(self.settle())
        if pauses:
            tell(f"{where}/pause", pauses, GOAL, "longest turn afterwards, until all is at rest")
        while True:  # names of the next place are what they were
            if self.costs()["n_undo"] == 0:
                break
            self.measure(lambda: press_keys("ctrl+z"))
        self.settle()

    # ---- the pointer ----

    def output(self, name):
        """Where an output is on the screen, somewhere near a node, with nothing over it."""
        self.w.act("select", GLib.Variant("s", name))
        self.settle()
        press_keys("alt+1", "period")
        self.settle()
        left, top, width, height = self.canvas
        items = self.w.state()["build"]["canvas"]["items"]
        ports = [(p["x"], p["y"]) for i in items for p in i.get("ports", ())
                 if p["output"] and p["drawn"]]
        x, y = min(ports, default=(0, 0), key=lambda p: math.hypot(p[0] - width / 2,
                                                                   p[1] - height / 2))
        return (left + x, top + y) if 20 < x < width - 20 and 20 < y < height - 160 else None

    def drag(self, where, names):
        """Off an output, all over the picture around it: the longest turns between two moves."""
        # A canvas that links by keys is called otherwise afterwards; it has not moved since.
        for canvas in self.w.all_accessible("tree", "Graph to change"):
            self.canvas = canvas.place()
        start = self.w.until(lambda: self.output(next(names)))
        left, top, width, height = self.canvas

        def xdotool(x, y, *more):
            subprocess.run(["xdotool", "mousemove", str(int(x)), str(int(y)), *more], check=True)
            time.sleep(FRAME)
        xdotool(*start)
        xdotool(*start, "mousedown", "1")
        xdotool(start[0] + 20, start[1] + 20)
        held = self.w.state()["build"]["canvas"].get("wire")
        self.costs()
        turns = []
        for k in range(N_DRAGS):
            xdotool(left + 60 + (width - 120) * (k * 7 % N_DRAGS) / N_DRAGS,
                    top + 90 + (height - 200) * (k * 3 % N_DRAGS) / N_DRAGS)
            turns.append(self.costs()["worst_busy_ms"])
        if PICTURES:
            take_picture(os.path.join(PICTURES, where + ".png"))
        subprocess.run(["xdotool", "key", "Escape", "mouseup", "1"], check=True)
        if not held:
            raise RuntimeError(f"no wire came off at {start}")
        tell(f"{where}/wire", turns, GOAL, "longest turn between two moves of a dragged wire")
        self.settle()

    def at(self, where, scope):
        press_keys("alt+1")
        self.settle()
        self.commands(where, scope)
        if self.wants("wire"):
            self.drag(where, iter(self.nodes.in_scope("")))
            press_keys("9")  # all of it again
            self.settle()

    def open(self, scope):
        self.w.act("select", GLib.Variant("s", scope))
        self.settle()
        press_keys("alt+1", "shift+Return")  # the page gives the canvas the focus
        self.settle()

    def save(self):
        """The clock: until the file is there."""
        turns, times = [], []
        for k in range(N_TIMES):
            self.edit(f"add NoOp saved{k}")
            self.settle()
            begun = time.monotonic()
            self.w.act("save-graph")
            worst = 0
            while not (costs := self.costs())["build_saved"]:
                worst = max(worst, costs["worst_busy_ms"])
            times.append((time.monotonic() - begun) * 1e3)
            turns.append(max(worst, costs["worst_busy_ms"]))
        tell("save", turns, GOAL, "longest turn until the graph is saved")
        tell("save-done", times, 0, "until the graph is saved")

    def wants(self, *kinds):
        return not self.kinds or any(k in self.kinds for k in kinds)

    def run(self):
        press_keys("alt+1")
        tell("open", [self.settle()], GOAL, "longest turn while the page is opened, with its text")
        if self.wants("wire", *KINDS):
            largest = self.nodes.largest_scope()
            self.at("first-sight", "")
            self.open(largest)
            self.at("largest", largest)
            press_keys("alt+1", "Escape", "shift+Return")
            self.settle()
            self.at("all-open", largest)
        if self.wants("save"):
            self.save()
        self.w.quit()


def main(program, command, graph, *kinds):
    with tempfile.TemporaryDirectory() as folder:
        Bench(program, command, os.environ.get("SLUICE_BENCH_GRAPH", graph), folder, kinds).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
