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


def orders(y, xs, n):
    """[y's gradients by xs], then those of a scalar of these, and so on; None is left out."""
    out = []
    for k in range(n):
        gs = [tf1.convert_to_tensor(g) for g in tf1.gradients(y, xs) if g is not None]
        out += gs
        if not gs: break
        y = tf1.add_n([flat(g, i) for i, g in enumerate(gs)])
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
