# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Networks that read 8x8 digits, fed with a batch of them."""
import numpy as np
import tensorflow as tf

from graphs.layers import read_after, summaries

v1 = tf.compat.v1
SEED = 1


def inputs(size=8):
    with v1.name_scope("input"):
        return (v1.placeholder(tf.float32, [None, size, size, 1], name="x"),
                v1.placeholder(tf.int64, [None], name="y"))


def total_loss(logits, y, weight_decay, name="value"):
    """The mean error, and a penalty for all weights that there are."""
    errors = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits,
                                                            name="cross_entropy")
    norms = tf.add_n(v1.get_collection("norms"), name="norms")
    penalty = tf.multiply(norms, weight_decay, name="penalty")
    return tf.add(tf.reduce_mean(errors, name="mean"), penalty, name=name)


def hit_rate(logits, y):
    correct = tf.equal(tf.argmax(logits, 1, name="guess"), y, name="correct")
    return tf.reduce_mean(tf.cast(correct, tf.float32, name="hits"), name="value")


def build(net, optimizer, rate, weight_decay, half_life, resource, size=8):
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(SEED)
        v1.get_variable_scope().set_use_resource(resource)
        x, y = inputs(size)
        logits, watched = net(x)
        with v1.name_scope("loss"):
            loss = total_loss(logits, y, weight_decay)
        with v1.name_scope("accuracy"):
            accuracy = hit_rate(logits, y)
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
