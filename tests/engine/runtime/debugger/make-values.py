#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Makes the graphs of test-debugger, and what TensorFlow computes at each of their nodes.

usage: make-values.py FOLDER

TensorFlow's own debugger (tensorflow.python.debug) writes down every output of every node, once an
iteration; no optimizer runs. NAME.pbtxt is the graph, NAME.txt a line for each value, in the order
in which its node made them: the output, its dtype, the number of elements, the elements. Needs
TensorFlow 2.21; the tests read what is committed.
"""

import os
import sys
import tempfile

os.environ['CUDA_VISIBLE_DEVICES'] = ''
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from tensorflow.python.debug.lib import debug_data, debug_utils  # noqa: E402

NOTICE = '# SPDX-License-Identifier: Apache-2.0\n# SPDX-FileCopyrightText: The Sluice authors\n'
TYPES = {'float32': 'float', 'int32': 'int32', 'bool': 'bool'}


def both(out, x):
    """The value and its gradient."""
    return [tf.identity(out, name='out'), tf.identity(tf.gradients(out, x)[0], name='dx')]


def loop():
    """A while loop, its gradient, and a loop in a loop."""
    x = tf.placeholder(tf.float32, [], name='x')

    def inner(y):
        return tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * x),
                             [tf.constant(0), y], name='inner')[1]

    out = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(inner(a)) + x),
                        [tf.constant(0), tf.constant(0.5)], name='outer')[1]
    return both(out, x), {x: 0.75}


def cond():
    """A branch that is taken, one that is not, and the gradient through both."""
    x = tf.placeholder(tf.float32, [3], name='x')
    out = tf.cond(tf.reduce_sum(x) > 1.0, lambda: tf.exp(x, name='yes'),
                  lambda: tf.square(x, name='no'), name='cond')
    return both(out, x), {x: [1., 2., .5]}


def queue():
    """Elements go through a queue within the step."""
    x = tf.placeholder(tf.float32, [2], name='x')
    fifo = tf.FIFOQueue(4, tf.float32, shapes=[2], name='fifo')
    with tf.control_dependencies([fifo.enqueue(x * 2., name='put')]):
        with tf.control_dependencies([fifo.enqueue(x * 3., name='put_too')]):
            first = fifo.dequeue(name='first')
    with tf.control_dependencies([first]):
        second = fifo.dequeue(name='second')
    return [tf.subtract(first, second, name='out')], {x: [1., 2.]}


def devices():
    """A step over two devices, with a loop on the second one."""
    x = tf.placeholder(tf.float32, [2, 2], name='x')
    with tf.device('/cpu:0'):
        a = tf.matmul(x, x, name='a')
    with tf.device('/cpu:1'):
        b = tf.nn.relu(a - 8., name='b')
        c = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, tf.sqrt(v + 1.)),
                          [tf.constant(0), b], name='loop')[1]
    with tf.device('/cpu:0'):
        out = tf.add(a, c, name='out')
    return [out], {x: [[1., 2.], [3., 4.]]}


def is_constant_enter(node):
    return node.type in ('Enter', 'RefEnter') and node.get_attr('is_constant')


def run(graph, fetches, feeds):
    """What each output was, in order: (edge, array)."""
    config = tf.ConfigProto(device_count={'CPU': 2}, inter_op_parallelism_threads=1,
                            intra_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    options, metadata = tf.RunOptions(output_partition_graphs=True), tf.RunMetadata()
    with tempfile.TemporaryDirectory() as folder:
        debug_utils.watch_graph(options, graph, debug_urls=['file://' + folder])
        with tf.Session(graph=graph, config=config) as session:
            session.run(fetches, feeds, options=options, run_metadata=metadata)
        dump = debug_data.DebugDumpDir(folder, partition_graphs=metadata.partition_graphs)
        names = {node.name for node in graph.get_operations()}
        for datum in dump.dumped_tensor_data:
            if datum.node_name not in names:
                continue  # a feed, a transfer
            node = graph.get_operation_by_name(datum.node_name)
            value = datum.get_tensor()
            edge = f'{datum.node_name}:{datum.output_slot}'
            if node.type == 'Placeholder' or is_constant_enter(node):
                continue  # the latter is told once an iteration, and runs once
            if isinstance(value, np.ndarray) or np.isscalar(value):
                yield edge, np.asarray(value)


def main(folder):
    tf.disable_v2_behavior()
    tf.disable_control_flow_v2()
    for make in (loop, cond, queue, devices):
        graph = tf.Graph()
        with graph.as_default():
            fetches, feeds = make()
        path = os.path.join(folder, make.__name__)
        with open(path + '.pbtxt', 'w', encoding='utf-8') as out:
            out.write(NOTICE + str(graph.as_graph_def()))
        with open(path + '.txt', 'w', encoding='utf-8') as out:
            out.write(f'{NOTICE}# fetches {" ".join(fetch.name for fetch in fetches)}\n')
            for edge, value in run(graph, fetches, feeds):
                if value.dtype.name in TYPES:
                    numbers = ' '.join(repr(float(v)) for v in value.reshape(-1))
                    out.write(f'{edge} {TYPES[value.dtype.name]} {value.size} {numbers}\n')


if __name__ == '__main__':
    main(sys.argv[1])
