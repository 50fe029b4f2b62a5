#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Every value of a training step of a conformance program, as TensorFlow computes it.

usage: gen_dumps.py GRAPHS-FOLDER OUT-FOLDER

For each program: OUT/NAME.npz, all numbers of the step outside of loops by name, feeds among them. Strings are left
out: those of summaries hold the last bits of numbers. The program is taken
from its case file: its first step initialises, then the first step that is fed is run STEPS times, always with the same
feeds; the last one is dumped. NAME.txt says what was run: targets and feeds, as `sluice compare` takes them.
"""
import gzip
import os
import pathlib
import sys

from casefile import config, tf, tf1, np
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import tensor_util

PROGRAMS = ('softmax_regression', 'mlp_sgd_res')
STEPS = 3
NOTICE = '# SPDX-' + 'License-Identifier: Apache-2.0\n# SPDX-' + 'FileCopyrightText: The Sluice authors'
KINDS = ('run', 'feed', 'expect', 'grad', 'dy')


def kind_of(node):
    parts = node.name.split('/')
    return parts[1] if len(parts) == 3 and parts[1] in KINDS and '_step' in node.attr else None


def read_case(path):
    """The program, and its steps: targets, feeds."""
    full = graph_pb2.GraphDef.FromString(gzip.decompress(path.read_bytes()))
    graph, steps, first = graph_pb2.GraphDef(versions=full.versions), {}, None
    graph.library.CopyFrom(full.library)
    for node in full.node:
        kind = kind_of(node)
        if kind is None:
            copy = graph.node.add()
            copy.CopyFrom(node)
            copy.attr.pop('_output_shapes', None)
            continue
        case = node.name.split('/')[0]
        first = first or case
        if case != first:
            continue
        step = steps.setdefault(node.attr['_step'].i, {'targets': [], 'feeds': {}})
        if kind == 'run':
            step['targets'] = [t.decode() for t in node.attr['_targets'].list.s]
        elif kind == 'feed':
            step['feeds'][node.attr['_feed'].s.decode()] = tensor_util.MakeNdarray(node.attr['value'].tensor)
    return graph, [steps[k] for k in sorted(steps)]


def needed(graph, names):
    """Operations that a step runs, in no order."""
    seen, stack = set(), [graph.get_operation_by_name(n) for n in names]
    while stack:
        op = stack.pop()
        if op in seen:
            continue
        seen.add(op)
        stack += [i.op for i in op.inputs] + list(op.control_inputs)
    return seen


def can_fetch(tensor):
    return tensor.dtype not in (tf.resource, tf.variant, tf.string) and not tensor.dtype._is_ref_dtype


def begin(graph, init, step):
    """A session before the last step."""
    session = tf1.Session(graph=graph, config=config(1, 1))
    session.run(init)
    for _ in range(STEPS - 1):
        session.run(step['targets'], step['feeds'])
    return session


def main():
    graphs, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(exist_ok=True)
    for name in PROGRAMS:
        body, steps = read_case(graphs / (name + '.pb.gz'))
        init = steps[0]['targets']
        step = next(s for s in steps if s['feeds'] and s['targets'])
        with tf1.Graph().as_default() as graph:
            tf.import_graph_def(body, name='')
            tensors = [t for op in needed(graph, step['targets']) for t in op.outputs if can_fetch(t)]
            with begin(graph, init, step) as session:
                values = session.run([tensors, step['targets']], step['feeds'])[0]
        np.savez_compressed(out / (name + '.npz'), **{t.name: v for t, v in zip(tensors, values)})
        lines = [NOTICE] + ['target ' + t for t in init] + ['target ' + t for t in step['targets']] * (STEPS - 1)
        lines += ['fetch ' + t for t in step['targets']] + ['feed ' + f for f in step['feeds']]
        (out / (name + '.txt')).write_text('\n'.join(lines) + '\n')
        print(name, len(tensors), os.path.getsize(out / (name + '.npz')), init, step['targets'], list(step['feeds']))


if __name__ == '__main__':
    sys.exit(main() if len(sys.argv) == 3 else __doc__)
