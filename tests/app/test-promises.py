#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What is promised of training, checked on the samples as a user runs them, as TAP.

The same seed gives the same bytes, on any number of threads. A run that is killed at random moments
and resumed ends in the same bytes as one that was left alone, and nothing that was acknowledged is
missing or doubled. From a checkpoint with a flipped bit no run goes on.

usage: test-promises.py SLUICE SOURCE-FOLDER [--long]
"""
import json
import os
import pathlib
import random
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap


class Workspace:
    """A folder of runs, read as any other program would read it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def query(self, sql, *values):
        with sqlite3.connect(self.folder / "sluice.db") as database:
            return database.execute(sql, values).fetchall()

    def newest(self, run):
        """The path of the newest checkpoint, or None."""
        found = self.query(
            "SELECT r.id, c.path FROM checkpoints c JOIN runs r ON r.id = c.run WHERE r.name = ? "
            "ORDER BY c.step DESC LIMIT 1", run)
        return self.folder / "runs" / str(found[0][0]) / found[0][1] if found else None

    def checkpoint(self, run):
        """The bytes of the newest one."""
        return self.newest(run).read_bytes()

    def scalars(self, run):
        """{tag: [(step, bytes of the value)]} in order, but for the system's series."""
        series = {}
        for tag, n, data in self.query(
                "SELECT s.tag, c.n, c.data FROM scalar_chunks c JOIN series s ON s.id = c.series "
                "JOIN runs r ON r.id = s.run WHERE r.name = ? ORDER BY c.first_step", run):
            if tag.startswith("system/"):
                continue
            steps = struct.unpack(f"<{n}q", data[:8 * n])
            values = [data[16 * n + 8 * i:16 * n + 8 * i + 8] for i in range(n)]
            series.setdefault(tag, []).extend(zip(steps, values))
        return series

    def records(self, run):
        """Histograms and checkpoint events: {(table, series or kind, step): bytes}."""
        rows = self.query("SELECT s.tag, h.step, h.data FROM histograms h JOIN series s ON "
                          "s.id = h.series JOIN runs r ON r.id = s.run WHERE r.name = ?", run)
        events = self.query("SELECT e.kind, e.step, '' FROM events e JOIN runs r ON r.id = e.run "
                            "WHERE r.name = ? AND e.kind = 'checkpoint'", run)
        assert len({row[:2] for row in rows + events}) == len(rows + events), "doubled"
        return {row[:2]: row[2] for row in rows + events}


def is_at_start(line):
    said = json.loads(line)
    return said["state"] != "finished" and said["step"] <= max(said["checkpoint"], 0)


