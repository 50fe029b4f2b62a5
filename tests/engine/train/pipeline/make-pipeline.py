#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""make-pipeline.py: writes good.meta.gz and bad.meta.gz beside itself, with TensorFlow 2.

A linear model whose input comes from two queues that queue runners fill, as TF1 programs have it:
lines of text, parsed, in batches of 4. Three epochs of 8 lines are 6 batches. In bad.meta.gz line
5 is no number.
"""
import gzip
import pathlib

import tensorflow.compat.v1 as tf

EPOCHS, LINES, BATCH = 3, 8, 4


def line(i, bad):
    x = [(i * 7 % 5) / 5, (i * 3 % 4) / 4]
    return "oops,0,0" if bad and i == 5 else f"{x[0]},{x[1]},{2 * x[0] - x[1]}"


def build(bad):
    lines = tf.train.string_input_producer([line(i, bad) for i in range(LINES)],
                                           num_epochs=EPOCHS, shuffle=False, name="lines")
    x0, x1, y = tf.decode_csv(lines.dequeue(), [[0.0], [0.0], [0.0]])
    x, y = tf.train.batch([tf.stack([x0, x1]), y], BATCH, num_threads=1, capacity=16, name="batch")
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(x, w), 1) - y), name="loss")
    tf.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
    tf.group(tf.global_variables_initializer(), tf.local_variables_initializer(), name="init_all")


def main():
    tf.disable_v2_behavior()
    for name, bad in (("good", False), ("bad", True)):
        with tf.Graph().as_default():
            build(bad)
            meta = tf.train.export_meta_graph(strip_default_attrs=True)
        meta.meta_info_def.ClearField("stripped_op_list")
        path = pathlib.Path(__file__).with_name(name + ".meta.gz")
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as zipped:
            zipped.write(meta.SerializeToString(deterministic=True))


main()
