#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Writes layer-values.json: what TensorFlow's layers make of random parameters, and gradients.

usage: make-layer-values.py OUT        needs TensorFlow 2.21; test-layers.py reads what it writes

A case is a line of `sluice edit`, values for the edges that it reads and for its variables, the
outcome, and the gradients of the sum of outcome × weights by the input and by each variable that is
trained. Where Keras has the layer it is Keras' own.
"""
import json
import sys

import keras
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


def keras_case(line, inputs, layer, names, others=None, **how):
    """A layer of Keras'. names: of its variables, in their order; each that of one of ours of the
    same number of values, or of two that are its rows."""
    x = tf.Variable(inputs)
    layer(x, **how)
    for variable in layer.trainable_variables:
        variable.assign(0.5 * floats(*variable.shape))
    with tf.GradientTape() as tape:
        y = layer(x, **how)
        weights = floats(*y.shape)
        loss = tf.reduce_sum(y * weights)
    sources = [v.value for v in layer.trainable_variables] + [x]
    found = [np.asarray(g) for g in tape.gradient(loss, sources)]
    variables, gradients = {}, {"x": listed(found[-1])}
    for name, variable, gradient in zip(names, layer.trainable_variables, found):
        value = np.asarray(variable)
        parts = ([name], [value], [gradient]) if isinstance(name, str) else (name, value, gradient)
        for part, one, its_gradient in zip(*parts):
            variables[part], gradients[part] = one.tolist(), listed(its_gradient)
    return {"line": line, "x": inputs.tolist(), "shape": list(inputs.shape),
            "variables": variables, "others": others or {},
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
    classes = [[2, 0, 1], [1, 3, 0]]
    yield case("layer softmax-cross-entropy n input=x labels=y", floats(2, 3, 4), {},
               lambda x: tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                   labels=classes, logits=x)), {"y": classes})


def more_cases():
    layers, steps, image = keras.layers, floats(2, 5, 3), floats(2, 5, 4, 2)
    weights = ["kernel", "bias"]
    yield case("layer dense n input=x units=2 activation=gelu", floats(4, 3),
               {"kernel": floats(3, 2), "bias": floats(2)},
               lambda x, w, b: tf.nn.gelu(tf.matmul(x, w) + b))
    yield keras_case("layer dense n input=x units=4 activation=tanh", steps,
                     layers.Dense(4, activation="tanh"), weights)
    yield keras_case("layer conv1d n input=x filters=4", steps,
                     layers.Conv1D(4, 3, padding="same"), weights)
    yield keras_case("layer conv1d n input=x filters=2 size=2 stride=2 padding=CAUSAL", steps,
                     layers.Conv1D(2, 2, strides=2, padding="causal"), weights)
    yield keras_case("layer conv2d-transpose n input=x filters=3", image,
                     layers.Conv2DTranspose(3, 3, strides=2, padding="same"), weights)
    yield keras_case("layer conv2d-transpose n input=x filters=2 size=4 stride=3 padding=VALID",
                     image, layers.Conv2DTranspose(2, 4, strides=3, padding="valid"), weights)
    yield keras_case("layer depthwise-conv2d n input=x multiplier=2 activation=relu", image,
                     layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2,
                                            activation="relu"), weights)
    yield keras_case("layer separable-conv2d n input=x filters=3 stride=2", image,
                     layers.SeparableConv2D(3, 3, strides=2, padding="same"),
                     ["depthwise_kernel", "pointwise_kernel", "bias"])
    yield keras_case("layer global-pool n input=x", image, layers.GlobalAveragePooling2D(), [])
    yield keras_case("layer global-pool n input=x kind=max", steps, layers.GlobalMaxPooling1D(), [])
    yield from recurrent_cases(steps)
    yield from attention_cases(steps)
    yield from loss_cases()


def recurrent_cases(steps):
    names = {"lstm": ["kernel", "recurrent_kernel", "bias"],
             "gru": ["kernel", "recurrent_kernel", ("bias", "recurrent_bias")]}
    for kind, cell in (("lstm", keras.layers.LSTM), ("gru", keras.layers.GRU)):
        yield keras_case(f"layer {kind} n input=x units=2", steps, cell(2), names[kind])
        yield keras_case(f"layer {kind} n input=x units=2 sequences=true", steps,
                         cell(2, return_sequences=True), names[kind])
        both = [tuple(f"{way}/{one}" for one in name) if isinstance(name, tuple)
                else f"{way}/{name}" for way in ("forward", "backward") for name in names[kind]]
        for sequences in (True, False):
            yield keras_case(f"layer {kind} n input=x units=2 bidirectional=true "
                             f"sequences={str(sequences).lower()}", steps,
                             keras.layers.Bidirectional(cell(2, return_sequences=sequences)), both)


def flat_attention(case, features, heads, size):
    """Our weights of heads are those of dense layers; Keras' have the heads as a dimension."""
    shapes = {"kernel": (features, heads * size), "bias": (heads * size,)}
    for part in ("query", "key", "value"):
        for name, shape in shapes.items():
            value = np.asarray(case["variables"][f"{part}/{name}"])
            case["variables"][f"{part}/{name}"] = value.reshape(shape).tolist()
    kernel = np.asarray(case["variables"]["projection/kernel"])
    case["variables"]["projection/kernel"] = kernel.reshape(heads * size, features).tolist()
    return case


