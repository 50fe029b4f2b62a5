# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What random extremes showed to be wrong once, with TensorFlow's answers: python gen_extremes.py --out extremes [--only NAME ...]

A function a file. Each node is a case of its own step; whether TensorFlow refuses it is asked, not declared.
"""
import argparse, gzip, inspect, os
from casefile import CaseFile, config, tf, tf1, np

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

    def run(self, op, *inputs, rtol=0, atol=0, casts=None, n_fed=None, grads=False, **attrs):
        """One node on placeholders of unknown shape, run on these values; `casts` gives an input another dtype of its bits.
        With `n_fed` the shapes are known, and what follows the first so many inputs is constant; with `grads` what tf.gradients()
        makes of the first output is wanted too, to each input that has one. A list is a list of tensors."""
        arrays = [np.asarray(x) for x in tf.nest.flatten(inputs)]
        names = inspect.signature(getattr(raw, op)).parameters
        with self.graph.as_default():
            feeds = {tf1.placeholder(a.dtype, None if n_fed is None else a.shape): a for a in arrays[:n_fed]}
            made = [*feeds, *map(tf.constant, arrays[len(feeds):])]
            made = dict(zip(names, tf.nest.pack_sequence_as(inputs, made)))
            for name, dtype in (casts or {}).items():
                made[name] = raw.Bitcast(input=made[name], type=dtype)
            out = getattr(raw, op)(**made, **attrs)
        fetches = tf.nest.flatten(out)
        self.steps.append((feeds, fetches, rtol, atol, [(fetches[0], x, None) for x in feeds if grads and x.dtype.is_floating]))

    def write(self, path):
        with self.graph.as_default():
            fetch = tf1.constant(1.0)
        file = CaseFile(self.graph)
        case = file.case('c')
        case.step({}, [fetch])
        with tf1.Session(graph=self.graph, config=config()) as session:
            for feeds, fetches, rtol, atol, grads in self.steps:
                error = None
                try:
                    session.run(fetches, feeds)
                except tf.errors.OpError:
                    error = True
                case.step(feeds, fetches, error=error, rtol=rtol, atol=atol, grads=[] if error else grads)
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


def dtypes(e):
    """Dtypes that TensorFlow has a kernel for, and few else."""
    r = np.random.RandomState(1)
    for op, attrs in (('BatchMatMulV2', {}), ('BatchMatMulV3', {'Tout': tf.int16})):
        x = r.randint(-32768, 32768, (2, 3, 4)).astype(np.int16)
        e.run(op, x, r.randint(-32768, 32768, (2, 4, 5)).astype(np.int16), **attrs)
        e.run(op, x, r.randint(-32768, 32768, (5, 4)).astype(np.int16), adj_y=True, **attrs)
    byte = {np.int8: r.randint(-128, 128, (3, 4)).astype(np.int8), np.uint8: r.randint(0, 256, (3, 4)).astype(np.uint8)}
    for x in byte.values():
        for y in byte.values():
            e.run('BatchMatMulV3', x, y, adj_y=True, Tout=tf.int32)
        bfloat = r.randn(4, 2).astype(tf.bfloat16.as_numpy_dtype)
        e.run('BatchMatMulV3', x, bfloat, Tout=tf.bfloat16, rtol=1e-2, atol=2)
        e.run('BatchMatMulV3', bfloat, x, adj_x=True, adj_y=True, Tout=tf.bfloat16, rtol=1e-2, atol=2)
    odd = [0., -0., 1., -2., np.inf, -np.inf, np.nan, 1e30]
    for dtype in (np.complex64, np.complex128):
        x = np.array([complex(a, b) for a in odd for b in odd], dtype).reshape(8, 8)
        low, high = np.array(-1 - 3j, dtype), np.array(2 + 1j, dtype)
        e.run('ClipByValue', x, low, high)
        e.run('ClipByValue', x, x.T, high)
        e.run('ClipByValue', x, x.T, -x)
    for op in ('Equal', 'NotEqual'):
        for dtype, of in ((np.int8, tf.qint8), (np.uint8, tf.quint8), (np.int16, tf.qint16), (np.uint16, tf.quint16), (np.int32, tf.qint32)):
            x = np.array([[1, 2, 3], [3, 2, 1]], dtype)
            e.run(op, x, x[0], casts={'x': of, 'y': of})


def refusals(e):
    """What TensorFlow refuses, or does not, once the shapes are known."""
    f = lambda *s: np.arange(1, 1 + np.prod(s), dtype=np.float32).reshape(s)
    i = lambda v, *s: np.array(v, np.int32).reshape(s) if s else np.array(v, np.int32)
    many = [i(0), i([0]), i([1]), i([], 0), i([], 0, 1), i([], 2, 0), i([], 0, 0), i([[0]]), i([[1], [0]]), i([[0, 1]]), i([[5]]), i([-1]), i([], 1, 0, 2)]
    for params in (f(), f(3), f(0), f(2, 3), f(0, 3), f(2, 0)):
        for at in many:
            e.run('GatherNd', params, at)
            wanted = [(), (1,), (3,), (0,), (2, 3), (0, 3), (2, 0)]
            if at.ndim:
                wanted += [at.shape[:-1] + params.shape[at.shape[-1]:]] + [at.shape[:1] + params.shape[1:]] * (params.ndim > 0)
            for k, shape in enumerate(sorted(set(wanted))):
                e.run('ScatterNd', at, f(*shape), i(params.shape, params.ndim))
                e.run('TensorScatter' + ('Update', 'Add', 'Sub', 'Min', 'Max')[k % 5], params, at, f(*shape))
    for x in (f(), f(1), f(3), f(0), f(2, 3)):
        for low in (f(), f(1), f(3), f(1, 1), x):
            for high in (f(), f(1), x):
                e.run('ClipByValue', x, low, high)
    x, f32 = np.array([-2, -.3, 0, .2, .77, 5], np.float32), np.float32
    for low, high in ((-1, 1), (1, -1), (0, 0), (2, 3), (np.nan, 1), (-1, np.nan), (-np.inf, 1), (0, np.inf)):
        for bits in (0, 1, 2, 8, 62, 63):
            for signed in (True, False):
                e.run('QuantizeAndDequantizeV2', x, f32(low), f32(high), num_bits=bits, range_given=True, signed_input=signed,
                      narrow_range=True, rtol=1e-6)
                e.run('QuantizeAndDequantizeV3', x, f32(low), f32(high), i(bits), range_given=True, signed_input=signed, rtol=1e-6)


def indices(e):
    """Indices, sizes and axes of the dtypes that they rarely have, fed and constant."""
    x, i16, i8 = np.arange(24, dtype=np.float32).reshape(2, 3, 4), lambda *v: np.array(v, np.int16), lambda *v: np.array(v, np.int8)
    one = np.float32(1)
    for n_fed in (None, 1):
        for begin, end, strides, masks in ((i16(0, 1), i16(2, 3), i16(1, 1), {}), (i16(-1, 2), i16(-4, 0), i16(-1, -1), {}),
                                           (i16(1, 0, 1), i16(2, 0, 3), i16(1, 1, 2), {'shrink_axis_mask': 1, 'end_mask': 2})):
            e.run('StridedSlice', x, begin, end, strides, n_fed=n_fed, **masks)
        e.run('GatherNd', x, np.array([[0, 1], [1, 2]], np.int16), n_fed=n_fed)
        e.run('GatherV2', x, i16(1, 0, 1), np.int32(1), n_fed=n_fed)
        e.run('OneHot', i8(1, -1, 2), np.int32(3), one, -one, n_fed=n_fed)
        e.run('TopKV2', x, np.int16(2), n_fed=n_fed)
        e.run('UnsortedSegmentSum', x.reshape(6, 4), i16(2, 0, -1, 1, 1, 0), np.int32(3), n_fed=n_fed)
        # TensorFlow ends itself where sizes of int8 are constant.
        e.run('SplitV', x, i8(1, -1), np.int32(1), n_fed=n_fed and 2, num_split=2)
        e.run('SplitV', x, i8(2, -1, 1), np.int32(2), n_fed=n_fed and 2, num_split=3)


def infinite(e):
    """Infinities, NaNs and what overflows in complex numbers, where TensorFlow's vectors and its single elements agree."""
    odd = [0., -0., 1., -1., .5, -2., np.inf, -np.inf, np.nan, 3e30, -3e30, -.7, 100., -100., 1e3, .3]
    points = np.array([complex(a, b) for a in odd for b in odd])
    pick = np.random.RandomState(1).randint(0, len(points), (2, 500))
    unary = 'Neg Square Sign Sqrt Rsqrt Reciprocal Exp Expm1 Log Log1p Tanh Sigmoid Sin Cos Sinh Cosh Tan Asin Acos Atan Asinh Acosh Atanh'
    binary = ('Add Sub Mul RealDiv Pow SquaredDifference DivNoNan MulNoNan Xdivy Xlogy Xlog1py TanhGrad SigmoidGrad SqrtGrad RsqrtGrad '
              'ReciprocalGrad')
    for dtype, rtol in ((np.complex64, 4e-6), (np.complex128, 1e-10)):
        for op in unary.split() + binary.split():
            inputs = [points.astype(dtype)] if op in unary.split() else [points[p].astype(dtype) for p in pick]
            names = inspect.signature(getattr(raw, op)).parameters
            with tf1.Graph().as_default() as graph, tf1.Session(graph=graph, config=config()) as session:
                feeds = [tf1.placeholder(dtype, [None]) for _ in inputs]
                ask = session.make_callable(getattr(raw, op)(**dict(zip(names, feeds))), feeds)
                vector = ask(*(np.repeat(x, 16) for x in inputs))[::16]
                single = np.concatenate([ask(*(x[i:i + 1] for x in inputs)) for i in range(len(inputs[0]))])
            parts = [np.stack([z.real, z.imag]) for z in (vector, single)]
            with np.errstate(invalid='ignore'):
                near = np.isfinite(parts[0]) & (np.abs(parts[0] - parts[1]) <= rtol / 4 * np.abs(parts[1]))
            near = (near | (parts[0] == parts[1]) | np.isnan(parts[0]) & np.isnan(parts[1])).all(0)
            e.run(op, *(x[near] for x in inputs), rtol=rtol, atol=1e-35)


