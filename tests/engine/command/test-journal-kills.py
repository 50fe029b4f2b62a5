#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Whoever edits with a journal is killed at random moments; nothing that was done is lost, as TAP.

usage: test-journal-kills.py JOURNAL-WRITER SLUICE

SLUICE_JOURNAL_LINES says how many commands are drawn, SLUICE_KILLS at how many moments there is a
kill -9, SLUICE_SEED draws the same ones again. SLUICE_JOURNAL_GRAPH names a graph that they are
done to; else it is a small one.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "app"))
from edit_model import Generator
from tap import Tap

N_LINES = int(os.environ.get("SLUICE_JOURNAL_LINES", "10000"))
N_KILLS = int(os.environ.get("SLUICE_KILLS", "50"))
SEED = int(os.environ.get("SLUICE_SEED", random.SystemRandom().randrange(10 ** 6)))
GRAPH = os.environ.get("SLUICE_JOURNAL_GRAPH", "--new")
SCRIPT_LINES = 60  # of one generator; names of others are there already, or are not
BASE = """add Placeholder x dtype=DT_FLOAT shape=[2,3]
add Neg s/n x
add Tanh t s/n
"""


class Killed:
    """A writer, killed behind some line, and what it says."""

    def __init__(self, command, lots):
        self.command, self.lots = command, lots
        self.n_done, self.next_line = 0, 0
        self.faults, self.n_kills, self.history = [], 0, 0

    def recover(self, said):
        """A command may be kept and its acknowledgement be lost, one."""
        if not said.startswith("recovered "):
            self.faults.append(said)
        elif int(said.split()[1]) - self.n_done not in (0, 1):
            self.faults.append(f"{said}of {self.n_done}, before line {self.next_line}")
        elif int(said.split()[1]) > self.n_done:
            self.n_done += 1
            self.next_line += 1

    def listen(self, stream, last):
        for said in stream:
            if said.startswith("failed"):
                self.faults.append(said)
            elif said.startswith("history"):
                self.history = int(said.split()[1])
            else:
                line, done = map(int, said.split())
                self.next_line = line + 1
                self.n_done += done
            if self.next_line >= last:
                return

    def run(self, last, *out):
        """Until some line was acknowledged, and then for no time or a little more."""
        with subprocess.Popen([*self.command, *out], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as writer:
            self.recover(writer.stdout.readline())
            writer.stdin.write(f"{self.next_line}\n")
            writer.stdin.close()
            self.listen(writer.stdout, last)
            if not out:
                for _ in range(self.lots.randrange(3000)):
                    pass
                self.n_kills += writer.poll() is None
                writer.kill()
                # What it said meanwhile.
                rest = writer.stdout.read()
                whole = rest[:rest.rfind("\n") + 1]
                self.listen(iter(whole.splitlines(keepends=True)), 10 ** 9)


def draw_script(lots):
    lines = []
    while len(lines) < N_LINES:
        lines += [line for line, _ in Generator(lots.randrange(10 ** 9)).script(SCRIPT_LINES)]
    return "".join(line + "\n" for line in lines[:N_LINES])


def main():
    tap, lots = Tap(), random.Random(SEED)
    writer, sluice = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        base, script, out = folder / "base.pb", folder / "script", folder / "out.pb"
        subprocess.run([sluice, "edit", GRAPH, "--out", base], input=BASE, text=True, check=True)
        script.write_text(draw_script(lots))
        killed = Killed([writer, folder / "draft", base, script], lots)
        for last in sorted(lots.randrange(1, N_LINES) for _ in range(N_KILLS)):
            killed.run(last)
        killed.run(10 ** 9, out)
        tap.point(f"{N_KILLS} kills among {N_LINES} commands (seed {SEED}): none is lost",
                  not killed.faults and killed.n_kills > N_KILLS // 2, killed.faults[:5],
                  killed.n_kills)
        whole = subprocess.run([sluice, "edit", base, "--script", script, "--keep-going", "--out",
                                folder / "whole.pb"], stderr=subprocess.DEVNULL, check=False)
        tap.point("the graph is what one program makes of the script",
                  whole.returncode == 1 and out.read_bytes() == (folder / "whole.pb").read_bytes())
        tap.point("all of it can be undone and done again", killed.history > 0)
        again = subprocess.run([sluice, "edit", "--journal", folder / "draft/journal", "--out",
                                folder / "again.pb"], capture_output=True, text=True, check=False)
        tap.point("sluice edit --journal makes the same of the journal", again.returncode == 0
                  and (folder / "again.pb").read_bytes() == out.read_bytes(), again.stderr)
        again = subprocess.run([sluice, "edit", base, "--script", folder / "draft/journal", "--out",
                                folder / "script.pb"], capture_output=True, text=True, check=False)
        tap.point("and so does the journal as a script", again.returncode == 0
                  and (folder / "script.pb").read_bytes() == out.read_bytes(), again.stderr)
    tap.end()


main()
