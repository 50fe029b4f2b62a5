#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Models that were built by hand, in TensorFlow: the same loss and the same gradients.

usage: check-built.py SLUICE PROJECT...     with TensorFlow; as test-build-flow.py leaves them in its third argument

The parameters and the data are drawn by lot and fed on both sides, where the graph reads them; what is compared is the loss and
what each optimizer's node is given as its gradient.
"""
import configparser
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python.framework import op_def_registry

BATCH = 32
tf1 = tf.compat.v1


def parse(path):
    return text_format.Parse(path.read_text(), tf1.GraphDef())


def dims(shape):
    return [BATCH if d.size < 0 else d.size for d in shape.dim]


def draw(node, classes, rng):
    """A value of a placeholder or a variable."""
    dtype, shape = tf.as_dtype(node.attr["dtype"].type).as_numpy_dtype, dims(node.attr["shape"].shape)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, classes, shape).astype(dtype)
    return rng.normal(0, 0.2, shape).astype(dtype)


def feeds_of(graph, classes, rng):
    values = {n.name: draw(n, classes, rng) for n in graph.node if n.op in ("Placeholder", "VarHandleOp")}
    feeds = {n.name + ":0": values[n.name] for n in graph.node if n.op == "Placeholder"}
    feeds.update({n.name + ":0": values[n.input[0]] for n in graph.node if n.op == "ReadVariableOp"})
    return feeds


def gradients_of(graph):
    found = []
    for node in graph.node:
        if node.op.startswith("ResourceApply"):
            arguments = [a.name for a in op_def_registry.get(node.op).input_arg]
            edge = node.input[arguments.index("grad")]
            found.append(edge if ":" in edge else edge + ":0")
    return found


def ask_sluice(sluice, path, feeds, fetches):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npz"
        words = [sluice, "run", path, f"--out={out}"] + [f"--fetch={edge}" for edge in fetches]
        for i, (edge, value) in enumerate(feeds.items()):
            np.save(pathlib.Path(folder) / f"{i}.npy", value)
            words.append(f"--feed={edge}={folder}/{i}.npy")
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return [value for _, value in np.load(out).items()]


def ask_tensorflow(graph, feeds, fetches):
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.import_graph_def(graph, name="")
        return session.run(fetches, feeds)


def check(sluice, project):
    path = project / "model.pbtxt"
    ini = configparser.ConfigParser(strict=False)
    ini.read(project / "project.ini")
    loss = ini["project"]["loss"]
    graph = parse(path)
    feeds = feeds_of(graph, 10, np.random.default_rng(7))
    fetches = [loss] + gradients_of(graph)
    mine, theirs = ask_sluice(sluice, path, feeds, fetches), ask_tensorflow(graph, feeds, fetches)
    wrong = 0
    for edge, a, b in zip(fetches, mine, theirs, strict=True):
        worst = np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-30)
        wrong += not worst <= 1e-5
        print(f"{project.name} {edge} {list(b.shape)}: {worst:.2g} of its greatest value apart")
    return len(fetches), wrong


def main(sluice, *projects):
    counts = np.sum([check(sluice, pathlib.Path(project)) for project in projects], axis=0)
    print(f"{counts[0] - counts[1]} passed, {counts[1]} failed")
    sys.exit(int(counts[1] > 0))


main(*sys.argv[1:])
