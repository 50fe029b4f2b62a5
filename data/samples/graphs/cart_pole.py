# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""REINFORCE on poles on carts; the carts are ops too, and a while loop lets them run."""
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
SEED = 1
POLES, STEPS = 32, 200
HIDDEN = 32
RATE = 0.02
# The task of Barto, Sutton and Anderson (1983), as CartPole-v0 has it: SI units, radians.
GRAVITY, CART, POLE, HALF_LENGTH, FORCE, SECONDS = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
FARTHEST, STEEPEST = 2.4, 12 * np.pi / 180


def move(state, right):
    """One step of Euler's method. state [poles, 4]: place, speed, angle, turn; right: booleans."""
    place, speed, angle, turn = tf.unstack(state, 4, axis=1, name="parts")
    force = tf.where(right, tf.fill(tf.shape(place), FORCE), tf.fill(tf.shape(place), -FORCE),
                     name="force")
    sine, cosine, mass = tf.sin(angle), tf.cos(angle), CART + POLE
    push = (force + POLE * HALF_LENGTH * turn * turn * sine) / mass
    turning = (GRAVITY * sine - cosine * push) / (
        HALF_LENGTH * (4.0 / 3.0 - POLE * cosine * cosine / mass))
    pushing = push - POLE * HALF_LENGTH * turning * cosine / mass
    return tf.stack([place + SECONDS * speed, speed + SECONDS * pushing,
                     angle + SECONDS * turn, turn + SECONDS * turning], axis=1, name="state")


def stands(state):
    return tf.logical_and(tf.abs(state[:, 0]) < FARTHEST, tf.abs(state[:, 2]) < STEEPEST,
                          name="stands")


def policy(states, weights):
    """Of states [n, 4]: the log-odds of a push to the right."""
    hidden = tf.tanh(tf.nn.bias_add(tf.matmul(states, weights[0]), weights[1]), name="hidden")
    return tf.reshape(tf.matmul(hidden, weights[2]), [-1], name="odds")


def play(weights):
    """Runs until every pole has fallen: what was seen, done and survived, [steps, poles, ...]."""
    arrays = [tf.TensorArray(dtype, size=0, dynamic_size=True, name=name, element_shape=shape)
              for dtype, name, shape in ((tf.float32, "seen", [POLES, 4]),
                                         (tf.float32, "done", [POLES]),
                                         (tf.float32, "alive", [POLES]))]

    def body(t, state, alive, seen, done, lived):
        with v1.name_scope("act"):
            odds = policy(state, weights)
            right = tf.random.uniform([POLES], name="draw") < tf.sigmoid(odds)
        with v1.name_scope("cart"):
            after = move(state, right)
        return (t + 1, after, tf.logical_and(alive, stands(after)), seen.write(t, state),
                done.write(t, tf.cast(right, tf.float32)),
                lived.write(t, tf.cast(alive, tf.float32)))

    def goes_on(t, state, alive, *_):
        return tf.logical_and(t < STEPS, tf.reduce_any(alive))

    start = tf.random.uniform([POLES, 4], -0.05, 0.05, name="start")
    loop = v1.while_loop(goes_on, body, (0, start, tf.fill([POLES], True), *arrays),
                         back_prop=False, name="steps")
    return [array.stack() for array in loop[3:]]


def build():
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(SEED)
        with v1.variable_scope("policy"):
            weights = [v1.get_variable("hidden", initializer=tf.random.normal([4, HIDDEN]) * 0.5),
                       v1.get_variable("biases", initializer=tf.zeros([HIDDEN])),
                       v1.get_variable("odds", initializer=tf.random.normal([HIDDEN, 1]) * 0.1)]
        with v1.name_scope("episode"):
            seen, done, alive = play([w.read_value() for w in weights])
        with v1.name_scope("return"):
            lengths = tf.reduce_sum(alive, 0, name="lengths")
            mean = tf.reduce_mean(lengths, name="mean")
        with v1.name_scope("advantage"):
            rest = tf.cumsum(alive, 0, reverse=True, name="rest")
            count = tf.reduce_sum(alive, name="count")
            beyond = (rest - tf.reduce_sum(rest * alive) / count) * alive
            spread = tf.sqrt(tf.reduce_sum(beyond * beyond) / count + 1e-6, name="spread")
            advantage = tf.stop_gradient(beyond / spread, name="value")
        with v1.name_scope("loss"):
            odds = policy(tf.reshape(seen, [-1, 4]), weights)
            surprise = tf.nn.sigmoid_cross_entropy_with_logits(
                labels=tf.reshape(done, [-1]), logits=odds, name="surprise")
            parts = surprise * tf.reshape(advantage, [-1])
            loss = tf.divide(tf.reduce_sum(parts), count, name="value")
        step = v1.get_variable("global_step", initializer=np.int64(0), trainable=False)
        with v1.name_scope("train"):
            learning_rate = tf.constant(RATE, name="learning_rate")
        with tf.control_dependencies([loss]):
            trained = v1.train.AdamOptimizer(learning_rate).minimize(loss, step, name="train/step")
        with v1.name_scope("summaries"), tf.control_dependencies([trained]):
            parts = [tf.raw_ops.HistogramSummary(tag=tag, values=value, name=tag)
                     for tag, value in (("return", lengths),
                                        ("weights", weights[0].read_value()))]
            tf.raw_ops.MergeSummary(inputs=parts, name="merged")
        v1.global_variables_initializer()
    return graph
