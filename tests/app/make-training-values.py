#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Writes training-values.json: what TensorFlow's optimizers, clipping and schedules come to.

usage: make-training-values.py OUT     needs TensorFlow 2.21; test-training-values.py reads it

A case is a `train` command, what the variables are after some steps, or the learning rate at some.
The model has an embedding, whose gradient is sparse, and weights, whose gradient is dense.
"""
import json
import sys

import keras
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
STEPS = 3
rng = np.random.default_rng(7)
MODEL = {"embeddings": rng.normal(size=(5, 3)), "kernel": rng.normal(size=(3, 2)),
         "target": rng.normal(size=(2, 3, 2))}
IDS = [[1, 4, 1], [0, 1, 4]]
OPTIMIZERS = {
    "sgd": v1.train.GradientDescentOptimizer(0.1),
    "momentum": v1.train.MomentumOptimizer(0.1, 0.8),
    "momentum nesterov": v1.train.MomentumOptimizer(0.1, 0.8, use_nesterov=True),
    "adam": v1.train.AdamOptimizer(0.1),
    "rmsprop": v1.train.RMSPropOptimizer(0.1, momentum=0.5),
    "adagrad": v1.train.AdagradOptimizer(0.1),
}
LINES = {"momentum": "momentum momentum=0.8",
         "momentum nesterov": "momentum momentum=0.8 nesterov=true",
         "rmsprop": "rmsprop momentum=0.5"}


def clip_each(how):
    def clip(gradients):
        return [tf.IndexedSlices(how(g.values), g.indices, g.dense_shape)
                if isinstance(g, tf.IndexedSlices) else how(g) for g in gradients]
    return clip


CLIPPINGS = {"clip=0.3": lambda gradients: tf.clip_by_global_norm(gradients, 0.3)[0],
             "clip-norm=0.2": clip_each(lambda g: tf.clip_by_norm(g, 0.2)),
             "clip-value=0.05": clip_each(lambda g: tf.clip_by_value(g, -0.05, 0.05))}


def train(optimizer, resource, clip=None):
    """The variables after some steps."""
    with tf.Graph().as_default(), v1.Session() as session:
        variables = [v1.Variable(MODEL[name].astype(np.float32), use_resource=resource, name=name)
                     for name in ("embeddings", "kernel")]
        rows = tf.nn.embedding_lookup(variables[0], IDS)
        loss = tf.reduce_mean((rows @ variables[1] - MODEL["target"].astype(np.float32)) ** 2)
        # No variable changes before all gradients are there, or references race.
        gradients, _ = zip(*optimizer.compute_gradients(
            loss, variables, gate_gradients=v1.train.Optimizer.GATE_GRAPH))
        if clip:
            gradients = clip(gradients)
        step = optimizer.apply_gradients(zip(gradients, variables))
        session.run(v1.global_variables_initializer())
        for _ in range(STEPS):
            session.run(step)
        return {name: value.ravel().tolist() for name, value in
                zip(("embeddings", "kernel"), session.run(variables))}


def schedules():
    v1.train.get_or_create_global_step()
    keras_cosine = keras.optimizers.schedules.CosineDecay(0.0, 20, warmup_target=0.2,
                                                          warmup_steps=10)
    yield "schedule=constant", lambda step: tf.constant(0.2)
    yield "schedule=exponential steps=10 factor=0.3", \
        lambda step: v1.train.exponential_decay(0.2, step, 10, 0.3)
    yield "schedule=exponential steps=10 factor=0.3 staircase=true", \
        lambda step: v1.train.exponential_decay(0.2, step, 10, 0.3, staircase=True)
    yield "schedule=cosine steps=20 end=0.1", \
        lambda step: v1.train.cosine_decay(0.2, step, 20, 0.1)
    yield "schedule=cosine steps=20 warm-up=10", keras_cosine
    yield "schedule=warm-up steps=10", \
        lambda step: 0.2 * tf.minimum(tf.cast(step, tf.float32) / 10, 1.0)
    yield "schedule=piecewise after=[10,20] rates=[0.1,0.05]", \
        lambda step: v1.train.piecewise_constant(step, [10, 20], [0.2, 0.1, 0.05])


def cases():
    for name, optimizer in OPTIMIZERS.items():
        for resource in (True, False):
            yield {"line": f"optimizer={LINES.get(name, name)} learning-rate=0.1",
                   "resource": resource, "variables": train(optimizer, resource)}
    for line, clip in CLIPPINGS.items():
        yield {"line": f"optimizer=sgd learning-rate=0.1 {line}", "resource": True,
               "variables": train(OPTIMIZERS["sgd"], True, clip)}
    for line, schedule in schedules():
        with tf.Graph().as_default(), v1.Session() as session:
            rates = {str(step): float(session.run(schedule(tf.constant(step, tf.int64))))
                     for step in (0, 4, 10, 11, 25, 40)}
        yield {"line": f"optimizer=sgd learning-rate=0.2 {line}", "rates": rates}


with open(sys.argv[1], "w", encoding="utf-8") as out:
    model = {name: value.astype(np.float32).tolist() for name, value in MODEL.items()}
    json.dump({"ids": IDS, "steps": STEPS, **model, "cases": list(cases())}, out, indent=1)
    out.write("\n")
