# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Embeddings of words: skip-grams with noise-contrastive estimation, rows updated sparsely."""
import collections
import gzip
import re

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
SEED = 1
RAREST = 5  # words that are rarer are left out
SIZE, WINDOW, NOISE = 64, 3, 64
RATE = 0.2
ASKED = "mr he her father emma three good morning said letter".split()
NEIGHBOURS = 6


def read_words(path):
    """Of a text: the words, the most frequent first, and the text as their numbers."""
    found = re.findall(r"[a-z]+", gzip.open(path, "rt", encoding="ascii").read().lower())
    counts = collections.Counter(found)
    words = [word for word, count in counts.most_common() if count >= RAREST]
    number = {word: i for i, word in enumerate(words)}
    return words, np.array([number[word] for word in found if word in number], ">i2")


def write_idx(path, numbers):
    """A sequence of int16 in MNIST's format, the same bytes each time."""
    header = bytes([0, 0, 0x0b, 1]) + len(numbers).to_bytes(4, "big")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(header + numbers.tobytes())


def skip_grams(x):
    """x [batch, length] to pairs of a word and one at most WINDOW away."""
    inside = tf.shape(x)[1] - 2 * WINDOW
    centre = tf.slice(x, [0, WINDOW], [-1, inside], name="centre")
    distances = [d for d in range(-WINDOW, WINDOW + 1) if d != 0]
    around = [tf.slice(x, [0, WINDOW + d], [-1, inside]) for d in distances]
    return (tf.reshape(tf.tile(centre, [len(distances), 1]), [-1], name="words"),
            tf.reshape(tf.concat(around, 0), [-1, 1], name="around"))


def neighbours(embeddings, words):
    """A line for each word of ASKED: the words that are nearest by cosine."""
    asked = tf.constant([words.index(word) for word in ASKED], name="asked")
    names = tf.constant(words, name="vocabulary")
    unit = tf.nn.l2_normalize(embeddings, 1, name="unit")
    nearness = tf.matmul(tf.gather(unit, asked), unit, transpose_b=True, name="nearness")
    nearest = tf.nn.top_k(nearness, NEIGHBOURS + 1, name="nearest").indices[:, 1:]
    found = tf.strings.reduce_join(tf.gather(names, nearest), axis=1, separator=" ")
    return tf.strings.join([tf.gather(names, asked), found], separator=": ", name="table")


def build(words):
    graph = tf.Graph()
    with graph.as_default():
        v1.set_random_seed(SEED)
        v1.get_variable_scope().set_use_resource(False)
        with v1.name_scope("input"):
            x = v1.placeholder(tf.int32, [None, None], name="x")
        with v1.name_scope("pairs"):
            centre, around = skip_grams(x)
        shape = [len(words), SIZE]
        start = tf.random.uniform(shape, -0.05, 0.05, name="start")
        embeddings = v1.get_variable("embeddings", initializer=start)
        weights = v1.get_variable("noise/weights", initializer=tf.zeros(shape))
        biases = v1.get_variable("noise/biases", initializer=tf.zeros([len(words)]))
        with v1.name_scope("loss"):
            errors = tf.nn.nce_loss(weights, biases, tf.cast(around, tf.int64),
                                    tf.nn.embedding_lookup(embeddings, centre, name="rows"), NOISE,
                                    len(words), name="contrast")
            loss = tf.reduce_mean(errors, name="value")
            # As if each pair were a step of its own.
            total = tf.reduce_sum(errors, name="total")
        step = v1.get_variable("global_step", initializer=np.int64(0), trainable=False)
        with v1.name_scope("train"):
            learning_rate = tf.constant(RATE, name="learning_rate")
        with tf.control_dependencies([loss]):
            opt = v1.train.AdagradOptimizer(learning_rate)
            trained = opt.minimize(total, step, name="train/step")
        with v1.name_scope("neighbours"):
            neighbours(embeddings, words)
        with v1.name_scope("summaries"), tf.control_dependencies([trained]):
            parts = [tf.raw_ops.HistogramSummary(tag="embeddings", values=embeddings.read_value(),
                                                 name="embeddings")]
            tf.raw_ops.MergeSummary(inputs=parts, name="merged")
        v1.global_variables_initializer()
    return graph
