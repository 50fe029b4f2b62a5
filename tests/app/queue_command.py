# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The command on one workspace whose runs wait in a queue."""
import hashlib
import json
import os
import pathlib
import subprocess


class Queue:
    def __init__(self, sluice, workspace):
        self.sluice, self.workspace = sluice, pathlib.Path(workspace)

    def command(self, *words):
        return [self.sluice, *map(str, words), "--workspace", str(self.workspace)]

    def call(self, *words, env=None, **options):
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=120,
                              check=False, env={**os.environ, "LC_ALL": "C.UTF-8", **(env or {})},
                              **options)

    def start(self, *words, **options):
        return subprocess.Popen(self.command(*words), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def lines(self, *words):
        ended = self.call(*words, "--json")
        assert ended.returncode == 0, ended.stderr
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def names(self):
        return [line["run"] for line in self.lines("queue")]

    def runs(self):
        return {row["run"]: row for row in self.lines("runs")}

    def states(self):
        return {name: row["state"] for name, row in self.runs().items()}

    def fill(self, project, steps, n=6):
        for i in range(n):
            ended = self.call("launch", project, f"steps={steps}", "checkpoint-every=5",
                              f"seed={i + 1}", f"--run=run{i}", "--queue")
            assert ended.returncode == 0, ended.stderr

    def fill_halving(self, project, steps):
        """A sweep of nine that drops the worse ones."""
        ended = self.call("sweep", project, "learning-rate=0.0001..0.5:log", "--method=asha",
                          "--trials=9", "--steps", steps, "--first-rung=4", "--group=halved",
                          "checkpoint-every=5,7", "--queue")
        assert ended.returncode == 0, ended.stderr

    def checkpoints(self):
        """What each run has kept: name and step -> SHA-256. Not what lies in its folder: a program
        that is killed while it takes a checkpoint away has forgotten it before its file is gone."""
        found = {}
        for name, row in self.runs().items():
            folder = self.workspace / "runs" / str(row["id"]) / "checkpoints"
            for one in self.lines("checkpoints", name):
                path = folder / f"step-{one['step']:010}.safetensors"
                found[name, one["step"]] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def losses(self):
        """Of each run, step by step."""
        found = {}
        for name in self.runs():
            found[name] = [point for series in self.lines("log", f"--run={name}", "--tag=^loss$")
                           for point in zip(series["steps"], series["values"])]
        return found

    def outcome(self):
        """All that must be the same however often the programs at work were killed."""
        rows = {name: (row["state"], row["step"], row["settings"])
                for name, row in self.runs().items()}
        return {"queue": self.names(), "runs": rows, "checkpoints": self.checkpoints(),
                "losses": self.losses()}
