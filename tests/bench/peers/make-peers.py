#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Writes projects that train what TensorFlow and PyTorch are compared on. See README.md.

usage: make-peers.py SHARED OUT [NAME...]

SHARED holds models.py (shapes, initial values, batches) and tf_bench.py (the losses); OUT gets a
folder for each model. Needs TensorFlow.
"""
import pathlib
import sys

import numpy as np

PROJECT = """[project]
name={name}
graph=model.pb
init=init
train=step
loss=loss:0

[train]
steps=100
batch={batch}
seed=1
checkpoint-every=0
summary-every=0
evaluate-every=0

[data]
source=npy
train-x=x.npy
train-y=y.npy
shuffle=false
x=x:0
y=y:0
"""


def block_lstm_loss(variables, x, y, updates):
    """The peers' LSTM with all of its steps in one op, as nn.LSTM has them."""
    import tensorflow as tf
    import tf_bench
    steps, batch, cells = 64, 32, 128
    state, none = tf.zeros([batch, cells]), tf.zeros([cells])
    h = tf.raw_ops.BlockLSTM(seq_len_max=tf.constant(steps, tf.int64), x=x, cs_prev=state,
                             h_prev=state, w=variables["w"], wci=none, wcf=none, wco=none,
                             b=variables["b"], forget_bias=1.0, cell_clip=-1.0).h
    logits = tf.matmul(tf.reshape(h, [steps * batch, cells]), variables["wo"])
    return tf_bench.xent(tf.nn.bias_add(logits, variables["bo"]), y)


def make_graph(tf1, models, name, loss, x_shape, y_shape, dtypes):
    """The training graph as the peers' script builds it, initial values included."""
    kind, rate = models.OPT[name]
    with tf1.Graph().as_default() as graph:
        x = tf1.placeholder(dtypes[0], x_shape, name="x")
        y = tf1.placeholder(dtypes[1], y_shape, name="y")
        variables = {n: tf1.get_variable(n + "_", initializer=v, trainable=bool(t),
                                         use_resource=True)
                     for n, v, t in models.params(name)}
        updates = []
        cost = loss(variables, x, tf1.reshape(y, [-1]), updates)
        optimizer = (tf1.train.GradientDescentOptimizer(rate) if kind == "sgd"
                     else tf1.train.MomentumOptimizer(rate, 0.9))
        minimize = optimizer.minimize(cost)
        moving = [tf1.assign_sub(v, 0.1 * (v - m)) for v, m in updates]
        tf1.group(minimize, *moving, name="step")
        tf1.identity(cost, name="loss")
        tf1.group(tf1.global_variables_initializer(), name="init")
    return graph.as_graph_def()


def main(shared, out, *names):
    sys.path.insert(0, shared)
    import models
    import tf_bench
    tf1 = tf_bench.tf1
    tf1.disable_v2_behavior()
    losses = {**tf_bench.LOSS, "lstm": block_lstm_loss, "word2vec": tf_bench.loss_word2vec}
    for name in names or ("mlp", "mlp_small", "lenet", "resnet8", "lstm", "word2vec"):
        folder = pathlib.Path(out) / name
        folder.mkdir(parents=True, exist_ok=True)
        batches = models.batches(name)
        x, y = batches[0]
        # One example a row: a sequence model's first dimension is time, and so many rows a batch.
        y_shape = (len(x), len(y) // len(x))[:1 if len(x) == len(y) else 2]
        np.save(folder / "x.npy", np.concatenate([x for x, _ in batches]))
        np.save(folder / "y.npy", np.concatenate([y.reshape(y_shape) for _, y in batches]))
        graph = make_graph(tf1, models, name, losses[name], x.shape, y_shape, (x.dtype, y.dtype))
        (folder / "model.pb").write_bytes(graph.SerializeToString())
        (folder / "project.ini").write_text(PROJECT.format(name=name, batch=len(x)))
        print(f"{folder}: {len(graph.node)} nodes")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
