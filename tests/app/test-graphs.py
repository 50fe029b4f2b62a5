#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Graphs in the window, as TAP: each opens, its scopes open one by one (with --every N only each
Nth, where there are thousands) and all at once, and it can be panned and zoomed.

usage: test-graphs.py WORKBENCH [--every N] [--pictures FOLDER] GRAPH...

It needs a display and a session bus (tests/lib/xvfb-test.sh) and Debian's python3. How long things
took is said, not judged.
"""
import argparse
import os
import sys
import tempfile
import time

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, take_picture


class Graph:
    def __init__(self, tap, options, path, workspace):
        self.tap, self.pictures, self.every = tap, options.pictures, options.every
        self.name = os.path.basename(path.rstrip("/")).split(".")[0]
        self.w = Workbench(options.workbench, path, workspace, settings={"reduced-motion": "true"})
        self.state = self.w.wait(lambda s: s["settled"] and s["opened_s"] > 0)

    def say(self, what, seconds):
        print(f"# {self.name}: {what} in {seconds:.2f} s", flush=True)

    def picture(self, stage):
        if self.pictures:
            take_picture(os.path.join(self.pictures, f"{self.name}-{stage}.png"))

    def do(self, verb):
        """An action of the canvas; the state after it."""
        self.w.act("graph", GLib.Variant("s", verb))
        return self.w.wait(lambda s: s["settled"])

    def scopes(self):
        return self.w.ask("dump-scopes")

    def open_one(self, scope):
        """With what it stands in, all others closed; what is wrong with it, or None."""
        self.w.act("graph", GLib.Variant("s", "close-all"))
        self.w.act("select", GLib.Variant("s", scope))
        self.w.act("graph", GLib.Variant("s", "open"))
        state = self.w.wait(lambda s: s["settled"])
        if state["graph"]["selection"] is None or state["failure"]:
            return f"{scope} is not selected {state['failure']}"
        return None if scope in state["graph"]["open"] else f"{scope} is not open"

    def open_each(self):
        scopes = self.scopes()[::self.every]
        begun = time.monotonic()
        wrong = [w for w in map(self.open_one, scopes) if w]
        self.say(f"each of {len(scopes)} scopes opened and closed", time.monotonic() - begun)
        self.tap.point(f"scopes of {self.name} open, each by itself", scopes and not wrong, *wrong)

    def open_all(self):
        self.do("select-none")
        begun = time.monotonic()
        state = self.do("open-all")
        self.say("all opened", time.monotonic() - begun)
        shut = set(self.scopes()) - set(state["graph"]["open"])
        # Of a variable's scope the capsule says all there is.
        state = self.do("fit")
        kinds = {i["name"]: i["kind"] for i in state["graph"]["items"]}
        variables = tuple(n for n, kind in kinds.items() if n and kind == "variable")
        odd = sorted(n for n in shut if n not in variables
                     and not any(n.startswith(v + "/") for v in variables))
        print(f"# {self.name}: {len(state['graph']['open'])} open, {len(shut)} in variables")
        self.tap.point(f"all scopes of {self.name} open at once", not odd, len(odd), odd[:20])
        self.picture("open")

    def pan(self):
        """Across the picture at some zooms."""
        self.w.state()  # begins to measure anew
        worst = 0
        for zoom in range(6):
            for direction in ("right", "down", "left", "up"):
                self.do("select-" + direction)
                worst = max(worst, self.w.state()["worst_frame_ms"])
            state = self.do("zoom-in")
        print(f"# {self.name}: panned and zoomed, at most {worst:.0f} ms for a frame", flush=True)
        self.tap.point(f"{self.name} pans and zooms", state["failure"] == "", state["failure"])

    def run(self):
        graph = self.state["graph"]
        self.say(f"{graph['nodes']} nodes opened", self.state["opened_s"])
        self.tap.point(f"{self.name} opens", len(graph["items"]) > 0 and not graph["failure"],
                       str(graph)[:300])
        self.picture("closed")
        self.open_each()
        self.open_all()
        self.pan()
        self.tap.point(f"{self.name} closes", self.w.quit() == 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("workbench")
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--pictures")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    tap = Tap()
    for path in options.graphs:
        with tempfile.TemporaryDirectory() as workspace:
            try:
                Graph(tap, options, path, workspace).run()
            except RuntimeError as error:
                tap.point(f"{path} goes on to its end", False, error)
    tap.end()


main()