def rounding(e):
    """What is rounded on the way, and not only at the end: exact."""
    r = np.random.RandomState(1)
    for dtype in (np.float16, tf.bfloat16.as_numpy_dtype):
        x, y = (r.randn(2000) * 10).astype(dtype), (r.randn(2000) * 3).astype(dtype)
        for op in ('TruncateDiv', 'FloorDiv', 'RealDiv', 'FloorMod'):
            e.run(op, x, y)
        e.run('Cross', x[:1500].reshape(500, 3), y[:1500].reshape(500, 3))
        e.run('Range', *np.array([0, 600, 1], dtype))
        e.run('Range', *np.array([0, 3000, 3], dtype))
    for dtype in (np.float32, np.float64, np.float16, tf.bfloat16.as_numpy_dtype):
        for start, delta in zip(r.randint(-20, 20, 60), r.choice([1, 2, 3, 4, 5, 7, -1, -2, -3, -4, -7], 60)):
            limit = start + r.randint(25) * delta
            e.run('Range', *np.array([start / 10, limit / 10, delta / 10], dtype))


def quantized(e):
    """QuantizeAndDequantizeV4, whose gradient knows the bounds."""
    x = np.array([[-2, -1, -.3, 0], [.2, .77, 1, 5]])
    odd = np.array([[np.nan, np.inf, -np.inf, 1.5], [-1, 1, .5, 2]])
    for dtype in (np.float32, np.float64):
        low, high = np.array([-1, 0, -9, 1], dtype), np.array([0, 1, 9, 0], dtype)
        for bits in (2, 8, 61):
            for mode in ('HALF_TO_EVEN', 'HALF_UP'):
                common = dict(num_bits=bits, round_mode=mode, rtol=1e-6, grads=True)
                e.run('QuantizeAndDequantizeV4', x.astype(dtype), dtype(-1), dtype(1.5), range_given=True, **common)
                e.run('QuantizeAndDequantizeV4', x.astype(dtype), dtype(0), dtype(1), signed_input=False, narrow_range=True, **common)
                e.run('QuantizeAndDequantizeV4', x.astype(dtype), low, high, axis=1, **common)
        dy = np.array([[1, 2, 3, 4], [5, 6, np.nan, np.inf]], dtype)
        for y in (x.astype(dtype), odd.astype(dtype)):
            for bounds, axis in (((dtype(-1), dtype(1)), -1), ((dtype(1), dtype(-1)), -1), ((dtype(np.nan), dtype(1)), -1),
                                 ((low, high), 1), ((low[:2], high[:2]), 0)):
                for n_fed in (None, 2):
                    e.run('QuantizeAndDequantizeV4Grad', dy, y, *bounds, axis=axis, n_fed=n_fed)
        for bounds, axis in (((low, high), -1), ((low[:3], high), 1), ((low[0], high[0]), 1), ((low, high), 0), ((low, high), 2)):
            e.run('QuantizeAndDequantizeV4Grad', dy, x.astype(dtype), *bounds, axis=axis)
        e.run('QuantizeAndDequantizeV4Grad', dy[0], x.astype(dtype), dtype(-1), dtype(1))


