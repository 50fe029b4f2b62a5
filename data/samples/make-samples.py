#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Writes model.pbtxt of the samples with TensorFlow 2.21; trains digits there, too, as a check.

Only whoever changes a sample needs this: the graphs are part of the source tree.
usage: make-samples.py [--check] [NAME...]
"""
import configparser
import gzip
import pathlib
import re
import sys
import time

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

from graphs import cart_pole, digits, experts, layers, lstm, towers, word2vec

v1 = tf.compat.v1
HERE = pathlib.Path(__file__).resolve().parent
EMMA = HERE / "data" / "emma"
NOTICE = """# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""


def lenet():
    return digits.build(layers.lenet, lambda rate: v1.train.MomentumOptimizer(rate, 0.9), 0.03,
                        0.001, 500, resource=False)


def words():
    """Writes the novel as numbers of words, too."""
    vocabulary, numbers = word2vec.read_words(EMMA / "train.txt.gz")
    word2vec.write_idx(EMMA / "words-idx1-short.gz", numbers)
    return word2vec.build(vocabulary)


SAMPLES = {
    "cart-pole": cart_pole.build,
    "moe": experts.build,
    "hogwild": towers.asynchronous,
    "digits-lenet": lenet,
    "digits-mlp": lambda: digits.build(layers.mlp, v1.train.AdamOptimizer, 0.003, 0.0003, 4000,
                                       resource=True),
    "towers": towers.synchronous,
    "lstm": lstm.build,
    "word2vec": words,
    "../../tests/bench/mlp-784": lambda: digits.build(
        layers.wide_mlp, v1.train.GradientDescentOptimizer, 0.05, 0.0001, 1000, resource=True,
        size=28),
}
CHECKED = ("digits-lenet", "digits-mlp")


def idx(name):
    data = gzip.open(HERE / "data/digits" / name).read()
    rank = data[3]
    shape = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(rank)]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def check(name, graph, seed):
    """Trains as project.ini says; prints the test accuracy."""
    ini = configparser.ConfigParser()
    ini.read(HERE / name / "project.ini")
    steps, batch = ini.getint("train", "steps"), ini.getint("train", "batch")
    x = (idx("train-images-idx3-ubyte.gz") / np.float32(255))[..., None].astype(np.float32)
    y = idx("train-labels-idx1-ubyte.gz")
    tx = (idx("t10k-images-idx3-ubyte.gz") / np.float32(255))[..., None].astype(np.float32)
    ty = idx("t10k-labels-idx1-ubyte.gz")
    random = np.random.RandomState(seed)
    epochs = steps * batch // len(x) + 1
    order = np.concatenate([random.permutation(len(x)) for _ in range(epochs)])
    config = v1.ConfigProto(intra_op_parallelism_threads=2, inter_op_parallelism_threads=1)
    with v1.Session(graph=graph, config=config) as session:
        session.run("init")
        start = time.time()
        for i in range(steps):
            rows = order[i * batch:(i + 1) * batch]
            session.run("train/step", {"input/x:0": x[rows], "input/y:0": y[rows]})
            if (i + 1) % 5000 == 0 or i + 1 == steps:
                values = session.run(["loss/value:0", "accuracy/value:0"],
                                     {"input/x:0": tx, "input/y:0": ty})
                print(f"{name} shuffle {seed} step {i + 1}: test loss {values[0]:.4f}"
                      f" accuracy {values[1]:.4f} after {time.time() - start:.1f} s", flush=True)
        session.run("summaries/merged:0", {"input/x:0": x[:4], "input/y:0": y[:4]})


def main():
    # Loops and conditionals of Switch, Merge and Enter, not of functions.
    v1.disable_control_flow_v2()
    names = [name for name in sys.argv[1:] if name != "--check"]
    for name in names or SAMPLES:
        graph = SAMPLES[name]()
        text = text_format.MessageToString(graph.as_graph_def())
        (HERE / name / "model.pbtxt").write_text(NOTICE + text)
        ops = sorted(set(re.findall(r'^  op: "(.*)"$', text, re.M)))
        print(name, len(graph.get_operations()), "nodes:", " ".join(ops), flush=True)
        if "--check" in sys.argv and name in CHECKED:
            for seed in range(1, 5):
                check(name, graph, seed)


main()
