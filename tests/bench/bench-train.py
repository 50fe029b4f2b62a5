#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Training steps a second, of a sample and of 784-256-10 on noise.

usage: bench-train.py SLUICE SOURCE-FOLDER
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

N_EXAMPLES = 4096


def write_noise(folder):
    """As many images of noise as make a few dozen batches, in IDX."""
    draw = random.Random(1)
    count = N_EXAMPLES.to_bytes(4, "big")
    side = (28).to_bytes(4, "big")
    images = draw.randbytes(N_EXAMPLES * 784)
    (folder / "x.idx").write_bytes(b"\0\0\x08\x03" + count + side + side + images)
    labels = bytes(draw.randrange(10) for _ in range(N_EXAMPLES))
    (folder / "y.idx").write_bytes(b"\0\0\x08\x01" + count + labels)


def measure(sluice, project, name):
    for threads in ("1", "0"):
        run = subprocess.run([sluice, "bench", "--json", "--threads", threads, project],
                             stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(run.stdout)
        figures["name"] = f"train/{name}/threads={figures.pop('threads')}"
        print(json.dumps(figures), flush=True)


def main(sluice, source):
    measure(sluice, f"{source}/data/samples/digits-mlp", "digits-mlp")
    measure(sluice, f"{source}/data/samples/digits-lenet", "digits-lenet")
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder) / "mlp-784"
        shutil.copytree(f"{source}/tests/bench/mlp-784", project)
        write_noise(project)
        measure(sluice, project, "784-256-10")


main(*sys.argv[1:])
