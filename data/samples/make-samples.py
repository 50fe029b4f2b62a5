#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Writes model.pbtxt of the samples with TensorFlow 2.21 itself, and trains them there as a check.

Only whoever changes a sample needs this: the graphs are part of the source tree.
usage: make-samples.py [--check]
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

v1 = tf.compat.v1
HERE = pathlib.Path(__file__).resolve().parent
SEED = 1
NOTICE = """# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""


def weights(shape, stddev):
    """Weights, and their norm for the loss beside them."""
    initial = tf.random.truncated_normal(shape, stddev=stddev, name="initial")
    value = v1.get_variable("weights", initializer=initial)
    v1.add_to_collection("norms", tf.nn.l2_loss(value, name="norm"))
    return value


def biases(size):
    return v1.get_variable("biases", initializer=tf.zeros([size], name="zeros"))


def dense(name, x, inputs, outputs, activation=None):
    with v1.variable_scope(name):
        w = weights([inputs, outputs], (2.0 / inputs) ** 0.5)
        b = biases(outputs)
        y = tf.nn.bias_add(tf.matmul(x, w, name="matmul"), b, name="bias_add")
        return (activation(y, name="relu") if activation else y), w


def conv(name, x, inputs, outputs):
    with v1.variable_scope(name):
        w = weights([3, 3, inputs, outputs], (2.0 / (9 * inputs)) ** 0.5)
        b = biases(outputs)
        y = tf.nn.conv2d(x, w, strides=1, padding="SAME", name="conv2d")
        return tf.nn.relu(tf.nn.bias_add(y, b, name="bias_add"), name="relu"), w


def pool(name, x):
    with v1.name_scope(name):
        return tf.nn.max_pool2d(x, ksize=2, strides=2, padding="SAME", name="max_pool")


def mlp(x):
    with v1.name_scope("input/"):
        flat = tf.reshape(x, [-1, 64], name="flat")
    hidden, w1 = dense("hidden", flat, 64, 128, tf.nn.relu)
    logits, w2 = dense("logits", hidden, 128, 10)
    return logits, {"hidden/weights": w1, "logits/weights": w2, "hidden/activation": hidden}


def wide_mlp(x):
    """No sample: the network of tests/bench, as wide as MNIST's usual first example."""
    with v1.name_scope("input/"):
        flat = tf.reshape(x, [-1, 784], name="flat")
    hidden, _ = dense("hidden", flat, 784, 256, tf.nn.relu)
    logits, _ = dense("logits", hidden, 256, 10)
    return logits, {}


def lenet(x):
    h1, w1 = conv("conv1", x, 1, 24)
    h2, w2 = conv("conv2", pool("pool1", h1), 24, 48)
    p2 = pool("pool2", h2)
    with v1.name_scope("flatten"):
        flat = tf.reshape(p2, [-1, 2 * 2 * 48], name="flat")
    h3, w3 = dense("fc1", flat, 192, 64, tf.nn.relu)
    logits, w4 = dense("logits", h3, 64, 10)
    return logits, {"conv1/weights": w1, "conv2/weights": w2, "fc1/weights": w3,
                    "logits/weights": w4, "conv1/activation": h1, "conv2/activation": h2,
                    "fc1/activation": h3}


def read_after(done, name, value):
    """Of a variable: its value after the step, and never in the middle of it."""
    if not isinstance(value, tf.Variable):
        return value
    with tf.control_dependencies([done]), v1.name_scope(f"summaries/{name}/"):
        return value.read_value()


def summaries(scalars, histograms, image):
    """Summary nodes under summaries/, their tags without that prefix."""
    with v1.name_scope("summaries"):
        parts = [tf.raw_ops.ScalarSummary(tags=tag, values=value, name=tag)
                 for tag, value in scalars.items()]
        parts += [tf.raw_ops.HistogramSummary(tag=tag, values=value, name=tag)
                  for tag, value in histograms.items()]
        parts += [tf.raw_ops.ImageSummary(tag="digits", tensor=image, max_images=4, name="digits")]
        tf.raw_ops.MergeSummary(inputs=parts, name="merged")


def build(net, optimizer, rate, weight_decay, half_life, resource, size=8):
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(SEED)
        v1.get_variable_scope().set_use_resource(resource)
        with v1.name_scope("input"):
            x = v1.placeholder(tf.float32, [None, size, size, 1], name="x")
            y = v1.placeholder(tf.int64, [None], name="y")
        logits, watched = net(x)
        with v1.name_scope("loss"):
            errors = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits,
                                                                    name="cross_entropy")
            norms = tf.add_n(v1.get_collection("norms"), name="norms")
            penalty = tf.multiply(norms, weight_decay, name="penalty")
            loss = tf.add(tf.reduce_mean(errors, name="mean"), penalty, name="value")
        with v1.name_scope("accuracy"):
            correct = tf.equal(tf.argmax(logits, 1, name="guess"), y, name="correct")
            accuracy = tf.reduce_mean(tf.cast(correct, tf.float32, name="hits"), name="value")
        step = v1.get_variable("global_step", initializer=np.int64(0), trainable=False)
        with v1.name_scope("train"):
            learning_rate = tf.constant(rate, name="learning_rate")
            decayed = v1.train.exponential_decay(learning_rate, step, half_life, 0.5, name="decay")
        opt = optimizer(decayed)
        pairs = opt.compute_gradients(loss)
        # The loss is that of the weights before the step, on any number of threads.
        with tf.control_dependencies([loss]), v1.name_scope("train/"):
            trained = opt.apply_gradients(pairs, global_step=step, name="step")
        for gradient, variable in pairs:
            if variable.op.name.endswith("weights"):
                watched[variable.op.name.replace("weights", "gradient")] = gradient
        watched = {tag: read_after(trained, tag, value) for tag, value in watched.items()}
        summaries({"loss": loss, "accuracy": accuracy, "learning_rate": decayed}, watched, x)
        v1.global_variables_initializer()
    return graph


SAMPLES = {
    "digits-mlp": lambda: build(mlp, v1.train.AdamOptimizer, 0.003, 0.0003, 4000, resource=True),
    "digits-lenet": lambda: build(lenet, lambda rate: v1.train.MomentumOptimizer(rate, 0.9), 0.03,
                                  0.001, 500, resource=False),
    "../../tests/bench/mlp-784": lambda: build(wide_mlp, v1.train.GradientDescentOptimizer, 0.05,
                                               0.0001, 1000, resource=True, size=28),
}


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
    for name, make in SAMPLES.items():
        graph = make()
        text = text_format.MessageToString(graph.as_graph_def())
        (HERE / name / "model.pbtxt").write_text(NOTICE + text)
        ops = sorted(set(re.findall(r'^  op: "(.*)"$', text, re.M)))
        print(name, len(graph.get_operations()), "nodes:", " ".join(ops))
        if "--check" in sys.argv and (HERE / name / "model.layout").exists():
            for seed in range(1, 5):
                check(name, graph, seed)


main()