EQUATIONS = [
    ('ab,bc->ac', (2, 3), (3, 4)), ('...ab,...bc->...ac', (5, 2, 3), (3, 4)), ('...ab,...bc->...ac', (5, 1, 2, 3), (4, 3, 4)),
    ('...ab,...bc->ac', (5, 2, 3), (3, 4)), ('...ab,...bc->ac', (2, 3), (3, 4)), ('ab,bc->...ac', (2, 3), (3, 4)),
    ('a...->...', (2, 3)), ('a...->', (2, 3)), ('...->', (2, 3)), ('a...->a', (2,)), ('aa->a', (3, 3)), ('a->aa', (3,)),
    ('aab->ab', (3, 3, 2)), ('ab->ba', (2, 3)), ('ab->', (2, 3)), ('aa->', (2, 3)), ('aa->', (3, 3)), ('ab,cd->abcd', (2, 3), (3, 4)),
    ('ab,ab->ab', (2, 3), (2, 3)), ('ab,ab->ab', (2, 3), (1, 3)), ('...a,...a->...', (4, 1, 3), (5, 3)), ('...a,a...->...', (4, 3), (3, 5)),
    ('a b->ba', (2, 3)), ('a b->b a', (2, 3, 2)), ('a1->a', (2, 3)), ('abc->a', (2, 3)), ('a->a', (2, 3)), ('ab,bc->ac', (2, 3), (4, 5)),
    ('->', ()), (',->', (), ()), (',a->a', (), (3,)), ('a,->a', (3,), ()), ('ab->a', (0, 3)), ('ab->b', (0, 3)), ('ab,bc->ac', (2, 0), (0, 3)),
    ('aBc->cB', (2, 3, 4)), ('ab...,bc...->...ac', (2, 3, 2), (3, 4, 2)), ('...,...->...', (2, 1), (1, 3)), ('...a->a...', (2, 3, 4)),
    ('aa...->a...', (2, 2, 3)), ('a...->aa...', (2, 3)), ('abc,cd->ad', (2, 3, 4), (4, 5)), ('bac,bad->bcd', (2, 3, 4), (2, 3, 5)),
    ('abc,abc->', (2, 3, 4), (2, 3, 4)), ('ab->aab', (2, 3)), ('a...a->...', (3, 2, 3)), ('abcd,aecd->acbe', (2, 3, 2, 4), (2, 5, 2, 4)),
    ('aab,bcc->acc', (2, 2, 3), (3, 2, 2)), ('...ab->...', (2, 2, 3, 4)), ('ab...c,c...->b...', (2, 3, 2, 4), (4, 2)),
    ('a...b,c...b->...', (2, 3, 1, 4), (3, 5, 4)), ('abcdefgh->hgfedcba', (1, 2, 1, 3, 1, 2, 1, 2)), ('ab,ab->ba', (12, 17), (12, 17)),
    ('bij,bjk->bik', (5, 20, 30), (5, 30, 20)), ('bij,bkj->ibk', (7, 9, 12), (7, 11, 12))]


