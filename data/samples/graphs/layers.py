# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Layers and summaries that the samples share."""
import tensorflow as tf

v1 = tf.compat.v1


def weights(shape, stddev):
    """Weights, and their norm for the loss beside them; where they are shared, those that are."""
    if v1.get_variable_scope().reuse:
        return v1.get_variable("weights", shape)
    initial = tf.random.truncated_normal(shape, stddev=stddev, name="initial")
    value = v1.get_variable("weights", initializer=initial)
    v1.add_to_collection("norms", tf.nn.l2_loss(value, name="norm"))
    return value


def biases(size):
    if v1.get_variable_scope().reuse:
        return v1.get_variable("biases", [size])
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
