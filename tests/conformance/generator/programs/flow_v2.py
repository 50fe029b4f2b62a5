# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Control flow v2 (If, While and Case with functions) and its gradients, and gradients of gradients of both kinds."""
import contextlib
from graphcase import *
from programs.loops import rand
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.framework import function
from tensorflow.python.ops import control_flow_util
f32 = tf.float32


@contextlib.contextmanager
def version(two=True):
    """Control flow of one kind or the other for what is built inside."""
    before = control_flow_util.ENABLE_CONTROL_FLOW_V2
    control_flow_util.ENABLE_CONTROL_FLOW_V2 = two
    yield
    control_flow_util.ENABLE_CONTROL_FLOW_V2 = before


def flat(t, seed):
    """A scalar that depends on every element of t, each in its own way, so that gradients of it do not vanish."""
    if isinstance(t, tf.IndexedSlices): t = tf1.convert_to_tensor(t)
    return tf1.reduce_sum(tf1.sin(t * (.7 + .1 * seed)) + t * t * .3)


def scalar_of(gs):
    """A scalar of gradients, whose own gradients are of the next order."""
    return tf1.add_n([flat(g, i) for i, g in enumerate(gs)])


def orders(y, xs, n):
    """[y's gradients by xs], then those of a scalar of these, and so on; None is left out."""
    out = []
    for k in range(n):
        gs = [tf1.convert_to_tensor(g) for g in tf1.gradients(y, xs) if g is not None]
        out += gs
        if not gs: break
        y = scalar_of(gs)
    return out


def drive(p, name, feeds, fetches, init=None):
    c = p.case(name)
    if init is not None: c.step(targets=[init])
    for f in feeds: c.step(f, fetches)
    return c


def scalars():
    return tf1.placeholder(f32, [], name='x'), tf1.placeholder(tf.int32, [], name='n')


def called(name):
    """A function of the graph's library, as an attribute holds it."""
    return attr_value_pb2.NameAttrList(name=name)


# ---------------------------------------------------------------- one fault each

@program('flow_v2')
def v2_cond_twice(p):
    """a cond whose gradient is built twice, a second order, and a cond in a cond; batch normalisation with a tensor `training`"""
    x, n = scalars()
    with version():
        y = tf1.cond(x > 0, lambda: tf1.sin(x) * x, lambda: x * .5)
        z = tf1.cond(x > 1, lambda: tf1.cond(n > 1, lambda: tf1.exp(-x * y), lambda: x * x * y), lambda: tf1.tanh(y))
        g = tf1.gradients(y, x) + tf1.gradients(2 * y, x) + tf1.gradients(z, x) + tf1.gradients(z * y, x) + orders(z, [x], 3)
        h = tf1.placeholder(f32, [4, 3], name='h'); t = tf1.placeholder(tf.bool, [], name='training')
        gamma = tf1.placeholder(f32, [3], name='gamma')
        def training():
            m, v = tf1.nn.moments(h, [0])
            return gamma * (h - m) / tf1.sqrt(v + .001), m
        b, m = tf1.cond(t, training, lambda: (gamma * h, tf1.zeros([3])))
        loss = tf1.reduce_sum(tf1.tanh(b))
        g += tf1.gradients(loss, [h, gamma]) + tf1.gradients(loss * 2., [h, gamma]) + tf1.gradients(b, gamma)
    H = rand(p, 4, 3)
    drive(p, 'c', [{x: a, n: k, h: H, gamma: rand(p, 3), t: k % 2 == 0} for a, k in ((1.2, 1), (-.7, 2), (1.5, 2), (.3, 3))], [y, z, b, m] + g)


@program('flow_v2')
def v2_case_in_while(p):
    """switch_case and Case in a loop, by the loop's own counter, and gradients"""
    x, n = scalars()
    with version():
        _, y = tf1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf1.switch_case(i, [lambda: y, lambda: y * y * y])), [tf1.constant(0), x])
        _, z = tf1.while_loop(lambda i, z: i < n, lambda i, z: (i + 1, tf1.switch_case(i % 3 - 1, [lambda: tf1.sin(z), lambda: z * x, lambda: tf1.cond(i > 2, lambda: z, lambda: x)], default=lambda: z + y)), [tf1.constant(0), y])
        _, u = tf1.while_loop(lambda i, u: i < n, lambda i, u: (i + 1, tf1.case([(u > 1., lambda: u * .3), (u > .5, lambda: u + x)], default=lambda: tf1.switch_case(i, [lambda: u * 2., lambda: u * u]))), [tf1.constant(0), x])
        g = orders(y, [x], 2) + orders(z, [x], 1) + orders(u, [x], 1)
    drive(p, 'c', [{x: a, n: k} for a, k in ((.6, 3), (.9, 0), (-.4, 1), (.8, 5))], [y, z, u] + g)


