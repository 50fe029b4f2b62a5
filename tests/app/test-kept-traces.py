#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""sluice trace --run: what a run kept of its last steps, as TAP.

usage: test-kept-traces.py SLUICE SOURCE-FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap


class KeptTraces:
    def __init__(self, sluice, source):
        self.tap = Tap()
        self.sluice = sluice
        self.mlp = pathlib.Path(source) / "data" / "samples" / "digits-mlp"
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def call(self, *arguments):
        return subprocess.run([self.sluice, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=120,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})

    def check(self, name, run, status, *words):
        said = run.stdout + run.stderr
        self.tap.point(name, run.returncode == status and all(word in said for word in words),
                       f"status {run.returncode}, wanted {status}: {words}", said)

    def run(self):
        workspace = self.folder / "kept"
        run = ("--run", "kept", "--workspace", workspace)
        self.call("train", self.mlp, *run, "--steps", 100, "--set", "record-steps=10",
                  "--set", "record-slow=0")
        self.check("trace --run --list", self.call("trace", *run, "--list"), 0, "91–100", "end")
        told = json.loads(self.call("trace", *run, "--list", "--json").stdout)
        self.tap.point("it names the file", len(told["traces"]) == 1
                       and told["traces"][0]["file"].endswith("step-0000000100.sltrace")
                       and told["traces"][0]["problem"] is None, told)
        chrome = self.folder / "kept.json"
        self.check("trace --run --at", self.call("trace", *run, "--at", 95, "--out", chrome), 0,
                   "steps 91 to 100")
        events = json.loads(chrome.read_text())["traceEvents"]
        nodes = [e for e in events if e["ph"] == "X"]
        self.tap.point("the steps are in it",
                       {e["args"]["step"] for e in nodes} == set(range(91, 101)))
        self.check("trace --run --why", self.call("trace", *run, "--why"), 0, "10 steps")
        head = json.loads(self.call("trace", *run, "--why", "--at", 95,
                                    "--json").stdout.splitlines()[0])
        self.tap.point("it looks at what was kept of a step", head["steps"] == 10, head)
        self.check("not with a list", self.call("trace", *run, "--why", "--list"), 2, "--why")
        kept = pathlib.Path(told["traces"][0]["file"])
        copy = self.folder / "kept.sltrace"
        self.check("as it is", self.call("trace", *run, "--at", 95, "--out", copy), 0)
        self.tap.point("byte for byte", copy.read_bytes() == kept.read_bytes())
        kept.write_bytes(copy.read_bytes()[:-40])
        self.check("one that is cut short is told", self.call("trace", *run, "--list"), 0,
                   "91–100", "end of the file")
        self.check("and written as far as it goes", self.call(
            "trace", *run, "--at", 95, "--out", self.folder / "kept.db"), 0, "steps 91 to 100")
        kept.write_bytes(b"no trace")
        self.check("a damaged one is told", self.call("trace", *run, "--list"), 0, str(kept))
        for name, arguments, status, words in (
                ("of another step", [*run, "--at", 5, "--out", chrome], 1, ["step 5"]),
                ("of no run", ["--run", "none", "--workspace", workspace, "--list"], 1, ["none"]),
                ("of a run and a project", [self.mlp, *run, "--list"], 2, ["--run"]),
                ("of nothing of a run", [*run], 2, ["--list", "--at"]),
                ("of a step nowhere", [*run, "--at", 95], 2, ["--out"]),
                ("of a step in no format", [*run, "--at", 95, "--out", "a.txt"], 2, [".pftrace"]),
                ("of a step of no run", [self.mlp, "--at", 5], 2, ["--run NAME"])):
            self.check(f"trace {name}", self.call("trace", *arguments), status, *words)
        self.tap.end()


if len(sys.argv) != 3:
    sys.exit(__doc__)
KeptTraces(*sys.argv[1:]).run()