def einsum(e):
    """Equations, right and wrong, of all dtypes, with gradients; and shapes that are known in part."""
    r = np.random.RandomState(1)
    draw = {'c': lambda s: r.randn(*s) + 1j * r.randn(*s), 'i': lambda s: r.randint(-32, 32, s), 'f': lambda s: r.randn(*s)}
    for k, (equation, *shapes) in enumerate(EQUATIONS):
        large = max(np.prod(s) for s in shapes) > 2000
        for dtype in [np.float32] if large else [np.float32, (np.float64, np.complex64, np.complex128, np.int32, np.int64)[k % 5]]:
            values = [np.asarray(draw[np.dtype(dtype).kind](s), dtype) for s in shapes]
            exact = np.dtype(dtype).kind == 'i'
            e.run('Einsum', values, equation=equation, rtol=0 if exact else 1e-5, atol=0 if exact else 1e-5, grads=not exact)
        halves = [np.asarray(r.randint(-4, 5, s), (np.float16, tf.bfloat16.as_numpy_dtype)[k % 2]) for s in shapes]
        if not large:
            e.run('Einsum', halves, equation=equation, rtol=1e-2, atol=1e-2)
    partial = [None, [None], [None, None], [2, None], [None, 3], [2, 3], [None, 2, 3], [1, None, 3], [4, 2, None]]
    for equation in ('ab,bc->ac', '...ab,...bc->...ac', '...ab,bc->...c', 'ab,...b->a...', 'ab,bc->...ca'):
        for x in partial:
            for y in partial:
                try:
                    e.shape('Einsum', inputs=[e.placeholder(tf.float32, x), e.placeholder(tf.float32, y)], equation=equation)
                except ValueError:
                    pass        # refused at once
    for equation in ('ab->ba', '...a->a', '...a->a...', 'aa->a', 'a->aa', 'a...a->...'):
        for x in partial:
            try:
                e.shape('Einsum', inputs=[e.placeholder(tf.float32, x)], equation=equation)
            except ValueError:
                pass


