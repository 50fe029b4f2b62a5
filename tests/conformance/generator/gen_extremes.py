# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What random extremes showed to be wrong once, with TensorFlow's answers: python gen_extremes.py --out extremes [--only NAME ...]

A function a file. Each node is a case of its own step; whether TensorFlow refuses it is asked, not declared.
"""
import argparse, gzip, os
from casefile import CaseFile, config, tf, tf1, np
from tensorflow.python.framework import op_def_registry

tf1.disable_eager_execution()
raw = tf.raw_ops


class Extremes:
    def __init__(self):
        self.graph = tf1.Graph()
        self.steps = []

    def placeholder(self, dtype, shape):
        with self.graph.as_default():
            return tf1.placeholder(dtype, shape)

    def shape(self, op, **inputs):
        """A node of which only the inferred shape counts. A list is a constant, a tensor itself."""
        with self.graph.as_default():
            getattr(raw, op)(**inputs)

    def run(self, op, *inputs, rtol=0, atol=0, **attrs):
        """One node on placeholders of unknown shape, run on these values."""
        arrays = [np.asarray(x) for x in inputs]
        names = [a.name for a in op_def_registry.get(op).input_arg]
        with self.graph.as_default():
            feeds = {tf1.placeholder(a.dtype): a for a in arrays}
            out = getattr(raw, op)(**dict(zip(names, feeds)), **attrs)
        self.steps.append((feeds, [out], rtol, atol))

    def write(self, path):
        with self.graph.as_default():
            fetch = tf1.constant(1.0)
        file = CaseFile(self.graph)
        case = file.case('c')
        case.step({}, [fetch])
        with tf1.Session(graph=self.graph, config=config()) as session:
            for feeds, fetches, rtol, atol in self.steps:
                error = None
                try:
                    session.run(fetches, feeds)
                except tf.errors.OpError:
                    error = True
                case.step(feeds, fetches, error=error, rtol=rtol, atol=atol)
        file.write(path)
        with open(path, 'rb') as f, open(path + '.gz', 'wb') as out, gzip.GzipFile('', 'wb', 9, out, 0) as packed:
            packed.write(f.read())
        os.remove(path)


PARTIAL = [None, [], [None], [1], [3], [0], [None, None], [None, 3], [3, None], [1, 3], [3, 0], [0, None], [2, 1, None]]


def shapes_wanted(e):
    """What a constant or a Shape asks for is what comes out, also a 1 or beside a 0."""
    wanted = [[], [1], [3], [-1], [1, 1], [1, 3], [3, 1], [-1, 3], [3, -1], [-1, 1], [2, 1, 3]]
    for x in PARTIAL:
        for to in wanted:
            for op, name, value in (('BroadcastTo', 'input', 'shape'), ('Tile', 'input', 'multiples'), ('Reshape', 'tensor', 'shape')):
                for t in (to, e.placeholder(tf.float32, [None if d < 0 else d for d in to])):
                    if t is not to:
                        with e.graph.as_default(): t = raw.Shape(input=t)
                    try:
                        e.shape(op, **{name: e.placeholder(tf.float32, x), value: np.array(t, np.int32) if t is to else t})
                    except ValueError:
                        pass        # refused at once


def shapes_equal(e):
    """Shapes that need not fit: outermost dimension first, a size that may not fit leaves all unknown."""
    for op in ('Equal', 'NotEqual'):
        for x in PARTIAL:
            for y in PARTIAL:
                e.shape(op, x=e.placeholder(tf.float32, x), y=e.placeholder(tf.float32, y), incompatible_shape_error=False)
        for x, y in ((2, 3), (3, 3), (0, 3), (1, 3)):
            e.run(op, np.arange(x, dtype=np.float32), np.arange(y, dtype=np.float32), incompatible_shape_error=False)


FILES = [shapes_wanted, shapes_equal]


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--out', required=True)
    a.add_argument('--only', nargs='*')
    a = a.parse_args()
    for make in FILES:
        if not a.only or make.__name__ in a.only:
            e = Extremes()
            make(e)
            e.write(os.path.join(a.out, make.__name__ + '.pb'))
            print(make.__name__, len(e.steps), 'steps')


if __name__ == '__main__':
    main()
