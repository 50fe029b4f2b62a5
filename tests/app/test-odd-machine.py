#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Runs that wait and are trained on a machine that is not well, as TAP.

usage: test-odd-machine.py SLUICE ODD-MACHINE SAMPLES

The disk fills with three runs at work, is slow, or may only be read; the clock jumps; the project
changes behind the queue's back. ODD-MACHINE is tests/lib/odd-machine.c, to be loaded first.
"""
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from queue_command import Queue
from tap import Tap

STEPS = 40
HOUR = 3600
NOBODY = 65534


class Machine:
    def __init__(self, sluice, odd, samples, folder):
        self.tap = Tap()
        self.sluice, self.odd, self.folder = sluice, os.path.abspath(odd), folder
        shutil.copytree(samples, folder / "samples")
        self.project = folder / "samples" / "digits-mlp"
        queue = self.new_queue("well")
        ended = queue.call("queue", "run", "--jobs", 3)
        self.wanted = queue.outcome()
        self.tap.point("on a machine that is well all of them end", ended.returncode == 0
                       and self.wanted["queue"] == [], ended.stderr)

    def new_queue(self, name):
        queue = Queue(self.sluice, self.folder / name)
        queue.fill(self.project, STEPS, 3)
        queue.fill_halving(self.project, STEPS)
        return queue

    def run(self, queue, **odd):
        return queue.call("queue", "run", "--jobs", 3, env={
            "LD_PRELOAD": self.odd, **{f"SLUICE_ODD_{key}": str(n) for key, n in odd.items()}})

    def ends_well(self, queue):
        """The queue goes on on a machine that is well, and comes to what it would have come to."""
        ended = queue.call("queue", "run")
        found = queue.outcome()
        return ended.returncode == 0 and found == self.wanted, ended.stderr, [
            str(found[part])[:2000] for part in found if found[part] != self.wanted[part]]

    def full(self):
        """However much room there was, nobody has failed for its lack."""
        wrong, n_full = [], 0
        for room in (1, 100000, 400000, 1600000):
            queue = self.new_queue(f"full{room}")
            ended = self.run(queue, ROOM=room)
            states = set(queue.states().values())
            n_full += ended.returncode != 0
            if ended.returncode not in (0, 1) or "failed" in states:
                wrong.append((room, ended.returncode, ended.stderr, states))
            if ended.returncode == 1 and not any(
                    word in ended.stderr for word in ("No space left", "disk is full")):
                wrong.append((room, ended.stderr))
            good, *said = self.ends_well(queue)
            if not good:
                wrong.append((room, *said))
        self.tap.point(f"a disk that fills with three runs at work ({n_full} times): none fails, "
                       "and with room again all come to the same end", not wrong and n_full > 2,
                       n_full, *wrong)

    def slow(self):
        queue = self.new_queue("slow")
        ended = self.run(queue, SLOW=2)
        self.tap.point("a disk that takes its time changes nothing", ended.returncode == 0
                       and queue.outcome() == self.wanted, ended.stderr, queue.states())

    def jumping(self):
        wrong = []
        for hours in (-1, 24 * 365):
            queue = self.new_queue(f"jumps{hours}")
            ended = self.run(queue, CLOCK=hours * HOUR)
            if ended.returncode != 0 or queue.outcome() != self.wanted:
                wrong.append((hours, ended.stderr, queue.states()))
        self.tap.point("a clock that jumps an hour back or a year ahead, again and again, "
                       "changes nothing", not wrong, *wrong)

    def read_only(self):
        """What may only be read is listed; what would change it says so and leaves nothing."""
        name = "a workspace that may only be read"
        queue = self.new_queue("read-only")
        folders = [queue.workspace, *(p for p in queue.workspace.rglob("*") if p.is_dir())]
        before = sorted(queue.workspace.rglob("*"))
        wanted = queue.names()
        for path in (self.folder, *folders):
            path.chmod(0o755 if path == self.folder else 0o555)
        user = {"user": NOBODY} if os.geteuid() == 0 else {}
        try:
            listed = queue.call("queue", **user)
        except PermissionError:
            self.tap.skip(name, "another user cannot run the program here")
            return
        self.tap.point(f"{name} is listed", listed.returncode == 0
                       and all(run in listed.stdout for run in wanted), listed.stderr)
        for words in (("queue", "run"), ("launch", self.project, "--queue"), ("queue", "pause"),
                      ("sweep", self.project, "seed=1,2", "--queue"), ("queue", "drop", "run0")):
            ended = queue.call(*words, **user)
            self.tap.point(f"{' '.join(map(str, words[:2]))} in it says so", ended.returncode == 1
                           and str(queue.workspace) in ended.stderr, ended.stderr)
        for path in folders:
            path.chmod(0o755)
        good, *said = self.ends_well(queue)
        self.tap.point("and all is as it was", good, *said, before)

    def changed(self):
        """What waits has its project frozen: neither its settings nor its graph nor its place."""
        queue = self.new_queue("changed")
        ini, model = self.project / "project.ini", self.project / "model.pbtxt"
        kept = ini.read_text(), model.read_text()
        ini.write_text(kept[0].replace("learning-rate=", "lost=no/such:0\nlearning-rate="))
        model.write_text("node { name: 'x' op: 'NoOp' }")
        good, *said = self.ends_well(queue)
        self.tap.point("a project that is changed while its runs wait changes none of them", good,
                       *said)
        model.write_text(kept[1])
        for words in (("launch", self.project, "lost=1", "--queue"),
                      ("sweep", self.project, "lost=1,2", "--queue")):
            ended = queue.call(*words)
            self.tap.point(f"a {words[0]} by a parameter whose node is gone names both",
                           ended.returncode == 1 and "lost" in ended.stderr
                           and "'no/such'" in ended.stderr and queue.names() == [], ended.stderr)
        ini.write_text(kept[0])
        queue = self.new_queue("moved")
        self.project.rename(self.folder / "samples" / "moved")
        good, *said = self.ends_well(queue)
        self.tap.point("nor does one that is moved", good, *said)


def main(sluice, odd, samples):
    with tempfile.TemporaryDirectory() as temporary:
        machine = Machine(sluice, odd, samples, pathlib.Path(temporary))
        for part in (machine.full, machine.slow, machine.jumping, machine.read_only,
                     machine.changed):
            part()
    machine.tap.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