@program('flow_v2')
def v2_defun_gradients(p):
    """functions with a gradient of their own: grad_func and python_grad_func, in SymbolicGradient, in a loop, in a function, in a branch"""
    x = tf1.placeholder(f32, [2], name='x'); n = tf1.placeholder(tf.int32, [], name='n')
    @function.Defun(f32, f32, func_name='SquareGrad')
    def square_grad(x, dy): return dy * 7.
    @function.Defun(f32, func_name='Square7', grad_func=square_grad)
    def square(x): return x * x
    @function.Defun(f32, f32, f32, f32, func_name='QuantGrad')
    def quant_grad(x, s, dy, dz): return dy + 0. * x, dz * 2.
    @function.Defun(f32, f32, func_name='Quant', grad_func=quant_grad)
    def quant(x, s): return tf1.round(x * s) / s, x * s
    @function.Defun(f32, func_name='Both')
    def both(x): return square(x) * quant(x, x + 4.)[0]
    a = square(x); q, r = quant(x, 8. * tf1.ones([2])); c = both(x)
    g1 = tf1.gradients(a, x) + tf1.gradients([q, r], x) + tf1.gradients(q, x) + tf1.gradients(c, x)
    y = tf.raw_ops.SymbolicGradient(input=[x, tf1.ones([2])], Tout=[f32], f=called('Square7'))
    @function.Defun(f32, func_name='Outer')
    def outer(x): return tf1.sin(square(x)) + x
    o = tf.raw_ops.SymbolicGradient(input=[x, tf1.ones([2])], Tout=[f32], f=called('Outer'))
    outer(x)
    p.snapshot()
    t = p.case('gradients')
    for v in ((1., 2.), (-.3, .4)):
        t.step({x: np.array(v, np.float32), n: 3}, [a, q, r, c] + list(y) + list(o),
               grads=[(a, x, g1[0]), ([q, r], x, g1[1]), (q, x, g1[2]), (c, x, g1[3])])


def second_by_builder(p, name, build, xs, feeds):
    """TensorFlow's first gradients of v1 loops, stacks and all, are in the graph; the engine's builder makes the second ones of
    them. TensorFlow refuses these: what they must be comes from the same program with control flow by functions."""
    with version(False):
        y = tf1.identity(build(), name=name + '_y')
        g = [tf1.convert_to_tensor(t) for t in tf1.gradients(y, xs)]
        s = tf1.identity(scalar_of(g), name=name + '_s')
    p.snapshot()
    with version():
        want = tf1.gradients(scalar_of([tf1.convert_to_tensor(t) for t in tf1.gradients(build(), xs)]), xs)
    c = p.case(name)
    for f in feeds: c.step(f, [y] + g, grads=[(s, x, t) for x, t in zip(xs, want)])


@program('flow_v1', *[('v1_second_' + n, dict(k=k)) for k, n in enumerate(('power', 'branch', 'nested', 'two', 'matrix', 'array'))])
def v1_second(p, k):
    """second order through v1 loops, by the engine's own builder: of loops that keep forward values, branches in them, loops in loops, one after the other"""
    x, n = scalars()
    w = tf1.placeholder(f32, [2, 2], name='w'); u = tf1.placeholder(f32, [2, 2], name='u')
    wl = tf1.while_loop
    two = lambda y: wl(lambda i, y: i < n, lambda i, y: (i + 1, y * x + tf1.sin(y)), [0, y])[1]
    def nested():
        return wl(lambda i, y: i < n, lambda i, y: (i + 1, tf1.sin(y) + wl(lambda j, z: j < i + 1, lambda j, z: (j + 1, z * x * tf1.cos(z)), [0, y])[1]), [0, x])[1]
    def branch():
        return wl(lambda i, y: i < n, lambda i, y: (i + 1, tf1.cond(tf1.equal(i % 2, 0), lambda: y * y * x, lambda: tf1.exp(-y) + x)), [0, x])[1]
    def array():
        a = tf1.TensorArray(f32, n, element_shape=[])
        a = wl(lambda i, y, a: i < n, lambda i, y, a: (i + 1, y * x, a.write(i, tf1.sin(y * x))), [0, x, a])[2]
        return tf1.reduce_sum(a.stack() ** 2)
    build = [lambda: wl(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, x])[1], branch, nested, lambda: two(two(x) * .5) * x,
             lambda: tf1.reduce_sum(wl(lambda i, y: i < n, lambda i, y: (i + 1, tf1.tanh(tf1.matmul(y, w) + u[0])), [0, u])[1] ** 2), array][k]
    xs = [w, u] if k == 4 else [x]
    second_by_builder(p, 'c', build, xs, [{x: a, n: m, w: rand(p, 2, 2), u: rand(p, 2, 2)} for a, m in ((.6, 3), (.8, 1), (-.7, 4), (.5, 0))])