def attention_cases(steps):
    names = [f"{part}/{name}" for part in ("query", "key", "value", "projection")
             for name in ("kernel", "bias")]

    class Attention(keras.layers.MultiHeadAttention):
        def call(self, x, memory=None, causal=False):
            return super().call(x, x if memory is None else memory, use_causal_mask=causal)

        def build(self, shape, *_):
            super().build(shape, shape)

    memory = floats(2, 4, 3)
    yield flat_attention(keras_case("layer attention n input=x heads=2 size=3", steps,
                                    Attention(2, 3), names), 3, 2, 3)
    yield flat_attention(keras_case("layer attention n input=x heads=2 size=2 causal=true", steps,
                                    Attention(2, 2), names, causal=True), 3, 2, 2)
    yield flat_attention(keras_case("layer attention n input=x memory=y heads=1 size=2", steps,
                                    Attention(1, 2), names, {"y": memory.tolist()},
                                    memory=tf.constant(memory)), 3, 1, 2)
    yield case("layer position-embedding n input=x length=7", steps, {"positions": floats(7, 3)},
               lambda x, p: x + p[:5])
    speeds = np.exp(-np.log(10000) * np.arange(0, 4, 2) / 4)
    angles = np.arange(5)[:, None] * speeds
    waves = np.concatenate([np.sin(angles), np.cos(angles)], 1).astype(np.float32)
    yield case("layer position-embedding n input=x kind=sine", floats(2, 5, 4), {},
               lambda x: x + waves)
    yield from block_cases()


def normed(x, scale, offset):
    return moved(x, scale, offset, *tf.nn.moments(x, [-1], keepdims=True))


