#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A window that is used without a pause while a run trains at full rate, as TAP.

usage: soak.py WORKBENCH COMMAND PROJECT [--seconds N] [--seed N] [--limits] [--acts FILE]

Everything is done once; then what is done next is drawn by lot: pages, zooms, scopes, cards, words
in the filter, the wheel. Then the run is stopped, and every step must have its points, and every
checkpoint its checksums. With --limits (./dev soak) the main loop must not have been away for more
than 50 ms, nor have computed for as long in a turn, and memory must stay within 2 % of what it was
after the first minute. --acts writes a JSON line for each look.

Pictures of an enlarged card or of a page of histograms are a tenth of the memory, and there or not
by lot: so memory is compared in one state of the window, to which it is brought each ten seconds
(Person.rest). What every look found is told beside it.

A stall is one turn of the main loop, from the end of one poll to the next, on the monotonic clock
(app/probe.h): others' work on the machine counts, so what the loop computed itself stands beside
it. It needs a display and a session bus (tests/lib/xvfb-test.sh), Debian's python3, and xdotool.
"""
import argparse
import array
import json
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from gi.repository import GLib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../app"))
from tap import Tap
from workbench import Workbench

STALL_MS = 50
DRIFT = 0.02
WARM_S = 60  # memory counts from here on
REST_S = 10  # it is compared so often
WORDS = ("loss", "weights", "acc", "op:matmul", "nothing like that", "in:train", "[a-d]")
PAGE = os.sysconf("SC_PAGE_SIZE")
ARENA = 64 << 20  # where glibc's further arenas begin (HEAP_MAX_SIZE)


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


def string(text):
    return GLib.Variant("s", text)


def mappings(pid):
    """Resident bytes by what is mapped: a file, the heap, an arena, a stretch of its own."""
    found, name = {}, ""
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "Rss:":
                found[name] = found.get(name, 0) + int(words[1]) * 1024
            elif not words[0].endswith(":"):
                first, end = (int(at, 16) for at in words[0].split("-"))
                kind = "arena" if first % ARENA == 0 else f"{(end - first) >> 10} KiB"
                name = words[5] if len(words) > 5 else f"{kind} at {first:x}"
    return found


class Person:
    """Somebody who uses the window: each method is one thing done."""

    def __init__(self, window, lot, costs):
        self.window, self.lot, self.costs = window, lot, costs
        self.scopes = window.ask("dump-scopes")

    def graph(self, verb):
        self.window.act("graph", string(verb))
        return verb

    def turn_page(self):
        page = self.lot.choice(("graph", "charts", "charts"))
        self.window.act("show-page", string(page))
        return page

    def zoom(self):
        return self.graph(self.lot.choice(("zoom-in", "zoom-in", "zoom-out", "zoom-100", "fit")))

    def walk(self):
        where = ("left", "right", "up", "down", "next", "previous", "parent")
        return self.graph("select-" + self.lot.choice(where))

    def open_scope(self):
        scope = self.lot.choice(self.scopes)
        self.window.act("select", string(scope))
        self.graph("toggle")
        return scope

    def open_many(self):
        return self.graph(self.lot.choice(("open-all", "close-all", "close-all")))

    def color(self):
        return self.graph("color-next")

    def find(self, word=None):
        """Typed, looked at, and taken away."""
        word = word or self.lot.choice(WORDS)
        self.window.act("find")
        xdotool("type", "--delay", "60", word)
        self.costs.look("find", word)
        xdotool("key", *["Return"] * self.lot.randrange(3), "Escape")
        return word

    def flap(self):
        flap = self.lot.choice(("toggle-runs", "toggle-inspector"))
        self.window.act(flap)
        self.window.act(flap)
        return flap

    def enlarge(self, tag=None):
        """A card becomes large, is zoomed by keys, and small again."""
        self.window.act("show-page", string("charts"))
        cards = self.window.state()["charts"]["order"]
        if not cards:
            return None
        tag = tag or self.lot.choice(cards)
        button = next(iter(self.window.all_accessible("button", f"Enlarge {tag}")), None)
        if button is None:
            return None  # its card is far from what is shown
        button.press()
        xdotool("key", "plus", "plus", "Left", "Left", "0")
        button.press()
        return tag

    def wheel(self, turn=None, n=None):
        x, y = self.lot.randrange(450, 1050), self.lot.randrange(250, 800)
        turn, n = turn or self.lot.choice((4, 5)), n or self.lot.randrange(1, 6)
        xdotool("mousemove", x, y, *["click", turn] * n)
        return f"{turn} at {x},{y}"

    def everything(self):
        """What there is to do, once: what is kept of what was shown has its size then."""
        # Cairo keeps the letters of each size that text was drawn in, up to some megabytes.
        for zoom in ("open-all", *["zoom-in"] * 6, *["zoom-out"] * 9, "zoom-100", *["zoom-out"] * 3,
                     "fit", "close-all"):
            yield self.graph, (zoom,)
        for word in WORDS:
            yield self.find, (word,)
        self.window.act("show-page", string("charts"))
        cards = self.window.state()["charts"]["order"]
        # The largest pictures of each kind: what is kept for the next of their size is there then.
        for card in (cards[0], next(card for card in cards if card.endswith("weights"))):
            yield self.rest, ()
            yield self.enlarge, (card,)
        for _ in cards:
            yield self.wheel, (5, 3)
        yield self.rest, ()

    def rest(self):
        """As it was opened, and all that was asked for is drawn."""
        for verb in ("close-all", "fit"):
            self.graph(verb)
        self.window.act("show-page", string("charts"))
        xdotool("mousemove", 700, 500, "click", "--repeat", 60, "--delay", 1, 4)
        end = time.monotonic() + 1  # points that come in keep it from being settled, now and then
        while not self.costs.look("to rest", None)["settled"] and time.monotonic() < end:
            time.sleep(0.02)
        return "charts"

    def do(self):
        """What was done, and to what."""
        deeds = ((self.turn_page, 4), (self.zoom, 4), (self.walk, 3), (self.open_scope, 4),
                 (self.open_many, 1), (self.color, 1), (self.find, 1), (self.flap, 1),
                 (self.enlarge, 1), (self.wheel, 3))
        deed, = self.lot.choices([d for d, _ in deeds], [weight for _, weight in deeds])
        return deed.__name__, deed()


class Costs:
    """What was measured on the way."""

    def __init__(self, window, path):
        self.window = window
        self.file = open(path, "w", encoding="utf-8") if path else None
        # (ms, waited for a processor, computed, of that in a frame, deed, to what); (s, resident,
        # live, at rest)
        self.stalls, self.memory, self.maps = [], [], []
        self.n = 0
        self.said = {}
        self.begun = time.monotonic()

    def seconds(self):
        return time.monotonic() - self.begun

    def read_resident(self):
        with open(f"/proc/{self.window.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * PAGE

    def read_least_resident(self):
        """Of some frames: a picture is there twice while it is drawn anew."""
        readings = []
        for _ in range(20):
            readings.append(self.read_resident())
            time.sleep(0.025)
        return min(readings)

    def look(self, deed, target):
        said = self.said = self.window.ask("dump-costs")
        resident = self.read_least_resident() if deed == "rest" else self.read_resident()
        self.n += 1
        self.stalls.append((said["worst_stall_ms"], said["worst_waited_ms"], said["worst_busy_ms"],
                            said["worst_frame_ms"], deed, target))
        self.memory.append((self.seconds(), resident, said["live_bytes"], deed == "rest"))
        if deed == "rest":
            self.maps.append((self.seconds(), mappings(self.window.process.pid)))
        if self.file:
            print(json.dumps({"s": self.seconds(), "deed": deed, "to": target, "rss": resident,
                              **({"maps": self.maps[-1][1]} if deed == "rest" else {}), **said}),
                  file=self.file, flush=True)
        return said

    def drift(self, column, since, at_rest):
        """(least, last, greatest, median of the first minute): of what was seen since then, the
        first three over the fourth; None where nothing was seen."""
        seen = [m for m in self.memory if m[0] >= since and m[column] > 0 and m[3] >= at_rest]
        if not seen:
            return None
        first = statistics.median(m[column] for m in seen if m[0] < since + WARM_S)
        values = [m[column] / first for m in seen]
        last = statistics.median(values[-max(1, len(values) // 10):])
        return min(values), last, max(values), first

    def say(self):
        print("# the longest turns of the main loop, ms: of the clock, ready while others ran, "
              "computed, in one frame; what was done")
        for ms, waited, busy, frame, deed, target in sorted(self.stalls, key=lambda s: -s[0])[:12]:
            print(f"#   {ms:7.1f} {waited:7.1f} {busy:7.1f} {frame:7.1f}  {deed} {target}")
        computed = sorted(busy for _, _, busy, *_ in self.stalls)
        print(f"# computed in a turn, the longest of each look: median "
              f"{statistics.median(computed):.1f} ms, of 100 looks one over "
              f"{computed[len(computed) * 99 // 100]:.1f}, the longest {computed[-1]:.1f}")
        over = [s for s in self.stalls if s[0] > STALL_MS]
        print(f"# {self.n} looks in {self.seconds():.0f} s, {len(over)} with a turn over "
              f"{STALL_MS} ms, {sum(s[0] - s[1] > STALL_MS for s in over)} that others did not "
              "make so long")
        print(f"# log call to pixel: median {self.said['latency_ms']} ms of "
              f"{self.said['points_seen']} points", flush=True)


class Soak:
    def __init__(self, options):
        self.options, self.tap = options, Tap()
        self.folder = tempfile.mkdtemp()
        self.workspace = os.path.join(self.folder, "workspace")
        os.mkdir(self.workspace)
        # What is opened in the window is saved beside the graph: work on a copy, with the data.
        samples = os.path.join(self.folder, "samples")
        shutil.copytree(os.path.dirname(options.project), samples)
        self.project = os.path.join(samples, os.path.basename(options.project))
        path = os.path.join(self.project, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r"(?m)^steps=.*$", "steps=1000000000", text))

    def use(self, window):
        lot = random.Random(self.options.seed)
        costs = Costs(window, self.options.acts)
        person = Person(window, lot, costs)
        costs.look("start", None)  # what opening took is no stall of a run
        costs.stalls.clear()
        everything, rested = person.everything(), 0
        while costs.seconds() < self.options.seconds:
            deed, arguments = next(everything, (person.do, ()))
            if deed == person.do and costs.seconds() > rested + REST_S:
                deed, rested = person.rest, costs.seconds()
            target = deed(*arguments)
            deed, target = target if deed == person.do else (deed.__name__, target)
            said = costs.look(deed, target)
            if said["control"] != "running":
                self.tap.point("the run goes on", False, said, window.state()["failure"])
                break
            # A few frames to look at it; nobody is faster.
            for _ in range(lot.randrange(4)):
                costs.look(deed, target)
                time.sleep(lot.uniform(0.02, 0.3))
        return costs

    def run(self):
        print(f"# --seed {self.options.seed}, {self.options.seconds} s", flush=True)
        window = Workbench(self.options.workbench, self.project, self.workspace,
                           settings={"reduced-motion": "true"})
        window.wait(lambda s: s["settled"] and s["graph"]["items"])
        window.act("start")
        window.wait(lambda s: s["control"] == "running" and s["step"] > 0)
        costs = self.use(window)
        window.act("stop")
        state = window.wait(lambda s: s["control"] == "idle")
        self.tap.point("the window ends well", window.quit() == 0)
        costs.say()
        self.check_memory(costs)
        self.check_stored(state["front"])
        self.check_checkpoints()
        if self.options.limits:
            worst = max(costs.stalls, key=lambda s: s[2])
            self.tap.point(f"no turn of the main loop computed for more than {STALL_MS} ms",
                           worst[2] <= STALL_MS, worst)
            worst = max(costs.stalls, key=lambda s: s[0])
            self.tap.point(f"no turn of the main loop over {STALL_MS} ms", worst[0] <= STALL_MS,
                           worst)
        shutil.rmtree(self.folder)
        self.tap.end()

    def check_memory(self, costs):
        since = min(WARM_S, self.options.seconds / 3)
        for column, at_rest, what in ((1, False, "resident at any time"), (1, True, "resident"),
                                      (2, False, "of tensors")):
            drift = costs.drift(column, since, at_rest)
            if drift is None:
                print(f"# {what}: not told yet", flush=True)
                if self.options.limits and (at_rest or column == 2):
                    self.tap.point(f"memory {what} stays", False, "it was never told")
                continue
            least, last, most, first = drift
            print(f"# {what}: {first / 2**20:.1f} MiB; then {least:.3f} to {most:.3f} of it, "
                  f"{last:.3f} in the end", flush=True)
            if self.options.limits and (at_rest or column == 2):
                self.tap.point(f"memory {what} stays", abs(last - 1) <= DRIFT, drift)

    def query(self, sql, *values):
        with sqlite3.connect(os.path.join(self.workspace, "sluice.db")) as database:
            return database.execute(sql, values).fetchall()

    def steps_of(self, run, tag):
        steps = array.array("q")
        for n, data in self.query(
                "SELECT c.n, c.data FROM scalar_chunks c JOIN series s ON s.id = c.series JOIN "
                "runs r ON r.id = s.run WHERE r.name = ? AND s.tag = ? ORDER BY c.first_step",
                run, tag):
            steps.frombytes(data[:8 * n])
        return steps

    def check_stored(self, run):
        """What is logged at each step has a point of each step, what is logged at each Nth of
        each Nth."""
        (done,), = self.query("SELECT step FROM runs WHERE name = ?", run)
        tags = [tag for tag, in self.query("SELECT s.tag FROM series s JOIN runs r ON r.id = s.run "
                                           "WHERE r.name = ? AND s.kind = 0", run)
                if not tag.startswith("system/")]
        points = 0
        for tag in tags:
            steps = self.steps_of(run, tag)
            points += len(steps)
            every = steps[1] - steps[0] if len(steps) > 1 else done + 1
            missing = [a for a, b in zip(steps, steps[1:]) if b - a != every]
            self.tap.point(f"{tag} has {len(steps)} points, one each {every} steps",
                           len(steps) and not missing and steps[0] <= every
                           and steps[-1] > done - every, missing[:5], done, steps[-3:])
        print(f"# {done} steps, {points} points of {len(tags)} tags", flush=True)
        self.tap.point("something was trained", done > 0 and "loss" in tags, tags)

    def check_checkpoints(self):
        rows = self.query("SELECT r.id, c.path FROM checkpoints c JOIN runs r ON r.id = c.run")
        paths = [os.path.join(self.workspace, "runs", str(run), path) for run, path in rows]
        for path in paths:
            check = subprocess.run([self.options.command, "check", path], check=False,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.tap.point(f"{os.path.basename(path)} is whole", check.returncode == 0,
                           check.stdout)
        self.tap.point("there is a checkpoint", paths)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("workbench")
    parser.add_argument("command")
    parser.add_argument("project")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limits", action="store_true")
    parser.add_argument("--acts")
    options = parser.parse_args()
    options.project = os.path.abspath(options.project)
    Soak(options).run()


main()
