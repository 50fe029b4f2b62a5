# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""digits-lenet on four devices that share its weights. White paper 7, figure 7."""
import numpy as np
import tensorflow as tf

from graphs.digits import SEED, hit_rate, inputs, total_loss
from graphs.layers import lenet

v1 = tf.compat.v1
TOWERS = 4
HOME = "/device:CPU:0"


def on(device):
    """Puts nodes there; variables at home."""
    def choose(op):
        return HOME if op.type in ("VarHandleOp", "VariableV2") else device
    return choose


def start(rate, half_life, momentum):
    """Weights, optimizer and counter, at home."""
    with v1.device(HOME):
        step = v1.get_variable("global_step", initializer=np.int64(0), trainable=False)
        with v1.name_scope("train"):
            learning_rate = tf.constant(rate, name="learning_rate")
            decayed = v1.train.exponential_decay(learning_rate, step, half_life, 0.5, name="decay")
        return step, v1.train.MomentumOptimizer(decayed, momentum)


def tower(i, x, y, weight_decay):
    """Loss of a batch on a device of its own."""
    with v1.device(on(f"/device:CPU:{i}")), v1.name_scope(f"tower{i}"):
        with v1.variable_scope(v1.get_variable_scope(), reuse=i > 0):
            logits, _ = lenet(x)
        with v1.name_scope("loss"):
            loss = total_loss(logits, y, weight_decay)
    return logits, loss


def synchronous():
    """Each tower takes a quarter of the batch; their mean gradient is applied."""
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(SEED)
        v1.get_variable_scope().set_use_resource(True)
        step, opt = start(0.03, 500, 0.9)
        x, y = inputs()
        with v1.device(HOME), v1.name_scope("split"):
            # The parts differ by one where the batch is no multiple.
            number = tf.range(tf.shape(y)[0]) % TOWERS
            xs = tf.dynamic_partition(x, number, TOWERS, name="x")
            ys = tf.dynamic_partition(y, number, TOWERS, name="y")
        losses, hits, gradients = [], [], []
        for i in range(TOWERS):
            logits, loss = tower(i, xs[i], ys[i], 0.001)
            losses.append(loss)
            with v1.device(on(f"/device:CPU:{i}")), v1.name_scope(f"tower{i}/"):
                with v1.name_scope("accuracy"):
                    hits.append(hit_rate(logits, ys[i]))
                gradients.append(opt.compute_gradients(loss))
        with v1.device(HOME):
            loss = tf.divide(tf.add_n(losses), TOWERS, name="loss/value")
            tf.divide(tf.add_n(hits), TOWERS, name="accuracy/value")
            with v1.name_scope("mean"):
                pairs = [(tf.add_n([g for g, _ in parts]) / TOWERS, parts[0][1])
                         for parts in zip(*gradients)]
            # The loss is that of the weights before the step, on any number of threads.
            with tf.control_dependencies([loss]), v1.name_scope("train/"):
                opt.apply_gradients(pairs, global_step=step, name="step")
        v1.global_variables_initializer()
    return graph


def asynchronous():
    """Each tower takes batches of its own and applies its gradient at once."""
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(SEED)
        v1.get_variable_scope().set_use_resource(True)
        step, opt = start(0.02, 700, 0.8)
        x, y = inputs()
        for i in range(TOWERS):
            logits, loss = tower(i, x, y, 0.001)
            with v1.device(on(f"/device:CPU:{i}")), v1.name_scope(f"tower{i}/"):
                pairs = opt.compute_gradients(loss)
                if i == 0:
                    with v1.name_scope("accuracy"):
                        hit_rate(logits, y)
            with v1.device(HOME), tf.control_dependencies([loss]), v1.name_scope(f"tower{i}/"):
                opt.apply_gradients(pairs, global_step=step, name="step")
        v1.global_variables_initializer()
    return graph