def attend(x, wq, bq, wk, bk, wv, bv, wo, bo, heads):
    def apart(value):
        batch, steps, features = value.shape
        return tf.transpose(tf.reshape(value, [batch, steps, heads, features // heads]),
                            [0, 2, 1, 3])
    q, k, v = (apart(x @ w + b) for w, b in ((wq, bq), (wk, bk), (wv, bv)))
    scores = q @ tf.transpose(k, [0, 1, 3, 2]) / q.shape[-1] ** 0.5
    seen = np.tril(np.ones(scores.shape[-2:], np.float32))
    read = tf.nn.softmax(scores - 1e9 * (1 - seen)) @ v
    return tf.reshape(tf.transpose(read, [0, 2, 1, 3]), x.shape) @ wo + bo


def block_cases():
    steps, image = floats(2, 5, 4), floats(2, 4, 4, 2)
    sizes = {"norm1/gamma": [4], "norm1/beta": [4]}
    for part in ("query", "key", "value", "projection"):
        sizes |= {f"attention/{part}/kernel": [4, 4], f"attention/{part}/bias": [4]}
    sizes |= {"norm2/gamma": [4], "norm2/beta": [4], "inner/kernel": [4, 6], "inner/bias": [6],
              "outer/kernel": [6, 4], "outer/bias": [4]}

    def block(x, v, before):
        one, attention, two, dense = v[:2], v[2:10], v[10:12], v[12:]
        x = x + attend(normed(x, *one) if before else x, *attention, heads=2)
        x = x if before else normed(x, *one)
        inner = tf.nn.relu((normed(x, *two) if before else x) @ dense[0] + dense[1])
        x = x + inner @ dense[2] + dense[3]
        return x if before else normed(x, *two)

    for where in ("before", "after"):
        yield case(f"layer transformer-block n input=x heads=2 inner=6 causal=true norm={where}",
                   steps, {name: 0.5 * floats(*shape) for name, shape in sizes.items()},
                   lambda x, *v, where=where: block(x, v, where == "before"))

    def residual(x, w1, g1, b1, w2, g2, b2, *shortcut):
        stride = 2 if shortcut else 1
        y = tf.nn.relu(batch_norm(tf.nn.conv2d(x, w1, stride, "SAME"), g1, b1))
        y = batch_norm(tf.nn.conv2d(y, w2, 1, "SAME"), g2, b2)
        if shortcut:
            x = batch_norm(tf.nn.conv2d(x, shortcut[0], 2, "SAME"), *shortcut[1:])
        return tf.nn.relu(x + y)

    for filters, more in ((2, ""), (3, " stride=2")):
        sizes = {"conv1/kernel": [3, 3, 2, filters], "norm1/gamma": [filters],
                 "norm1/beta": [filters], "conv2/kernel": [3, 3, filters, filters],
                 "norm2/gamma": [filters], "norm2/beta": [filters]}
        if more:
            sizes |= {"shortcut/kernel": [1, 1, 2, filters], "norm3/gamma": [filters],
                      "norm3/beta": [filters]}
        yield case(f"layer residual-block n input=x filters={filters}{more}", image,
                   {name: floats(*shape) for name, shape in sizes.items()}, residual)


def loss_cases():
    rows, target = floats(4, 3), floats(4, 3)
    yield case("layer mean-squared-error n input=x target=y", rows, {},
               lambda x: tf.reduce_mean((x - target) ** 2), {"y": target.tolist()})
    share = rng.uniform(size=(4, 3)).astype(np.float32)
    yield case("layer sigmoid-cross-entropy n input=x labels=y", rows, {},
               lambda x: tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
                   labels=share, logits=x)), {"y": share.tolist()})
    yield case("layer dense m input=x units=2 bias=false\n"
               "layer mean o input=m/output\n"
               "layer l2 n input=o/output weights=[m/kernel] rate=0.3", rows,
               {"../m/kernel": floats(3, 2)},
               lambda x, w: tf.reduce_mean(x @ w) + 0.3 * tf.nn.l2_loss(w))
    yield case("layer mean n input=x", rows, {}, tf.reduce_mean)
    yield from measure_cases()


def measure(line, inputs, labels, output):
    """What has no gradients."""
    return {"line": line, "x": inputs.tolist(), "shape": list(inputs.shape), "variables": {},
            "others": {"y": labels}, "weights": 1, "output": listed(output), "gradients": {}}


def measure_cases():
    yield measure("layer input n dtype=DT_UINT8 shape=[?,2] scale=0.5 cast=DT_FLOAT", floats(1), [],
                  [[0.5, 1.0], [1.5, 2.0]]) | {"others": {"n/fed": [[1, 2], [3, 4]]}}
    yield measure("layer input n dtype=DT_UINT8 cast=DT_INT32 one-hot=3", floats(1), [],
                  tf.one_hot([2, 0], 3)) | {"others": {"n/fed": [2, 0]}}
    rows, classes = floats(6, 5), [0, 1, 2, 3, 4, 0]
    yield measure("layer accuracy n input=x labels=y", rows, classes, tf.reduce_mean(
        keras.metrics.sparse_categorical_accuracy(classes, rows)))
    yield measure("layer top-k n input=x labels=y k=2", rows, classes, tf.reduce_mean(
        keras.metrics.sparse_top_k_categorical_accuracy(classes, rows, 2)))


with open(sys.argv[1], "w", encoding="utf-8") as file:
    whole = [*cases(), *more_cases()]
    file.write("[\n" + ",\n".join(json.dumps(one) for one in whole) + "\n]\n")
