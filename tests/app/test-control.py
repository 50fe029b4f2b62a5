#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice control`, `--at` and `fork` on the samples: the same bits, and programs that are killed.

usage: test-control.py SLUICE SOURCE-FOLDER
"""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

MANY = 10 ** 9     # steps of a run that is to be at work when it is asked
N_KILLS = 10

# Sample, its optimizer and what else a checkpoint must hold, another rate.
SAMPLES = (("digits-mlp", "Adam, shuffled", 0.001),
           ("digits-lenet", "momentum, shuffled", 0.003),
           ("dropout", "Adam, dropout", 0.001),
           ("word2vec", "drawn candidates", 0.1),
           ("moe", "experts", 0.0005),
           ("cart-pole", "input that the graph draws", 0.001))

# What a mask is made of: op, inputs, attributes ("{}" is the value that it is for).
DROPOUT = (("shape", "Shape", ("{}",), {"T": "DT_FLOAT", "out_type": "DT_INT32"}),
           ("uniform", "RandomUniform", ("drop/shape",), {"T": "DT_INT32", "dtype": "DT_FLOAT"}),
           ("rate", "Const", (), {"dtype": "DT_FLOAT"}),
           ("keep", "GreaterEqual", ("drop/uniform", "drop/rate"), {"T": "DT_FLOAT"}),
           ("mask", "Cast", ("drop/keep",), {"SrcT": "DT_BOOL", "DstT": "DT_FLOAT"}),
           ("value", "Mul", ("{}", "drop/mask"), {"T": "DT_FLOAT"}))
HALF = """attr { key: "value" value { tensor {
  dtype: DT_FLOAT tensor_shape { } float_val: 0.5 } } }"""


def mask(value):
    """The nodes, as text."""
    text = ""
    for name, op, inputs, types in DROPOUT:
        text += f'node {{ name: "drop/{name}" op: "{op}"\n'
        text += "".join(f'  input: "{edge.format(value)}"\n' for edge in inputs)
        text += "".join(f'  attr {{ key: "{key}" value {{ type: {kind} }} }}\n'
                        for key, kind in types.items())
        text += (HALF if op == "Const" else "") + "}\n"
    return text


class Workspace:
    """The command on one workspace."""

    def __init__(self, sluice, folder):
        self.sluice, self.folder = sluice, pathlib.Path(folder)

    def command(self, *words):
        return [self.sluice, *map(str, words), "--workspace", str(self.folder)]

    def call(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=120,
                              check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})

    def ask(self, *words):
        """Of a run at work; returns the answer."""
        ended = self.call("control", *words, "--json")
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    def start(self, *words):
        """A run that is at work when this returns."""
        process = subprocess.Popen(self.command(*words, "--json"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        for line in process.stdout:
            if json.loads(line)["step"] > 0:
                return process
        raise AssertionError(process.stderr.read())

    def rows(self):
        ended = self.call("runs", "--json")
        return {row["run"]: row for row in map(json.loads, ended.stdout.splitlines())}

    def run_folder(self, run):
        return self.folder / "runs" / str(self.rows()[run]["id"])

    def last_checkpoint(self, run):
        """Step and SHA-256."""
        paths = sorted((self.run_folder(run) / "checkpoints").glob("*.safetensors"))
        return int(paths[-1].stem[5:]), hashlib.sha256(paths[-1].read_bytes()).hexdigest()

    def losses(self, run):
        ended = self.call("log", "--run", run, "--tag=^loss$", "--json")
        series = json.loads(ended.stdout)
        return dict(zip(series["steps"], series["values"]))

    def changes(self, run):
        """What stands in [changes] of its project: step -> text."""
        text = (self.run_folder(run) / "project.ini").read_text()
        _, found, group = text.partition("[changes]\n")
        return dict(line.split("=", 1) for line in group.split("\n\n")[0].splitlines()) if found \
            else {}


def make_dropout(samples):
    """The digits with a mask over the hidden layer: a stream that is drawn from at each step."""
    folder = samples / "dropout"
    shutil.copytree(samples / "digits-mlp", folder)
    graph = folder / "model.pbtxt"
    nodes = re.split(r"(?m)^(?=node \{)", graph.read_text())
    hidden = next(re.search(r'name: "([^"]*)"', node)[1] for node in nodes
                  if 'op: "Relu"' in node)
    reader = next(i for i, node in enumerate(nodes)
                  if 'op: "MatMul"' in node and f'input: "{hidden}"' in node)
    nodes[reader] = nodes[reader].replace(f'input: "{hidden}"', 'input: "drop/value"')
    graph.write_text("".join(nodes[:1]) + mask(hidden) + "".join(nodes[1:]))


def check_bits(tap, sluice, folder, samples):
    for name, what, rate in SAMPLES:
        workspace = Workspace(sluice, folder / f"bits-{name}")
        project = samples / name
        process = workspace.start("train", project, "--steps", MANY, "--set=checkpoint-every=0",
                                  "--run=live")
        step = workspace.ask("live", "pause")["step"]
        workspace.ask("live", "checkpoint")
        end = step + 12
        workspace.ask("live", "set", f"steps={end}")
        workspace.ask("live", "set", f"learning-rate={rate}")
        workspace.ask("live", "go")
        _, said = process.communicate(timeout=120)
        tap.point(f"{name} ({what}): a run is changed at a step and comes to its new end",
                  process.returncode == 0 and workspace.rows()["live"]["step"] == end, said)
        common = ("launch", project, "checkpoint-every=0")
        workspace.call(*common, f"steps={MANY}", "--at", f"{step}:steps={end}", "--at",
                       f"{step}:learning-rate={rate}", "--run=planned")
        workspace.call(*common, f"steps={end}", "--run=unchanged")
        live, planned = (workspace.last_checkpoint(run) for run in ("live", "planned"))
        tap.point(f"{name}: it equals the run that was planned so, bit for bit",
                  live == planned and live[0] == end
                  and workspace.losses("live") == workspace.losses("planned")
                  and live != workspace.last_checkpoint("unchanged"), live, planned)
        forked = [workspace.call("fork", "live", "--step", at, "--run", f"fork{at - step}")
                  for at in (step, step + 5, step - 1)]
        parent = workspace.losses("live")
        for at, ended in zip((0, 5, -1), forked):
            run = f"fork{at}"
            losses = workspace.losses(run)
            tap.point(f"{name}: a fork {at} steps from a checkpoint equals its parent",
                      ended.returncode == 0 and workspace.last_checkpoint(run) == live
                      and losses == {k: v for k, v in parent.items() if k > step + at}
                      and workspace.rows()[run]["parent_step"] == step + at
                      and ("computed again" in ended.stderr) == (at != 0), ended.stderr)


def check_words(tap, workspace, project):
    process = workspace.start("train", project, "--steps", MANY, "--run=long")
    for words, status, part in (
            (("long",), 2, "give a RUN"),
            (("long", "dance"), 2, "there are pause, go, step"),
            (("long", "set"), 2, "'set'"),
            (("long", "pause", "now"), 2, "'pause'"),
            (("long", "pause", "--wait", 0), 2, "--wait"),
            (("lon", "pause"), 1, "did you mean 'long'"),
            (("long", "step", "x"), 1, "whole number"),
            (("long", "set", "batch=3"), 1, "sluice fork RUN --step"),
            (("long", "set", "lerning-rate=3"), 1, "learning-rate")):
        ended = workspace.call("control", *words)
        tap.point(f"control {' '.join(map(str, words))}: says what is wrong",
                  ended.returncode == status and part in ended.stderr, ended.stderr)
    answer = workspace.ask("long", "pause")
    tap.point("a pause is answered when the run is paused",
              workspace.rows()["long"]["state"] == "paused"
              and workspace.rows()["long"]["step"] == answer["step"], answer)
    stopped = workspace.ask("long", "stop")
    process.communicate(timeout=60)
    row = workspace.rows()["long"]
    tap.point("a stop is answered when the run is saved",
              process.returncode == 0 and row["state"] == "stopped"
              and workspace.last_checkpoint("long")[0] == stopped["step"] == answer["step"], row)
    ended = workspace.call("control", "long", "go")
    tap.point("a run that is not at work is told so",
              ended.returncode == 1 and "not at work: it is stopped" in ended.stderr, ended.stderr)
    for words, part in ((("--at", "x:learning-rate=1"), "STEP:KEY=VALUE"),
                        (("--at", "5:batch=1"), "cannot change at a step"),
                        (("--at", "5:steps=5"), "later")):
        ended = workspace.call("launch", project, *words, "--run=none")
        tap.point(f"{' '.join(words)} is refused before anything is begun",
                  ended.returncode == 1 and part in ended.stderr
                  and "none" not in workspace.rows(), ended.stderr)
    ended = workspace.call("fork", "long")
    tap.point("a fork wants a step", ended.returncode == 2 and "--step K" in ended.stderr)
    ended = workspace.call("fork", "long", "--step", stopped["step"], "--queue", "--run=waits",
                           f"steps={stopped['step'] + 3}")
    waits = workspace.rows()["waits"]
    tap.point("a fork waits in the queue", ended.returncode == 0 and waits["state"] == "waiting"
              and waits["parent_step"] == stopped["step"], ended.stderr, waits)
    ended = workspace.call("queue", "run")
    tap.point("and is trained there", workspace.rows()["waits"]["state"] == "finished",
              ended.stderr)


def check_kills(tap, sluice, folder, project):
    """Killed at any moment around a change: the run goes on as planned with it, or as without, and
    what was answered holds."""
    lots, wrong, n_changed = random.Random(5), [], 0
    for nth in range(N_KILLS):
        workspace = Workspace(sluice, folder / f"killed{nth}")
        process = workspace.start("train", project, "--steps", MANY, "--run=live",
                                  "--set=checkpoint-every=200")
        control = subprocess.Popen(workspace.command("control", "live", "set",
                                                     "learning-rate=0.001"),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            control.wait(timeout=lots.uniform(0.01, 0.12))
        except subprocess.TimeoutExpired:
            pass
        process.kill()
        process.communicate()
        said = control.communicate(timeout=60)
        changes = workspace.changes("live")
        n_changed += bool(changes)
        if control.returncode == 0 and not changes:
            wrong.append(("answered and forgotten", said))
        if workspace.rows()["live"]["state"] != "crashed":
            wrong.append(workspace.rows()["live"])
        end = 200 + max([*map(int, changes), *workspace.losses("live")])
        at = [word for step in changes for word in ("--at", f"{step}:learning-rate=0.001")]
        ended = workspace.call("train", "--resume", "live", "--steps", end)
        workspace.call("train", project, "--steps", end, "--run=planned",
                       "--set=checkpoint-every=200", *at)
        if (workspace.last_checkpoint("live") != workspace.last_checkpoint("planned")
                or workspace.losses("live") != workspace.losses("planned")):
            wrong.append((changes, end, ended.stderr, said))
    tap.point(f"killed {N_KILLS} times around a change ({n_changed} times behind it), each run "
              "equals the one that was planned as its folder says", not wrong, wrong)


def main(sluice, source):
    tap = Tap()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        samples = folder / "samples"
        shutil.copytree(pathlib.Path(source) / "data" / "samples", samples)
        make_dropout(samples)
        check_bits(tap, sluice, folder, samples)
        check_words(tap, Workspace(sluice, folder / "words"), samples / "digits-mlp")
        check_kills(tap, sluice, folder, samples / "digits-mlp")
    tap.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
