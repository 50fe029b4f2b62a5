#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The window and the programs that train are killed at random moments, as TAP.

usage: test-kills.py WORKBENCH COMMAND SAMPLES

On a display and a session bus of its own. Eight runs and a sweep that drops trials wait in one
workspace; a window that trains what waits and `sluice queue run` work them off together, and at
random moments the process groups of both, or of one of them, get SIGKILL. What has come of the runs
in the end is compared with a workspace in which nobody was killed.

SLUICE_KILLS=N kills at N moments; SLUICE_SEED=S draws the same ones again.
"""
import os
import pathlib
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from queue_command import Queue
from tap import Tap

N_KILLS = int(os.environ.get("SLUICE_KILLS", "6"))
SEED = int(os.environ.get("SLUICE_SEED", random.SystemRandom().randrange(10 ** 6)))
STEPS = 300
N_RUNS = 8
START = 60  # seconds in which a window comes up
VICTIMS = (("window", "runs"), ("window", "runs"), ("window",), ("runs",))


class Programs:
    """A window that trains what waits, and a command that does, each in a process group."""

    def __init__(self, window, queue, lots):
        self.window, self.queue, self.lots = window, queue, lots
        self.processes = {}

    def start(self):
        """Those that do not run, or one of them: a window begins nothing while others train."""
        wanted = self.lots.choice((("window", "runs"), ("window",), ("runs",)))
        if "runs" in wanted and "runs" not in self.processes:
            self.processes["runs"] = self.queue.start(
                "queue", "run", "--jobs", self.lots.choice((1, 2)), start_new_session=True)
        if "window" in wanted and "window" not in self.processes:
            self.open_window()

    def open_window(self):
        """Returns when it has come up, or is killed as it does so."""
        (self.queue.workspace / "window.ini").write_text("[launch]\nworks=true\n")
        self.processes["window"] = window = subprocess.Popen(
            [self.window, "--workspace", str(self.queue.workspace)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "SLUICE_PROBE": "1", "GSETTINGS_BACKEND": "memory"})
        if self.lots.random() < 0.8:
            select.select([window.stdout], [], [], START)

    def wait(self, seconds):
        """Until so much later, or until the command has nothing more to do."""
        process = self.processes.get("runs", self.processes.get("window"))
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass

    def kill(self, names):
        """Returns those that were still alive. A window never ends by itself."""
        hit = []
        for name in [name for name in names if name in self.processes]:
            process = self.processes.pop(name)
            if process.poll() is None:
                hit.append(name)
                os.killpg(process.pid, signal.SIGKILL)
            _, said = process.communicate()
            if name == "window" and process.returncode != -signal.SIGKILL:
                raise RuntimeError(f"the window ended with {process.returncode}: {said}")
        return hit


def ended(queue):
    """When each run that has finished did so."""
    database = sqlite3.connect(queue.workspace / "sluice.db", timeout=60)
    rows = database.execute("SELECT name, ended FROM runs WHERE state = 4").fetchall()
    database.close()
    return dict(rows)


def kill_at_random(window, queue, lots, seconds, n_most, count):
    """Until nothing waits, or so often. Returns runs that were trained though they had finished."""
    programs = Programs(window, queue, lots)
    before, again, n_hit = {}, set(), 0
    while n_hit < n_most and queue.names():
        programs.start()
        programs.wait(lots.uniform(0, seconds / 4))
        hit = programs.kill(lots.choice(VICTIMS))
        if hit and queue.names():
            count[" and ".join(hit)] = count.get(" and ".join(hit), 0) + 1
            n_hit += 1
        now = ended(queue)
        again |= {name for name, when in before.items() if now.get(name) != when}
        before = now
    programs.kill(list(programs.processes))
    return again


def main(window, command, samples):
    tap, lots, count, wrong = Tap(), random.Random(SEED), {}, []
    print(f"# SLUICE_SEED={SEED} SLUICE_KILLS={N_KILLS}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        shutil.copytree(samples, folder / "samples")
        project = folder / "samples" / "digits-mlp"

        def fill(name):
            queue = Queue(command, folder / name)
            queue.fill(project, STEPS, N_RUNS)
            queue.fill_halving(project, STEPS)
            return queue

        calm = fill("calm")
        began = time.monotonic()
        calm.call("queue", "run")
        seconds = time.monotonic() - began
        wanted = calm.outcome()
        states = calm.states()
        tap.point("undisturbed, all of the queue and one trial of the sweep finish",
                  sorted(states.values()) == (N_RUNS + 1) * ["finished"] + 8 * ["stopped"]
                  and wanted["queue"] == [], states)
        n_workspaces = 0
        while sum(count.values()) < N_KILLS:
            queue = fill(f"killed{n_workspaces}")
            n_workspaces += 1
            again = kill_at_random(window, queue, lots, seconds, N_KILLS - sum(count.values()),
                                   count)
            rest = queue.call("queue", "run")
            found = queue.outcome()
            if again:
                wrong.append(f"trained again: {again}")
            if rest.returncode != 0:
                wrong.append(rest.stderr)
            wrong += [f"{part}: {found[part]}"[:2000] for part in wanted
                      if found[part] != wanted[part]]
            shutil.rmtree(queue.workspace)
    words = ", ".join(f"{n} × {what}" for what, n in sorted(count.items()))
    tap.point(f"killed at {sum(count.values())} moments ({words}) in {n_workspaces} workspaces: "
              "every run is there and ran once, the sweep decided the same, and checkpoints and "
              "losses are equal byte by byte", not wrong, *wrong)
    tap.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
