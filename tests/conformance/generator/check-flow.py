#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Loads in TensorFlow what tests/api/test-flow.py FOLDER wrote, gradients and all, and compares.

usage: check-flow.py FOLDER
"""
import pathlib
import sys

import numpy as np
import tensorflow as tf


def main(folder):
    definition = tf.compat.v1.GraphDef.FromString((folder / "flow.pb").read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
    wrong = n = 0
    with tf.compat.v1.Session(graph=graph) as session:
        for p, file in ((True, "flow.npz"), (False, "flow-false.npz")):
            values = dict(np.load(folder / file))
            x = values.pop("arr_0")
            for name, value in values.items():
                n += 1
                try:
                    got = session.run(name + ":0", {"x:0": x, "p:0": p})
                except tf.errors.OpError as error:
                    wrong += 1
                    print(name, "fails:", error.message.split("\n")[0])
                    continue
                if got.shape != value.shape or not np.allclose(got, value, 1e-5):
                    wrong += 1
                    print(name, "is", got, "instead of", value)
    print(f"{n - wrong} passed, {wrong} failed")
    sys.exit(wrong > 0)


main(pathlib.Path(sys.argv[1]))
