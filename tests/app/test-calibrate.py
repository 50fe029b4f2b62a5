#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What sluice place --calibrate measures and keeps, as TAP.

usage: test-calibrate.py COMMAND SAMPLES
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "twice" op: "Add" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
"""


class Calibrate:
    def __init__(self, command, samples):
        self.command, self.tap = command, Tap()
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.graph = self.folder / "graph.pbtxt"
        self.graph.write_text(GRAPH)
        self.mlp = pathlib.Path(samples) / "digits-mlp"
        self.kept = self.folder / "cache" / "sluice" / "measured.txt"
        self.env = {**os.environ, "LC_ALL": "C.UTF-8",
                    "XDG_CACHE_HOME": str(self.folder / "cache")}

    def arguments(self, *arguments):
        return [self.command, "place", "--calibrate", *map(str, arguments)]

    def call(self, *arguments):
        return subprocess.run(self.arguments(*arguments), capture_output=True, text=True,
                              check=False, timeout=120, env=self.env)

    @staticmethod
    def catches(process, number):
        """Has the program got so far that a signal does not end it? Or has it ended?"""
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = re.search(r"SigCgt:\s*(\w+)", status)
        return process.poll() is not None or bool(int(caught[1], 16) >> (number - 1) & 1)

    def keeps(self):
        run = self.call(self.mlp, "--seconds", 0.2, "--json")
        told = json.loads(run.stdout) if run.returncode == 0 else {}
        self.tap.point("what was measured is kept", told.get("file") == str(self.kept)
                       and told["steps"] > 0 and told["samples"] > told["steps"]
                       and told["figures"] > 10
                       and "CPU\tMatMul float,float->float" in self.kept.read_text(),
                       run.stdout, run.stderr)
        self.tap.point("a project's own step is what its prediction is held to",
                       "\nCPU\t(off)\t" in "\n" + self.kept.read_text())
        run = self.call(self.graph, "--fetch", "twice", "--feed", "x=[1,2]", "--seconds", 0.1)
        text = self.kept.read_text()
        self.tap.point("of a graph, beside what was there", run.returncode == 0
                       and str(self.kept) in run.stdout and "MatMul" in text
                       and "CPU\tAdd float,float->float" in text, run.stdout, run.stderr, text)

    def predicts(self):
        command = [*self.arguments()[:2], self.graph, "--policy", "single"]
        run = subprocess.run([*command, "--fetch", "twice"], capture_output=True, text=True,
                             env=self.env, check=False)
        self.tap.point("a step is predicted as it runs here", run.returncode == 0
                       and re.search("As steps run here, by what was measured: [0-9.]+ µs ± ",
                                     run.stdout), run.stdout, run.stderr)
        run = subprocess.run(command, capture_output=True, text=True, env=self.env, check=False)
        self.tap.point("of a whole graph, which is no step, nothing is said",
                       run.returncode == 0 and "As steps" not in run.stdout, run.stdout)

    def damaged(self):
        self.kept.write_text(self.kept.read_text()[:-20])
        run = self.call(self.mlp, "--seconds", 0.1)
        self.tap.point("what is damaged is said, and measured again", run.returncode == 0
                       and "cut short" in run.stderr and "MatMul" in self.kept.read_text(),
                       run.stderr)
        run = self.call(self.mlp, "--seconds", 0.1)
        self.tap.point("once", run.returncode == 0 and run.stderr == "", run.stderr)

    def interrupted(self):
        with subprocess.Popen(self.arguments(self.mlp, "--seconds", 3600), text=True,
                              stdout=subprocess.PIPE, env=self.env) as process:
            while not self.catches(process, signal.SIGINT):
                pass
            process.send_signal(signal.SIGINT)
            said = process.stdout.read()
        self.tap.point("interrupted, it keeps what it has",
                       process.returncode == 130 and str(self.kept) in said, process.returncode,
                       said)

    def wrong(self):
        for name, arguments, word in (
                ("a graph without a step", [self.graph], "--fetch"),
                ("a project by feeds", [self.mlp, "--fetch", "x"], "GRAPH"),
                ("no time", [self.mlp, "--seconds", 0], "--seconds"),
                ("no number", [self.mlp, "--seconds", "nan"], "--seconds")):
            run = self.call(*arguments)
            self.tap.point(name, run.returncode == 2 and word in run.stderr, run.returncode,
                           run.stderr)
        run = self.call(self.graph, "--fetch", "none", "--seconds", 0.1)
        self.tap.point("a step that cannot run", run.returncode == 1 and "none" in run.stderr,
                       run.stderr)

    def run(self):
        for part in (self.keeps, self.predicts, self.damaged, self.interrupted, self.wrong):
            part()
        self.temporary.cleanup()
        self.tap.end()


Calibrate(*sys.argv[1:]).run()
