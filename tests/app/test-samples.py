#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The samples train, as TAP: a few steps each, or with --whole all of them to what they promise.

usage: test-samples.py SLUICE SOURCE-FOLDER [--whole]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

# Steps of the short form, and whether what is evaluated (or the loss) is good after all of them.
SAMPLES = {
    "cart-pole": (3, lambda end: end["evaluation"] >= 150),
    "digits-lenet": (5, lambda end: end["evaluation"] >= 0.98),
    "digits-mlp": (5, lambda end: end["evaluation"] >= 0.95),
    "hogwild": (8, lambda end: end["evaluation"] >= 0.98),
    "lstm": (2, lambda end: end["evaluation"] <= 2.5),
    "moe": (5, lambda end: end["evaluation"] >= 0.97),
    "towers": (5, lambda end: end["evaluation"] >= 0.98),
    "word2vec": (5, lambda end: end["loss"] < 0.6 * end["first loss"]),
}


def train(sluice, folder, workspace, steps):
    """What the last line of its JSON says, and the loss of the first."""
    command = [sluice, "train", folder, "--workspace", workspace, "--run", "run", "--json"]
    command += ["--steps", str(steps), "--set", "summary-every=2"] if steps is not None else []
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        return {}, done.stderr
    losses = [line["loss"] for line in lines if line["loss"] is not None]
    return {**lines[-1], "first loss": losses[0]}, done.stderr


def main(sluice, source, whole):
    tap = Tap()
    samples = pathlib.Path(source) / "data" / "samples"
    found = {path.parent.name for path in samples.glob("*/project.ini")}
    tap.point("every sample is tested", found == set(SAMPLES), found ^ set(SAMPLES))
    with tempfile.TemporaryDirectory() as temporary:
        for name, (steps, is_good) in SAMPLES.items():
            workspace = os.path.join(temporary, name)
            checked = subprocess.run([sluice, "check", samples / name], capture_output=True,
                                     text=True, check=False, timeout=300)
            tap.point(f"{name} has no problems", checked.returncode == 0, checked.stdout)
            end, errors = train(sluice, samples / name, workspace, None if whole else steps)
            good = end.get("state") == "finished" and (not whole or is_good(end))
            tap.point(f"{name} trains", good, end, errors)
            if name == "word2vec":
                lines = (pathlib.Path(workspace) / "runs/1/neighbours.txt").read_text().split("\n")
                tap.point("its words have neighbours", lines[0].startswith("mr: "), lines)
                if whole:
                    tap.point("sensible ones", "mrs" in lines[0].split(), lines)
    tap.end()


main(sys.argv[1], sys.argv[2], "--whole" in sys.argv[3:])
