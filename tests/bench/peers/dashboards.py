#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""TensorBoard and Sluice on the same logs and graphs, in turns. See README.md.

usage: dashboards.py BUILD SHARED PEER-PYTHON [--rounds N] [--only WORD]...

SHARED is a folder that may be written to, with tb_bench.py, which serves TensorBoard and draws in
headless Chromium; PEER-PYTHON has TensorBoard, its data server, TensorFlow and selenium. What is
not there is left out, with a word. Needs a display and a session bus (tests/lib/xvfb-test.sh) and
Debian's python3, the one that has gi.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from gi.repository import GLib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "app"))
from event_logs import field, record, varint, version
from workbench import Workbench

import struct

N_NODES = 36000
N_POINTS = 100000  # of a tag, and there are ten
PAUSE = 0.002  # seconds between two looks at our window: what is measured is some tens of them

KEPT = f"""
import json, sys, time
sys.path.insert(0, sys.argv[1])
import tb_bench
board = tb_bench.Board(tb_bench.events(1, 10, {N_POINTS}))
points = []
while not points or points[-1][1] < {N_POINTS - 1}:
    time.sleep(0.1)
    try:
        points = json.loads(board.get("/data/plugin/scalars/scalars?"
                                      "tag=group_0%2Floss_0&run=run_000"))
    except ValueError:
        pass
board.close()
print(json.dumps({{"bench": "kept", "variant": "", "value": len(points)}}))
"""
FILES = f"""
import json, sys
try:
    import tensorflow
except ImportError:
    pass # another python makes the graph
sys.path.insert(0, sys.argv[1])
import graphs, tb_bench
print(json.dumps([tb_bench.events(1, 10, {N_POINTS}), graphs.ensure({N_NODES})]))
"""


def live_scalar(step):
    """A point that is logged now."""
    value = field(1, field(1, b"loss") + b"\x15" + struct.pack("<f", 1 / (1 + step)))
    return record(b"\x09" + struct.pack("<d", time.time()) + b"\x10" + varint(step)
                  + field(5, value))


class Peer:
    def __init__(self, python, shared):
        self.python, self.shared = python, shared

    def lines(self, *arguments):
        # What a bench that was stopped left half made would stop the next one.
        for left in pathlib.Path(self.shared).glob("data/*.tmp"):
            shutil.rmtree(left)
        run = subprocess.run([self.python, *arguments], stdout=subprocess.PIPE, text=True,
                             stderr=subprocess.PIPE, cwd=self.shared)
        if run.returncode != 0:
            sys.stderr.write(run.stderr)
            run.check_returncode()
        return run.stdout.splitlines()

    def measure(self, bench):
        """{(bench, variant): figure} of one repetition."""
        lines = self.lines("-c", KEPT, self.shared) if bench == "kept" \
            else self.lines("tb_bench.py", "--reps", "1", "--bench", bench)
        figures = [json.loads(line) for line in lines if line.startswith("{")]
        for figure in figures:
            if "error" in figure:
                print(f"TensorBoard's {figure['bench']}: {figure['error']}", file=sys.stderr)
        return {(f["bench"], f.get("variant")): f for f in figures if "error" not in f}


