# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A mixture of experts: what two convolutions see goes to one of them; who gets none computes
nothing."""
import numpy as np
import tensorflow as tf

from graphs.digits import SEED, hit_rate, inputs, total_loss
from graphs.layers import conv, dense, pool

v1 = tf.compat.v1
CHANNELS, FEATURES = (24, 48), 2 * 2 * 48
EXPERTS, HIDDEN = 8, 64
RATE, HALF_LIFE = 0.03, 700
DECAY, BALANCE = 0.001, 0.02


def expert(i, x):
    """Computed only where something was sent to it."""
    def answer():
        # Its weights are outside, its products inside of the branch.
        hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, weights[0]), weights[1]), name="hidden")
        return tf.nn.bias_add(tf.matmul(hidden, weights[2]), weights[3], name="answer")

    with v1.variable_scope(f"expert{i}"):
        weights = []
        for name, rows, columns in (("hidden", FEATURES, HIDDEN), ("logits", HIDDEN, 10)):
            w = v1.get_variable(f"{name}/weights", initializer=tf.random.truncated_normal(
                [rows, columns], stddev=(2.0 / rows) ** 0.5))
            v1.add_to_collection("norms", tf.nn.l2_loss(w))
            weights += [w.read_value(),
                        v1.get_variable(f"{name}/biases", initializer=tf.zeros([columns]))
                        .read_value()]
        sent = tf.greater(tf.shape(x)[0], 0, name="sent")
        return sent, v1.cond(sent, answer, lambda: tf.zeros([0, 10]), name="ask")


def mixture(x):
    """Logits, the loss of an uneven load, and how many experts were asked."""
    first = pool("pool1", conv("conv1", x, 1, CHANNELS[0])[0])
    seen = pool("pool2", conv("conv2", first, *CHANNELS)[0])
    with v1.name_scope("flatten"):
        flat = tf.reshape(seen, [-1, FEATURES], name="flat")
    odds, _ = dense("gate", flat, FEATURES, EXPERTS)
    with v1.name_scope("route"):
        shares = tf.nn.softmax(odds, name="shares")
        chosen = tf.argmax(shares, 1, output_type=tf.int32, name="chosen")
        places = tf.dynamic_partition(tf.range(tf.shape(flat)[0]), chosen, EXPERTS, name="places")
        sent = tf.dynamic_partition(flat, chosen, EXPERTS, name="sent")
        # Fedus, Zoph and Shazeer (2021), equation 4: 1 where all experts get as much.
        load = tf.reduce_mean(tf.one_hot(chosen, EXPERTS), 0, name="load")
        uneven = EXPERTS * tf.reduce_sum(load * tf.reduce_mean(shares, 0), name="uneven")
    asked, answers = zip(*[expert(i, rows) for i, rows in enumerate(sent)])
    with v1.name_scope("join"):
        joined = tf.dynamic_stitch(places, answers, name="answers")
        logits = joined * tf.reduce_max(shares, 1, keepdims=True)
        count = tf.reduce_sum(tf.cast(tf.stack(asked), tf.float32), name="asked")
    return logits, uneven, load, count


def build():
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(SEED)
        v1.get_variable_scope().set_use_resource(True)
        x, y = inputs()
        logits, uneven, load, _ = mixture(x)
        with v1.name_scope("loss"):
            loss = tf.add(total_loss(logits, y, DECAY, "digits"), BALANCE * uneven, name="value")
        with v1.name_scope("accuracy"):
            hit_rate(logits, y)
        step = v1.get_variable("global_step", initializer=np.int64(0), trainable=False)
        with v1.name_scope("train"):
            learning_rate = tf.constant(RATE, name="learning_rate")
            decayed = v1.train.exponential_decay(learning_rate, step, HALF_LIFE, 0.5, name="decay")
        with tf.control_dependencies([loss]):
            v1.train.MomentumOptimizer(decayed, 0.9).minimize(loss, step, name="train/step")
        with v1.name_scope("summaries"):
            parts = [tf.raw_ops.ScalarSummary(tags=f"load/{i}", values=share)
                     for i, share in enumerate(tf.unstack(load))]
            tf.raw_ops.MergeSummary(inputs=parts, name="merged")
        v1.global_variables_initializer()
    return graph
