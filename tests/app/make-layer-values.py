#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Writes layer-values.json: what TensorFlow's layers make of random parameters, and gradients.

usage: make-layer-values.py OUT        needs TensorFlow 2.21; test-edit.py reads what it writes

A case is a line of `sluice edit`, values for the edges that it reads and for its variables, the
outcome, and the gradients of the sum of outcome × weights by the input and by each variable that is
trained.
"""
import json
import sys

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(21)


def floats(*shape):
    return rng.normal(size=shape).astype(np.float32)


def listed(value):
    return [round(float(x), 7) for x in np.asarray(value).ravel()]


def case(line, inputs, variables, compute, others=None):
    """compute(input, *variables) is TensorFlow's way; variables: name -> value."""
    given = {name: tf.Variable(value) for name, value in variables.items()}
    x = tf.Variable(inputs) if inputs.dtype == np.float32 else tf.constant(inputs)
    watched = list(given.values()) + ([x] if inputs.dtype == np.float32 else [])
    with tf.GradientTape() as tape:
        y = compute(x, *given.values())
        weights = floats(*y.shape)
        loss = tf.reduce_sum(y * weights)
    found = [tf.convert_to_tensor(g) if g is not None else None
             for g in tape.gradient(loss, watched)]
    gradients = {name: listed(g) for name, g in zip(given, found) if "moving" not in name}
    if inputs.dtype == np.float32:
        gradients["x"] = listed(found[-1])
    return {"line": line, "x": inputs.tolist(), "shape": list(inputs.shape),
            "variables": {n: v.tolist() for n, v in variables.items()}, "others": others or {},
            "weights": np.asarray(weights).tolist(), "output": listed(y), "gradients": gradients}


def conv(x, kernel, bias, stride, padding):
    return tf.nn.bias_add(tf.nn.conv2d(x, kernel, stride, padding), bias)


def batch_norm(x, gamma, beta):
    mean, variance = tf.nn.moments(x, list(range(x.shape.rank - 1)))
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 0.001)


def moved(x, gamma, beta, mean, variance):
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 0.001)


def layer_norm(x, gamma, beta):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 0.001)


def cases():
    image, rows = floats(2, 5, 5, 2), floats(4, 3)
    for name in ("relu", "relu6", "elu", "tanh", "sigmoid", "softplus", "softmax"):
        function = getattr(tf.nn, name)
        yield case(f"layer dense n input=x units=2 activation={name}", rows,
                   {"kernel": floats(3, 2), "bias": floats(2)},
                   lambda x, w, b, function=function: function(tf.matmul(x, w) + b))
    yield case("layer dense n input=x units=2 bias=false", rows, {"kernel": floats(3, 2)},
               tf.matmul)
    yield case("layer conv2d n input=x filters=3", image,
               {"kernel": floats(3, 3, 2, 3), "bias": floats(3)},
               lambda x, w, b: conv(x, w, b, 1, "SAME"))
    yield case("layer conv2d n input=x filters=2 size=2 stride=2 padding=VALID activation=tanh",
               image, {"kernel": floats(2, 2, 2, 2), "bias": floats(2)},
               lambda x, w, b: tf.tanh(conv(x, w, b, 2, "VALID")))
    yield case("layer pool n input=x", image, {}, lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"))
    yield case("layer pool n input=x kind=average size=3 stride=1 padding=SAME", image, {},
               lambda x: tf.nn.avg_pool2d(x, 3, 1, "SAME"))
    yield case("layer flatten n input=x", image, {}, lambda x: tf.reshape(x, [2, 50]))
    yield case("layer dropout n input=x rate=0.25", rows, {}, tf.identity, {"n/rate": 0.0})
    yield case("layer batch-norm n input=x", image, {"gamma": floats(2), "beta": floats(2)},
               batch_norm)
    yield case("layer batch-norm n input=x", rows,
               {"gamma": floats(3), "beta": floats(3), "moving_mean": floats(3),
                "moving_variance": np.abs(floats(3)) + 1}, moved, {"n/training": False})
    yield case("layer layer-norm n input=x", floats(2, 3, 4),
               {"gamma": floats(4), "beta": floats(4)}, layer_norm)
    yield case("layer embedding n input=x rows=5 units=3", np.array([[1, 4], [0, 1]], np.int32),
               {"embeddings": floats(5, 3)}, lambda x, e: tf.nn.embedding_lookup(e, x))
    yield case("layer softmax-cross-entropy n input=x labels=y", rows, {},
               lambda x: tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                   labels=[2, 0, 1, 1], logits=x)), {"y": [2, 0, 1, 1]})
    share = np.array([[0.2, 0.3, 0.5], [1, 0, 0], [0, 0.5, 0.5], [0.1, 0.1, 0.8]], np.float32)
    yield case("layer softmax-cross-entropy n input=x labels=y", rows, {},
               lambda x: tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(
                   labels=share, logits=x)), {"y": share.tolist()})


with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write("[\n" + ",\n".join(json.dumps(one) for one in cases()) + "\n]\n")