def pools(e):
    """NaN and infinities in the windows of maximum pools and of their gradients."""
    r = np.random.RandomState(1)
    n, i = np.nan, np.inf
    windows = [[1, 2, n, 3], [n, 2, 1, 3], [n, n, n, n], [4, n, 1, 3], [1, 2, 3, n], [-i, n, -i, -i], [-i] * 4, [5, n, n, 5], [3, 3, n, 1], [i, n, i, 0]]
    images = [np.reshape(np.asarray(w, np.float32), (1, 2, 2, 1)) for w in windows]
    many = r.randint(-3, 4, (2, 5, 7, 3)).astype(np.float32)
    many[r.rand(*many.shape) < .2] = n
    shape = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID')
    for x, kw in [(x, shape) for x in images] + [(many, shape), (many, dict(ksize=[1, 3, 2, 1], strides=[1, 1, 2, 1], padding='SAME')), (many.astype(np.float64), shape)]:
        with tf1.Graph().as_default(), tf1.Session(config=config()) as session:
            y = session.run(raw.MaxPool(input=x, **kw))
        e.run('MaxPoolWithArgmax', x, **kw)
        e.run('MaxPoolGrad', x, y, (np.arange(y.size).reshape(y.shape) + 1).astype(x.dtype), **kw)
        e.run('MaxPoolGradGrad', x, y, (np.arange(x.size).reshape(x.shape) + 1).astype(x.dtype), **kw)
        if x.dtype == np.float32:
            deep = {k: v if k == 'padding' else [1, 1] + v[1:] for k, v in kw.items()}
            with tf1.Graph().as_default(), tf1.Session(config=config()) as session:
                y = session.run(raw.MaxPool3D(input=x[:, None], **deep))
            e.run('MaxPool3D', x[:, None], **deep)
            e.run('MaxPool3DGrad', x[:, None], y, (np.arange(y.size).reshape(y.shape) + 1).astype(x.dtype), **deep)


FILES = [einsum, pools, indices, infinite, quantized, rounding, shapes_wanted, shapes_equal, dtypes, refusals]


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
