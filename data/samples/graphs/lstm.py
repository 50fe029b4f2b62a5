# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A language model of characters: an LSTM that a while loop unrolls while it runs."""
import math

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
SEED = 1
CHARACTERS = 96  # those of printable ASCII from the space on, and one for all that is below it
HIDDEN = 128
RATE, HALF_LIFE = 0.005, 1000


def cell(gates, state):
    """Of one step: gates [batch, 4 hidden] before their activations, state [batch, hidden]."""
    enter, candidate, forget, leave = tf.split(gates, 4, axis=1, name="gates")
    state = tf.add(tf.sigmoid(forget + 1.0, name="forget") * state,
                   tf.sigmoid(enter, name="enter") * tf.tanh(candidate, name="candidate"),
                   name="state")
    return tf.multiply(tf.sigmoid(leave, name="leave"), tf.tanh(state), name="output"), state


def unroll(inputs, recurrent):
    """inputs [time, batch, 4 hidden] to outputs [time, batch, hidden], both arrays in the loop."""
    time = tf.shape(inputs, name="shape")[0]
    arrays = [tf.TensorArray(tf.float32, size=time, name=name) for name in ("inputs", "outputs")]
    read = arrays[0].unstack(inputs)
    zeros = tf.zeros([tf.shape(inputs)[1], HIDDEN], name="zeros")

    def body(t, output, state, outputs):
        with v1.name_scope("cell"):
            gates = tf.add(read.read(t), tf.matmul(output, recurrent, name="recurrent"))
            output, state = cell(gates, state)
        return t + 1, output, state, outputs.write(t, output)

    loop = v1.while_loop(lambda t, *_: t < time, body, (0, zeros, zeros, arrays[1]), name="steps")
    return loop[3].stack()


def variable(name, shape, stddev):
    return v1.get_variable(name, initializer=tf.random.truncated_normal(shape, stddev=stddev))


def build():
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(SEED)
        with v1.name_scope("input"):
            x = v1.placeholder(tf.uint8, [None, None], name="x")
            y = v1.placeholder(tf.uint8, [None, None], name="y")
            characters = [tf.maximum(tf.cast(tf.transpose(bytes_, name=name), tf.int32) - 31, 0)
                          for bytes_, name in ((x, "by_time"), (y, "next_by_time"))]
        with v1.variable_scope("lstm"):
            kernel = variable("kernel", [CHARACTERS, 4 * HIDDEN], 0.1)
            recurrent = variable("recurrent", [HIDDEN, 4 * HIDDEN], HIDDEN ** -0.5)
            bias = v1.get_variable("bias", initializer=tf.zeros([4 * HIDDEN]))
            one_hot = tf.one_hot(tf.reshape(characters[0], [-1]), CHARACTERS, name="one_hot")
            inputs = tf.nn.bias_add(tf.matmul(one_hot, kernel, name="input"), bias)
            shape = tf.concat([tf.shape(characters[0]), [4 * HIDDEN]], 0)
            outputs = unroll(tf.reshape(inputs, shape), recurrent)
        with v1.variable_scope("logits"):
            weights = variable("weights", [HIDDEN, CHARACTERS], HIDDEN ** -0.5)
            biases = v1.get_variable("biases", initializer=tf.zeros([CHARACTERS]))
            flat = tf.reshape(outputs, [-1, HIDDEN], name="flat")
            logits = tf.nn.bias_add(tf.matmul(flat, weights, name="matmul"), biases)
        with v1.name_scope("loss"):
            errors = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=tf.reshape(characters[1], [-1]), logits=logits, name="cross_entropy")
            loss = tf.reduce_mean(errors, name="value")
            bits = tf.multiply(loss, 1 / math.log(2), name="bits")
        step = v1.get_variable("global_step", initializer=np.int64(0), trainable=False)
        with v1.name_scope("train"):
            learning_rate = tf.constant(RATE, name="learning_rate")
            decayed = v1.train.exponential_decay(learning_rate, step, HALF_LIFE, 0.5, name="decay")
        opt = v1.train.AdamOptimizer(decayed)
        gradients, variables = zip(*opt.compute_gradients(loss))
        with v1.name_scope("clip"):
            gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
        with tf.control_dependencies([loss]), v1.name_scope("train/"):
            trained = opt.apply_gradients(zip(gradients, variables), global_step=step, name="step")
        with v1.name_scope("summaries"), tf.control_dependencies([trained]):
            parts = [tf.raw_ops.ScalarSummary(tags=tag, values=value, name=tag) for tag, value in
                     {"bits": bits, "gradient_norm": norm, "learning_rate": decayed}.items()]
            parts += [tf.raw_ops.HistogramSummary(tag=tag, values=value.read_value(), name=tag)
                      for tag, value in {"recurrent": recurrent, "kernel": kernel}.items()]
            tf.raw_ops.MergeSummary(inputs=parts, name="merged")
        v1.global_variables_initializer()
    return graph