@program('flow_v1')
def v1_gradients_elsewhere(p):
    """loops on one device whose gradients, and with them the stacks' users, ask for another; variables used from other devices"""
    p.cpus = 4
    x, n = scalars()
    with tf1.device('/cpu:0'): r = tf1.get_variable('r', initializer=1.5, use_resource=True); rv = r.read_value()
    with tf1.device('/cpu:3'): v = tf1.get_variable('v', initializer=.5, use_resource=False)
    with tf1.device('/cpu:1'):
        _, y = tf1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x * rv + tf1.sin(y)), [tf1.constant(0), x])
        _, z = tf1.while_loop(lambda i, z: i < n, lambda i, z: (i + 1, z * tf1.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, u * x), [tf1.constant(0), y])[1]), [tf1.constant(0), x])
    with tf1.device('/cpu:2'):
        g = tf1.gradients(y, [x, r])
        read = tf.raw_ops.ReadVariableOp(resource=r.handle, dtype=f32)
        with tf1.control_dependencies([y, read]): more = tf.raw_ops.AssignAdd(ref=v._ref(), value=y * .1)
    g += tf1.gradients(z, [x], colocate_gradients_with_ops=True)
    with tf1.device('/cpu:3'): g += tf1.gradients(z, [x])
    c = p.case('c')
    c.step(targets=[r.initializer, v.initializer])
    for a, k in ((.5, 1), (.7, 0), (-.6, 3)): c.step({x: a, n: k}, [y, z, read] + g)
    c.step({x: .5, n: 2}, [more]); c.step(fetches=[v._ref()])


# ---------------------------------------------------------------- drawn by lot

class Drawn:
    """Control flow by functions, nested at random around small tensors; every choice is r's."""

    def __init__(self, r, most, like=None):
        """like: another one whose inputs this has."""
        self.r, self.most, self.count = r, most, 0
        if like is not None:
            self.x, self.w, self.n, self.b, self.v = like.x, like.w, like.n, like.b, like.v
            return
        self.x = tf1.placeholder(f32, [2, 2], name='x'); self.w = tf1.placeholder(f32, [2, 2], name='w')
        self.n = tf1.placeholder(tf.int32, [], name='n'); self.b = tf1.placeholder(tf.bool, [], name='b')
        self.v = tf1.get_variable('v', initializer=tf1.constant([[.3, -.2], [.1, .4]]), use_resource=True)

    def pick(self, *choices): return choices[self.r.randint(len(choices))]()

    def leaf(self, y):
        x, w, v = self.x, self.w, self.v
        return self.pick(lambda: tf1.tanh(tf1.matmul(y, w)), lambda: tf1.sin(y + v), lambda: y * .5 + x * .3, lambda: tf1.sigmoid(y) * w,
                         lambda: tf1.transpose(y) * tf1.cos(x), lambda: y / (1. + y * y), lambda: tf1.nn.softmax(y) + v * y,
                         lambda: tf1.concat([y[1:], y[:1]], 0) * .9, lambda: tf1.gather(y, [1, 0]) - .1 * y, lambda: tf1.tanh(y * tf1.reduce_sum(v)))

    def pred(self, y, i):
        return self.pick(lambda: self.b, lambda: tf1.reduce_sum(y) > .2, lambda: tf1.equal(i % 2, 0) if i is not None else self.n > 1, lambda: self.n > 2)

    def loop(self, y, depth, i):
        lim = self.pick(lambda: self.n, lambda: tf1.constant(int(self.r.randint(0, 4))), lambda: self.n % 3, lambda: (i + 1) % 4 if i is not None else self.n + 1)
        kw = self.pick(dict, dict, lambda: dict(maximum_iterations=3), lambda: dict(parallel_iterations=1))
        if self.r.randint(3):
            return tf1.while_loop(lambda j, z: j < lim, lambda j, z: (j + 1, self.block(z, depth - 1, j)), (tf1.constant(0), y), **kw)[1]
        a, c = tf1.while_loop(lambda j, z, u: j < lim, lambda j, z, u: (j + 1, self.block(u, depth - 1, j), z * .7 + y * .1), (tf1.constant(0), y, self.x * y), **kw)[1:]
        return a - c

    def array(self, y, depth):
        a = tf1.TensorArray(f32, 3, element_shape=[2, 2], clear_after_read=False)
        _, z, a = tf1.while_loop(lambda j, *_: j < 3, lambda j, z, a: (j + 1, self.block(z, depth - 1, j), a.write(j, z)), [tf1.constant(0), y, a])
        s = a.stack()
        return z * .5 + tf1.reduce_mean(tf1.sin(s), 0) + s[1] * .1

    def build(self):
        y = self.x * 1.
        while self.count < 2: y = self.block(y, 3, None)
        return tf1.identity(y)

    def feeds(self, p):
        return [{self.x: rand(p, 2, 2), self.w: rand(p, 2, 2), self.n: m, self.b: q} for m, q in ((0, True), (1, False), (3, True))]

    def block(self, y, depth, i):
        self.count += 1
        for _ in range(self.r.randint(1, 3)):
            c = self.r.randint(11) if depth > 0 and self.count < self.most else 0
            if c <= 1: y = self.leaf(y)
            elif c <= 3: y = self.loop(y, depth, i)
            elif c <= 6:
                p = self.pred(y, i)
                y = tf1.cond(p, lambda: self.block(y, depth - 1, i), lambda: self.block(y, depth - 1, i) if self.r.randint(3) else tf1.identity(y))
            elif c == 7:
                index = (i if i is not None else self.n) % 4 - 1
                y = tf1.switch_case(index, [lambda: self.block(y, depth - 1, i), lambda: self.leaf(y), lambda: y], default=self.pick(lambda: None, lambda: (lambda: self.block(y, depth - 1, i))))
            elif c == 8: y = self.array(y, depth)
            elif c == 9: y = tf1.map_fn(lambda e: tf1.tanh(e * 1.1 + self.w[0]), y)
            else: y = tf1.scan(lambda a, e: tf1.sin(a * e + a), y, initializer=tf1.ones([2]) * .5)
        return y