class Promises:
    def __init__(self, sluice, source, long):
        self.tap = Tap()
        self.sluice, self.long = sluice, long
        self.samples = pathlib.Path(source) / "data" / "samples"
        self.folder = tempfile.TemporaryDirectory()
        self.workspace = Workspace(self.folder.name)

    def command(self, *arguments):
        return [self.sluice, "train", "--json", "--workspace", self.folder.name,
                *map(str, arguments)]

    def train(self, *arguments):
        """Trains to the end; returns the last line."""
        run = subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(run.stderr)
        return json.loads(run.stdout.splitlines()[-1])

    def check_accuracy(self, sample, least):
        last = self.train(self.samples / sample, "--run", f"{sample}-accuracy")
        self.tap.point(f"{sample} reaches test accuracy {least}: {last['evaluation']:.4f}",
                       last["evaluation"] >= least)

    def check_same_bytes(self):
        lenet = self.samples / "digits-lenet"
        steps = 2000 if self.long else 150
        for name, threads in (("same-1", 0), ("same-2", 0), ("same-one", 1), ("same-two", 2)):
            self.train(lenet, "--run", name, "--steps", steps, "--threads", threads)
        first = self.workspace.checkpoint("same-1")
        for name, what in (("same-2", "again"), ("same-one", "on one thread"),
                           ("same-two", "on two threads")):
            self.tap.point(f"the same seed gives the same checkpoint {what}",
                           self.workspace.checkpoint(name) == first)
            self.tap.point(f"and the same points {what}",
                           self.workspace.scalars(name) == self.workspace.scalars("same-1")
                           and self.workspace.records(name) == self.workspace.records("same-1"))

    def kill_once(self, arguments, delay):
        """Starts training and kills it so long after its first step. Returns the lines that it
        said, or None where it had ended before."""
        process = subprocess.Popen(self.command(*arguments), stdout=subprocess.PIPE, text=True)
        lines = [process.stdout.readline()]
        while is_at_start(lines[-1]):
            lines.append(process.stdout.readline())
        time.sleep(delay)
        alive = process.poll() is None
        if alive:
            process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines(keepends=True)
        alive = process.wait() == -signal.SIGKILL and alive
        process.stdout.close()
        said = [json.loads(line) for line in lines if line.endswith("}\n")]
        return said if alive else None

    def wrong(self, run, acknowledged):
        """Points that were acknowledged and are missing, or other than in a run left alone, and
        series with a doubled step."""
        there = self.workspace.scalars(run)
        found = {tag: set(points) for tag, points in there.items()}
        lost = [(tag, point[0]) for tag, points in self.reference.items() for point in points
                if point[0] <= acknowledged and point not in found.get(tag, ())]
        doubled = [tag for tag, points in there.items()
                   if len({step for step, _ in points}) != len(points)]
        return lost + doubled

    def refuse_flipped(self, run):
        """The newest checkpoint with one bit flipped, then whole again."""
        path = self.workspace.newest(run)
        if path is None:
            return  # killed before the first one
        data = bytearray(path.read_bytes())
        points = self.workspace.scalars(run)
        at, bit = random.randrange(len(data)), 1 << random.randrange(8)
        data[at] ^= bit
        path.write_bytes(data)
        refused = subprocess.run(self.command("--resume", run), capture_output=True, text=True,
                                 check=False)
        self.tap.point(f"{run}: bit {bit} of byte {at} is flipped, and the checkpoint refused by "
                       "name", refused.returncode == 1 and str(path) in refused.stderr
                       and not refused.stdout and self.workspace.scalars(run) == points,
                       refused.stderr)
        data[at] ^= bit
        path.write_bytes(data)

    def kill_and_resume(self, run, first, kills, longest):
        """Kills a run so often. False where it ended before that."""
        arguments = [*first, "--run", run]
        for number in range(1, kills + 1):
            said = self.kill_once(arguments, random.uniform(0, longest))
            if said is None:
                return False
            arguments = ["--resume", run]
            step, acknowledged = said[-1]["step"], said[-1]["committed_step"]
            wrong = self.wrong(run, acknowledged)
            self.tap.point(f"{run}, kill {number}, at step {step}: all up to step {acknowledged} "
                           "is there, once", not wrong, wrong[:10])
            self.refuse_flipped(run)
        return True

    def check_kills(self):
        kills, steps = (40, 8000) if self.long else (4, 1000)
        first = [self.samples / "digits-lenet", "--steps", steps, "--set",
                 "checkpoint-every=40"]
        start = time.monotonic()
        self.train(*first, "--run", "whole")
        longest = (time.monotonic() - start) / kills / 2
        self.reference = self.workspace.scalars("whole")
        # Where the machine has become faster meanwhile, a run may end too early: again, then.
        for attempt in range(1, 6):
            run = f"killed-{attempt}"
            enough = self.kill_and_resume(run, first, kills, longest / attempt ** 2)
            if enough:
                break
        self.tap.point(f"a live run was killed {kills} times", enough)
        last = self.train("--resume", run)
        self.tap.point("the resumed run is finished", last["state"] == "finished", last)
        self.tap.point("its checkpoint is that of a run left alone",
                       self.workspace.checkpoint(run) == self.workspace.checkpoint("whole"))
        self.tap.point("so are its points", self.workspace.scalars(run) == self.reference)
        records, wanted = self.workspace.records(run), self.workspace.records("whole")
        differing = [key for key in records.keys() | wanted.keys()
                     if records.get(key) != wanted.get(key)]
        self.tap.point("so are its histograms and checkpoints", not differing, differing[:10])

    def run(self):
        seed = int(os.environ.get("SLUICE_TEST_SEED", random.randrange(1 << 30)))
        print(f"# SLUICE_TEST_SEED={seed}")
        random.seed(seed)
        self.check_same_bytes()
        self.check_kills()
        self.check_accuracy("digits-lenet", 0.98)
        self.check_accuracy("digits-mlp", 0.97)
        self.folder.cleanup()
        self.tap.end()


Promises(sys.argv[1], sys.argv[2], "--long" in sys.argv[3:]).run()
