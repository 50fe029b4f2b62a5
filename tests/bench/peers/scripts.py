#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The models of data/samples/scripts in Sluice and in TensorFlow: the same numbers, and how fast.

usage: scripts.py SLUICE SOURCE [MODEL...]      needs TensorFlow 2.21

TensorFlow runs the graph that `sluice edit` made, gradients and updates included. First both
compute loss and gradients from the same variables and feeds; then both train in turns on one
thread. What is said is processor time, which others on the machine hardly change.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
from google.protobuf import text_format

v1 = tf.compat.v1
v1.disable_eager_execution()
# Which input of an optimizer's update is the gradient.
GRADIENT = {"ResourceApplyAdam": 9, "ResourceApplyMomentum": 3}
ROUNDS = 5


def feeds_of(name, rng):
    if name.startswith("digits"):
        return {"x/fed": rng.uniform(size=(64, 8, 8, 1)).astype(np.float32),
                "y/fed": rng.integers(0, 10, 64)}
    return {edge: rng.integers(32, 127, (16, 64)).astype(np.uint8) for edge in ("x/fed", "y/fed")}


def make_project(sluice, source, name, folder):
    scripts = source / "data/samples/scripts"
    settings = (scripts / f"{name}.ini").read_text().replace("../data/", f"{scripts.parent}/data/")
    (folder / "project.ini").write_text(settings)
    subprocess.run([sluice, "edit", "--new", "--script", scripts / f"{name}.txt", "--out",
                    folder / "model.pbtxt"], check=True, stdout=subprocess.DEVNULL)
    graph = v1.GraphDef()
    text_format.Parse((folder / "model.pbtxt").read_text(), graph)
    return graph


def gradients_of(graph):
    found = [node.input[GRADIENT[node.op]] for node in graph.node if node.op in GRADIENT]
    return found + [node.name for node in graph.node if node.op == "UnsortedSegmentSum"
                    and node.name.startswith("train/")]


def compare(sluice, folder, graph, feeds):
    """The largest difference of loss and gradients, relative where they are over 1."""
    nodes = {node.name: node for node in graph.node}
    variables = [name for name, node in nodes.items()
                 if node.op == "VarHandleOp" and f"{name}/Assign" in nodes]
    reads = [f"{name}/Read/ReadVariableOp" for name in variables]
    fetches = list(dict.fromkeys(["loss/output", *gradients_of(graph), *reads]))
    options = []
    for number, (edge, value) in enumerate(feeds.items()):
        np.save(folder / f"{number}.npy", value)
        options.append(f"--feed={edge}={folder / f'{number}.npy'}")
    subprocess.run([sluice, "run", folder / "model.pbtxt", "--target=init", *options,
                    *(f"--fetch={edge}" for edge in fetches), f"--out={folder / 'ours.npz'}"],
                   check=True, stdout=subprocess.DEVNULL)
    ours = np.load(folder / "ours.npz")
    ours = [ours[edge] if edge in ours else ours[edge + ":0"] for edge in fetches]
    by_edge = dict(zip(fetches, ours))
    with tf.Graph().as_default() as other, v1.Session() as session:
        tf.import_graph_def(graph, name="")

        def tensor(edge):
            return other.get_tensor_by_name(edge if ":" in edge else edge + ":0")
        session.run("init", {tensor(nodes[f"{name}/Assign"].input[1]): by_edge[read]
                             for name, read in zip(variables, reads)})
        theirs = session.run([tensor(edge) for edge in fetches],
                             {tensor(edge): value for edge, value in feeds.items()})
    return max(float(np.max(np.abs(a - b) / np.maximum(1, np.abs(b)), initial=0))
               for a, b in zip(ours, theirs))


def measure(sluice, folder, graph, feeds):
    """Seconds of a processor a step, ours and theirs, the medians of the rounds."""
    one = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    ours, theirs = [], []
    served = subprocess.Popen([sluice, "bench", "--threads", "1", "--serve", folder], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    served.stdout.readline()
    with tf.Graph().as_default() as other, v1.Session(config=one) as session:
        tf.import_graph_def(graph, name="")
        session.run("init")
        step = session.make_callable(
            [other.get_tensor_by_name("loss/output:0"), other.get_operation_by_name("train")],
            feed_list=[other.get_tensor_by_name(edge + ":0") for edge in feeds])
        for _ in range(5):
            step(*feeds.values())
        for _ in range(ROUNDS):
            served.stdin.write("rep 1\n")
            served.stdin.flush()
            said = json.loads(served.stdout.readline())
            ours.append(said["cpu"] / said["n"])
            begin, ends, n = time.process_time(), time.monotonic() + 1, 0
            while time.monotonic() < ends:
                step(*feeds.values())
                n += 1
            theirs.append((time.process_time() - begin) / n)
    served.communicate("quit\n")
    return float(np.median(ours)), float(np.median(theirs))


def main(sluice, source, *names):
    source = pathlib.Path(source).resolve()
    for name in names or sorted(p.stem for p in (source / "data/samples/scripts").glob("*.txt")):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            graph = make_project(sluice, source, name, folder)
            feeds = feeds_of(name, np.random.default_rng(3))
            worst = compare(sluice, folder, graph, feeds)
            ours, theirs = measure(sluice, folder, graph, feeds)
            print(f"{name}: {len(graph.node)} nodes, {len(gradients_of(graph))} gradients, largest "
                  f"difference {worst:.1e}; {ours * 1e3:.2f} and {theirs * 1e3:.2f} ms a step, "
                  f"ratio {theirs / ours:.2f}", flush=True)


main(*sys.argv[1:])
