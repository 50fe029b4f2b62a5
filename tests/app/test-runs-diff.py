#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice runs diff`: what differs between runs, and whether it is more than seeds do; and
`sluice diff` of two graphs. As TAP.

usage: test-runs-diff.py SLUICE SAMPLES
"""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

KINDS = ["graph", "setting", "data", "order", "seed", "start", "build", "machine", "devices",
         "threads"]


class Workspace:
    def __init__(self, sluice, samples):
        self.sluice, self.samples = sluice, samples
        self.folder = tempfile.mkdtemp()

    def call(self, *words):
        return subprocess.run([self.sluice, *words, "--workspace", self.folder], text=True,
                              capture_output=True, timeout=120)

    def train(self, project, name, *options):
        ended = self.call("train", os.path.join(self.samples, project), "--steps=40",
                          f"--run={name}", *options)
        assert ended.returncode == 0, ended.stderr

    def diff(self, *names):
        ended = self.call("runs", "diff", *names, "--json")
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)


def kinds_of(diff):
    return [kind for kind in KINDS if any(item["what"] == kind for item in diff["differs"])]


def check_seeds(tap, w):
    for seed in (1, 2, 3):
        w.train("digits-mlp", f"a{seed}", f"--seed={seed}")
    found = w.diff("a1", "a2")
    tap.point("runs that differ by their seed", kinds_of(found) == ["order", "seed"], found)
    tap.point("the other kinds are the same",
              found["same"] == [kind for kind in KINDS if kind not in ("order", "seed")], found)
    loss = next(r for r in found["results"] if r["tag"] == "loss")
    tap.point("their results differ by no more than seeds",
              loss["more_than_seeds"] is False and loss["values"][0] != loss["values"][1], loss)
    tap.point("nothing is said of what the machine did",
              not any(r["tag"].startswith("system/") for r in found["results"]))


def check_setting(tap, w):
    w.train("digits-mlp", "b1", "--seed=1", "--set=learning-rate=0.0001")
    found = w.diff("a1", "b1")
    tap.point("a setting", kinds_of(found) == ["setting"] and found["differs"][0]["values"][1]
              == "0.0001" and found["differs"][0]["name"] == "learning-rate", found["differs"])
    loss = next(r for r in found["results"] if r["tag"] == "loss")
    tap.point("a rate that learns nothing differs by more than seeds",
              loss["more_than_seeds"] is True and "± " in loss["why"], loss)
    w.train("digits-mlp", "c1", "--seed=1", "--threads=1", "--cpus=2")
    found = w.diff("a1", "c1")
    tap.point("threads and devices",
              set(kinds_of(found)) <= {"devices", "threads"} and "devices" in kinds_of(found),
              found["differs"])


def check_which(tap, w):
    """Of two settings one does nothing in so few steps."""
    w.train("digits-mlp", "d1", "--seed=1", "--set=learning-rate=0.1", "--set=evaluate-every=7")
    ended = w.call("runs", "diff", "a1", "d1", "--which-matters", "--steps=30", "--json")
    found = json.loads(ended.stdout) if ended.stdout else {"matters": []}
    matters = {one["name"]: one for one in found["matters"]}
    tap.point("which one matters", ended.returncode == 0
              and list(matters) == ["overrides.learning-rate", "train.evaluate-every"]
              and matters["overrides.learning-rate"]["matters"]
              and not matters["train.evaluate-every"]["matters"]
              and matters["train.evaluate-every"]["effect"] == 0, ended.stderr, found)
    tap.point("the largest effect first, ±", found["seeds"] == 3 and found["spread"] > 0
              and matters["overrides.learning-rate"]["plus_minus"] > 0, found)
    text = w.call("runs", "diff", "a1", "d1", "--which-matters", "--steps=10").stdout
    tap.point("in words", "\nlearning-rate: – | 0.1  " in text, text)
    for words, status, part in ((["a1", "a2"], 1, "by their seed alone"),
                                (["a1", "a2", "d1"], 2, "give two RUNs")):
        ended = w.call("runs", "diff", *words, "--which-matters")
        tap.point("refused: --which-matters " + " ".join(words),
                  ended.returncode == status and part in ended.stderr, ended.stderr)


def short_runs(w):
    ended = w.call("runs", "--filter", 'group:"which matters" steps=300', "--json")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def check_which_killed(tap, w):
    """The short runs are runs of the queue: a kill leaves them there, asking again goes on."""
    words = ("runs", "diff", "a1", "d1", "--which-matters", "--steps=300", "--json")
    first = subprocess.Popen([w.sluice, *words, "--workspace", w.folder],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while first.poll() is None and not any(run["state"] == "finished" for run in short_runs(w)):
        pass
    first.kill()
    first.wait()
    left = short_runs(w)
    tap.point("killed, what was asked for waits", len(left) == 12
              and any(run["state"] != "finished" for run in left),
              [run["state"] for run in left])
    ended = w.call(*words)
    found = json.loads(ended.stdout) if ended.stdout else {"matters": []}
    now = short_runs(w)
    tap.point("asked again, it goes on to the answer", ended.returncode == 0
              and len(found["matters"]) == 2 and all(run["state"] == "finished" for run in now)
              and {run["id"] for run in now} == {run["id"] for run in left}, ended.stderr)
    before = w.call("runs", "--json").stdout
    again = w.call(*words)
    tap.point("and a third time it has it without a run", again.stdout == ended.stdout
              and w.call("runs", "--json").stdout == before)


def check_few(tap, w):
    w.train("digits-lenet", "lenet")
    w.train("digits-lenet", "lenet2", "--set=batch=16")
    found = w.diff("lenet", "lenet2")
    loss = next(r for r in found["results"] if r["tag"] == "loss")
    tap.point("too few seeds: nothing is claimed",
              loss["more_than_seeds"] is None and "too few runs" in loss["why"], loss)


def check_data(tap, w):
    """The same settings over other data are no other seed."""
    samples = os.path.join(w.folder, "samples")
    for name in ("digits-mlp", "data"):
        shutil.copytree(os.path.join(w.samples, name), os.path.join(samples, name))
    path = os.path.join(samples, "data", "digits", "train-images-idx3-ubyte.gz")
    with gzip.open(path) as file:
        images = bytearray(file.read())
    images[16:] = bytes(len(images) - 16)
    with gzip.open(path, "wb") as file:
        file.write(images)
    w.train(os.path.join(samples, "digits-mlp"), "blank", "--seed=1")
    found = w.diff("a1", "blank")
    loss = next(r for r in found["results"] if r["tag"] == "loss")
    tap.point("other data are told", kinds_of(found) == ["data"]
              and found["differs"][0]["name"] == "train-x", found["differs"])
    tap.point("and what came of them is no matter of seeds", loss["more_than_seeds"] is True, loss)


def check_graph(tap, w):
    found = w.diff("a1", "lenet")
    names = [item["name"] for item in found["differs"] if item["what"] == "graph"]
    tap.point("of two graphs the nodes are told",
              "conv1/weights" in names and "hidden/relu" in names, names[:20])
    three = w.diff("a1", "a2", "lenet")
    hashes = [item["values"] for item in three["differs"] if item["what"] == "graph"]
    tap.point("of three runs, which has another one",
              len(hashes) == 1 and hashes[0][0] == hashes[0][1] != hashes[0][2], hashes)


def check_refused(tap, w):
    for words, status, part in ((["a1"], 2, "two RUNs or more"), (["a1", "zz"], 1, "no run 'zz'")):
        ended = w.call("runs", "diff", *words)
        tap.point("refused: diff " + " ".join(words),
                  ended.returncode == status and part in ended.stderr, ended.stderr)
    text = w.call("runs", "diff", "a1", "b1").stdout
    tap.point("in words", "learning-rate: 0.003 | 0.0001" in text and "more than seeds do" in text
              and "the same: " in text, text)


def check_graphs(tap, w):
    mlp, lenet = (os.path.join(w.samples, name) for name in ("digits-mlp", "digits-lenet"))
    def diff(a, b):
        ended = subprocess.run([w.sluice, "diff", a, b, "--json"], text=True, capture_output=True,
                               timeout=60)
        return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()]
    tap.point("a graph is no other than itself", diff(mlp, mlp) == (0, []))
    status, lines = diff(mlp, lenet)
    tap.point("nodes of one are added, those of the other removed", status == 0
              and {"kind": "added", "node": "conv1/conv2d", "was": None, "what": []} in lines
              and {"kind": "removed", "node": "hidden/relu", "was": None, "what": []} in lines,
              lines[:5])
    changed = next(line for line in lines if line["node"] == "logits/weights")
    tap.point("and what both have is told field by field", changed["kind"] == "changed"
              and all(set(field) == {"field", "from", "to"} for field in changed["what"]), changed)


def main():
    tap, w = Tap(), Workspace(*map(os.path.abspath, sys.argv[1:]))
    try:
        check_seeds(tap, w)
        check_setting(tap, w)
        check_which(tap, w)
        check_which_killed(tap, w)
        check_few(tap, w)
        check_data(tap, w)
        check_graph(tap, w)
        check_refused(tap, w)
        check_graphs(tap, w)
    finally:
        shutil.rmtree(w.folder)
    tap.end()


main()