def summary_of(g):
    """How many functional ops of each kind the graph and its functions hold."""
    d = g.as_graph_def()
    ops = [n.op for n in d.node] + [n.op for f in d.library.function for n in f.node_def]
    return ', '.join('%d %s' % (ops.count(t), t) for t in sorted(set(ops)) if t in ('If', 'StatelessIf', 'While', 'StatelessWhile', 'Case', 'StatelessCase', 'TensorListPushBack', 'TensorListPopBack', 'OptionalFromValue'))


@program('random_v2', *[('random_v2_%d' % i, dict(k=i)) for i in (0, 2, 4, 5)])
def random_v2(p, k):
    """while, cond, switch_case, TensorArray, map and scan by functions, nested at random; gradients up to the third order"""
    r = np.random.RandomState((p.gseed % 100000 + 131 * k) % (1 << 31))
    with version():
        d = Drawn(r, int(r.choice([4, 6, 8])))
        y = d.build()
        order = int(r.choice([1, 2, 2, 3])) if d.count < 6 else int(r.choice([1, 2]))
        xs = [d.x, d.w, d.v]
        g = orders(flat(y, 0), xs, order)
        if r.randint(2): g += [tf1.convert_to_tensor(t) for t in tf1.gradients(2. * y, xs) if t is not None]
    p.what = 'order %d: %s' % (order, summary_of(p.graph))
    drive(p, 'flow', d.feeds(p), [y] + g, init=d.v.initializer)


@program('random_second', *[('random_second_%d' % i, dict(k=i)) for i in range(6)])
def random_second(p, k):
    """control flow of either kind nested at random: the first gradients by TensorFlow or by the engine's builder, the second ones by the builder"""
    seed = (p.gseed % 100000 + 171 * k) % (1 << 31)
    most, two = int(np.random.RandomState(seed + 1).choice([3, 4, 6])), k % 3 == 2
    d = Drawn(np.random.RandomState(seed), most)
    xs = [d.x, d.w, d.v]
    with version(two):
        y = d.build()
        loss = flat(y, 0)
        g = [tf1.convert_to_tensor(t) for t in tf1.gradients(loss, xs) if t is not None]
        s = scalar_of(g)
    p.snapshot()
    with version():
        again = flat(Drawn(np.random.RandomState(seed), most, like=d).build(), 0)
        first = [None if t is None else tf1.convert_to_tensor(t) for t in tf1.gradients(again, xs)]
        want = tf1.gradients(scalar_of([t for t in first if t is not None]), xs)
    p.what = 'v%d: %s' % (1 + two, ', '.join('%d %s' % (m, t) for t, m in sorted({t: sum(o.type == t for o in p.graph.get_operations()) for t in ('LoopCond', 'Merge', 'StackPushV2', 'TensorArrayV3')}.items())))
    c = p.case('flow')
    c.step(targets=[d.v.initializer])
    for f in d.feeds(p): c.step(f, [y] + g, grads=[(loss, x, t) for x, t in zip(xs, first)] + [(s, x, t) for x, t in zip(xs, want)])