class Ours:
    def __init__(self, build, logs, graph):
        self.command, self.program = (os.path.join(build, name) for name in ("sluice",
                                                                             "sluice-workbench"))
        self.logs, self.graph = logs, graph
        self.folder = tempfile.mkdtemp()

    def clear(self):
        shutil.rmtree(self.folder)

    def workspace(self):
        return tempfile.mkdtemp(dir=self.folder)

    def load(self):
        """CPU seconds of an import, and how many points of a tag there are then."""
        workspace = self.workspace()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([self.command, "import", "--workspace", workspace, self.logs], check=True,
                       stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows = subprocess.run([self.command, "log", "--workspace", workspace, "--run", "run_000",
                               "--tag", "group_0/loss_0", "--json"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                json.loads(rows)["n"])

    def costs(self, window):
        return window.ask("dump-costs")

    def visible(self, n):
        """Seconds from a point's write to the frame that shows it, of some points."""
        workspace, logs = self.workspace(), self.workspace()
        found = []
        with open(os.path.join(logs, "events.out.tfevents.1700000000.x"), "wb") as file:
            file.write(version() + live_scalar(0))
            file.flush()
            importer = subprocess.Popen([self.command, "import", "--follow", "--workspace",
                                         workspace, logs], stdout=subprocess.DEVNULL)
            window = Workbench(self.program, self.graph, workspace,
                               settings={"reduced-motion": "true"})
            window.act("show-page", GLib.Variant("s", "charts"))
            window.wait(lambda s: s["settled"] and "loss" in s["charts"]["cards"])
            for step in range(1, n + 1):
                time.sleep(random.uniform(0.3, 1))
                seen = self.costs(window)["points_seen"]
                begun = time.monotonic()
                file.write(live_scalar(step))
                file.flush()
                window.until(lambda seen=seen: self.costs(window)["points_seen"] > seen, PAUSE)
                found.append(time.monotonic() - begun)
            importer.terminate()
            importer.wait()
            window.quit()
        return statistics.median(found)

    def draw(self):
        """Seconds from the file to its picture in a window that is there, and milliseconds from a
        click to an open scope."""
        window = Workbench(self.program, None, self.workspace(),
                           settings={"reduced-motion": "true"})
        window.until(lambda: self.costs(window)["settled"], PAUSE)
        begun = time.monotonic()
        window.act("open", GLib.Variant("s", self.graph))
        window.until(lambda: self.costs(window)["settled"], PAUSE)
        drawn = time.monotonic() - begun
        state = window.state()
        scope = next(i["name"] for i in state["graph"]["items"] if i["kind"] == "scope")
        window.act("select", GLib.Variant("s", scope))
        window.until(lambda: self.costs(window)["settled"], PAUSE)
        begun = time.monotonic()
        window.act("graph", GLib.Variant("s", "open"))
        window.until(lambda: self.costs(window)["settled"], PAUSE)
        opened = time.monotonic() - begun
        if scope not in window.state()["graph"]["open"] or state["graph"]["nodes"] < N_NODES / 2:
            raise RuntimeError(f"{scope} did not open")
        window.quit()
        return drawn, opened * 1e3


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def shown(values):
    return f"{number(statistics.median(values))} ({number(min(values))} to " \
        f"{number(max(values))})" if values else "left out"


class Table:
    """Rows of what is measured: name, unit, how many times better ours has to be, or at most."""

    ROWS = {"load": ("10⁶ scalars loaded", "s of CPU", "5 ×"),
            "visible": ("a new point visible", "s", "≤ 0.1"),
            "drawn": (f"a graph of {N_NODES:,} nodes drawn", "s", "≤ 0.3"),
            "opened": ("a scope of it opened", "ms", "≤ 30"),
            "kept": (f"points kept of {N_POINTS:,}", "", "all")}

    def __init__(self):
        self.values = {name: ([], []) for name in self.ROWS}

    def add(self, name, who, value):
        self.values[name][who].append(value)

    def say(self):
        print("| what | unit | TensorBoard | Sluice | ratio | goal |")
        print("|---|---|---|---|---|---|")
        for name, (what, unit, goal) in self.ROWS.items():
            theirs, ours = self.values[name]
            if not ours:
                continue
            better = statistics.median(theirs) / statistics.median(ours) if theirs else 0
            if name == "kept" and better:
                better = 1 / better
            ratio = number(better) if better else ""
            print(f"| {what} | {unit} | {shown(theirs)} | {shown(ours)} | {ratio} | {goal} |")


# What the peer's script calls it, which of its lines has the figure, and in which key.
PEERS = {"load": ("load_1M", ("load_1M", "rust"), "cpu_value"),
         "visible": ("visible", ("visible", "default_5s"), "value"),
         "drawn": (f"graph_{N_NODES}", (f"graph_{N_NODES}.drawn", "chromium"), "value"),
         "opened": (f"graph_{N_NODES}", (f"graph_{N_NODES}.open_scope", "chromium"), "value"),
         "kept": ("kept", ("kept", ""), "value")}


def measure_peer(peer, table, wanted):
    said = {}
    for name in wanted:
        bench, line, key = PEERS[name]
        try:
            if bench not in said:
                said[bench] = peer.measure(bench)
        except subprocess.CalledProcessError as error:
            said[bench] = {}
            print(f"left out: TensorBoard's {bench}: {error}", file=sys.stderr)
        if line in said[bench]:
            table.add(name, 0, said[bench][line][key])
        else:
            print(f"left out: TensorBoard says nothing of {name}", file=sys.stderr)


def measure_ours(ours, table, wanted):
    if "load" in wanted or "kept" in wanted:
        seconds, kept = ours.load()
        table.add("load", 1, seconds)
        table.add("kept", 1, kept)
    if "visible" in wanted:
        table.add("visible", 1, ours.visible(5))
    if "drawn" in wanted or "opened" in wanted:
        drawn, opened = ours.draw()
        table.add("drawn", 1, drawn)
        table.add("opened", 1, opened)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("shared")
    parser.add_argument("python")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", choices=Table.ROWS)
    options = parser.parse_args()
    peer = Peer(options.python, os.path.abspath(options.shared))
    try:
        # What makes them has words of its own.
        logs, graph = json.loads(peer.lines("-c", FILES, peer.shared)[-1])
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"nothing is measured: the peer's python cannot make the logs and graphs: {error}")
    ours, table = Ours(os.path.abspath(options.build), logs, graph), Table()
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
        measure_peer(peer, table, options.only or list(Table.ROWS))
        measure_ours(ours, table, options.only or list(Table.ROWS))
    ours.clear()
    table.say()


main()
