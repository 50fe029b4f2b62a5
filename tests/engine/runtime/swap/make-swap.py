#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""make-swap.py: writes swap.meta.gz beside itself, with TensorFlow 2.

Loops of TF1 with and without swap_memory, which only their contexts tell: one around another that
has none, one in a branch, one plain.
"""
import gzip
import pathlib

import tensorflow.compat.v1 as tf

STEPS = 60


def loop(func, x, swap, name, steps=STEPS):
    return tf.while_loop(lambda i, _: i < steps, lambda i, z: (i + 1, func(z)), [0, x],
                         swap_memory=swap, name=name)[1]


def build():
    x = tf.placeholder(tf.float32, [64, 64], name="x")
    outer = loop(lambda z: loop(tf.sin, z, False, "inner", 2), x, True, "outer")
    branch = tf.cond(x[0, 0] > 0, lambda: loop(tf.tanh, x, True, "branch"), lambda: x)
    tf.identity(outer, name="nested")
    tf.identity(branch, name="conditional")
    tf.identity(loop(tf.tanh, x, False, "plain"), name="unmarked")


def main():
    tf.disable_v2_behavior()
    tf.disable_control_flow_v2()
    with tf.Graph().as_default():
        build()
        meta = tf.train.export_meta_graph(strip_default_attrs=True)
    meta.meta_info_def.ClearField("stripped_op_list")
    path = pathlib.Path(__file__).with_name("swap.meta.gz")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as zipped:
        zipped.write(meta.SerializeToString(deterministic=True))


main()
