#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Makes what lies beside it, by TensorFlow: a graph, what its debugger and its profiler say of it.

usage: make.py FOLDER
"""
import glob
import os
import shutil
import sys
import tempfile

import tensorflow as tf
from tensorflow.tsl.profiler.protobuf import xplane_pb2


def net(x):
    w = tf.constant([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]], name="w")
    y = tf.nn.relu(tf.matmul(x, w, name="product"), name="relu")
    low, high = tf.split(tf.concat([y, -y], 1), 2, axis=1, name="halves")
    return tf.reduce_sum(tf.tanh(low) * high, name="total")


def traced():
    return tf.function(net, input_signature=[tf.TensorSpec([2, 2], tf.float32, name="x")])


def dump(folder, mode, name):
    with tempfile.TemporaryDirectory() as root:
        tf.debugging.experimental.enable_dump_debug_info(root, tensor_debug_mode=mode,
                                                         circular_buffer_size=-1)
        traced()(tf.constant([[1.0, 2.0], [-3.0, 0.5]]))
        tf.debugging.experimental.disable_dump_debug_info()
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        for path in glob.glob(os.path.join(root, "*.graph_execution_traces")):
            shutil.copy(path, os.path.join(folder, name,
                                           "tfdbg_events.0.host.graph_execution_traces"))


def profile(folder):
    step = traced()
    x = tf.constant([[1.0, 2.0], [-3.0, 0.5]])
    step(x)
    with tempfile.TemporaryDirectory() as root:
        with tf.profiler.experimental.Profile(root):
            for number in range(3):
                with tf.profiler.experimental.Trace("train", step_num=number + 1, _r=1):
                    step(x)
        space = xplane_pb2.XSpace()
        with open(glob.glob(os.path.join(root, "plugins/profile/*/*.xplane.pb"))[0], "rb") as file:
            space.ParseFromString(file.read())
    for plane in list(space.planes):
        for line in plane.lines:
            if len(line.events) > 60:
                del line.events[60:]
        if not any(len(line.events) for line in plane.lines):
            space.planes.remove(plane)
        else:
            used = {event.metadata_id for line in plane.lines for event in line.events}
            for key in [key for key in plane.event_metadata if key not in used]:
                del plane.event_metadata[key]
    with open(os.path.join(folder, "host.xplane.pb"), "wb") as file:
        file.write(space.SerializeToString())
    with open(os.path.join(folder, "host.xplane.tsv"), "w", encoding="utf-8") as file:
        for plane in space.planes:
            for line in plane.lines:
                for event in line.events:
                    name = plane.event_metadata[event.metadata_id]
                    start = line.timestamp_ns + event.offset_ps // 1000
                    file.write(f"{start}\t{start + event.duration_ps // 1000}\t"
                               f"{name.display_name or name.name}\n")


def main():
    folder = sys.argv[1]
    graph = traced().get_concrete_function().graph.as_graph_def()
    with open(os.path.join(folder, "graph.pb"), "wb") as file:
        file.write(graph.SerializeToString())
    dump(folder, "FULL_TENSOR", "values")
    dump(folder, "CONCISE_HEALTH", "health")
    profile(folder)


main()
