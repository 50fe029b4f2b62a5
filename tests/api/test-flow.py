#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Branches and loops built from Python: their values, and gradients through them, as TAP.

usage: test-flow.py [FOLDER], which gets the graph and its values, for check-flow.py
"""
import os
import pathlib
import sys

import gi
import numpy as np

gi.require_version("Sluice", "0")
from gi.repository import GLib, Sluice  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../app"))
from tap import Tap  # noqa: E402

X = np.array([[1, 2, 3], [4, 5, 6]], "f4")


class Flows:
    def __init__(self):
        self.tap = Tap()
        self.graph = Sluice.Graph()
        self.x = self.graph.Placeholder(name="x", dtype="float", shape=[2, 3])
        self.p = self.graph.Placeholder(name="p", dtype="bool", shape=[])
        self.found = {}  # name -> the value that it must have, and what is fed
        self.found_edges = {}

    def expect(self, name, edge, value, p=True):
        """An edge under a name, and what it is where p is fed."""
        self.found_edges[name] = self.graph.Identity(edge, name=name)
        self.found[name] = (np.array(value, "f4"), p)

    def slope(self, name, y, value, p=True):
        """The gradient of an edge by x."""
        self.expect(name, self.graph.gradients(y, self.x)[0], value, p)

    def conditions(self):
        g, x = self.graph, self.x
        y = g.cond(self.p, lambda s: s.Square(x), lambda s: s.Mul(x, 3.0))
        self.expect("cond/true", y, X * X)
        self.expect("cond/false", y, X * 3, False)
        self.slope("cond/true/slope", y, 2 * X)
        self.slope("cond/false/slope", y, np.full_like(X, 3), False)
        within = g.cond(self.p, lambda s: s.gradients(s.Exp(s.Square(x)), x)[0], lambda s: x)
        self.expect("cond/within", within, 2 * X * np.exp(X * X))
        # One branch hands on what is outside; the other is a condition itself.
        inner = g.cond(self.p, lambda s: [x], lambda s: [
            s.cond(s.LogicalNot(self.p), lambda t: t.Mul(x, x), lambda t: t.Neg(x))])
        self.expect("nested", inner[0], X * X, False)
        self.slope("nested/slope", inner[0], 2 * X, False)
        one = g.case([(g.Greater(2.0, 3.0), lambda s: s.Neg(x)), (self.p, lambda s: s.Exp(x))],
                     lambda s: s.Mul(x, 5.0))
        self.expect("case/second", one, np.exp(X))
        self.expect("case/default", one, X * 5, False)
        self.slope("case/slope", one, np.exp(X))

    def second(self):
        """Gradients of gradients, of loops through the stacks on which they keep values."""
        g, x = self.graph, self.x
        y = g.cond(self.p, lambda s: s.Mul(x, s.Square(x)), lambda s: s.Square(x))
        self.slope("second/condition", g.gradients(y, x)[0], 6 * X)
        self.slope("second/condition/false", g.gradients(y, x)[0], np.full_like(X, 2), False)
        # y x x by y: what the loop takes in is no secret of it.
        start = g.Mul(x, 2.0)
        y = self.repeat(lambda s, y: s.Mul(y, x), start)
        slope = g.gradients(y, start)[0]
        self.expect("second/constant/slope", slope, X * X)
        self.slope("second/constant", slope, 2 * X)
        # Up to the third order: x² twice is x⁴.
        slope = g.gradients(self.repeat(lambda s, y: s.Square(y), x), x)[0]
        self.slope("second/power", slope, 12 * X ** 2)
        self.slope("second/third", g.gradients(slope, x)[0], 24 * X)
        # A loop in a loop, and a condition in there: x³ three times, or x² where p is false.
        def outer(s, y):
            return s.while_loop(lambda t, k, z: t.Less(k, 1), lambda t, k, z: (
                t.AddV2(k, 1), t.cond(self.p, lambda u: u.Mul(u.Square(z), x),
                                      lambda u: u.Square(z))), [0, y])[1]
        slope = g.gradients(self.repeat(outer, x), x)[0]  # (x² x)² x = x⁷, (x²)² = x⁴
        self.expect("second/deep/slope", slope, 7 * X ** 6)
        self.slope("second/deep", slope, 42 * X ** 5)
        self.slope("second/deep/false", slope, 12 * X ** 2, False)
        # Of a loop's gradient that stands in the body of another: 4 y³ twice.
        y = self.repeat(lambda s, y: s.gradients(s.while_loop(
            lambda t, k, z: t.Less(k, 2), lambda t, k, z: (t.AddV2(k, 1), t.Square(z)),
            [0, y])[1], y)[0], g.Mul(x, 0.1))
        self.slope("second/within", y, 230.4 * (X / 10) ** 8)

    def loops(self):
        g, x = self.graph, self.x
        # x² three times: x⁸. The 1.0 of the body stands inside of the loop.
        i, y = g.while_loop(lambda s, i, y: s.Less(i, 3),
                            lambda s, i, y: (s.AddV2(i, 1), s.Mul(s.Square(y), 1.0)), [0, x])
        self.expect("while/count", g.Cast(i, DstT="float"), 3)
        self.expect("while/power", y, X ** 8)
        self.slope("while/slope", y, 8 * X ** 7)
        # A loop in a loop, with x from outside of both; a condition in there.
        def outer(s, i, y):
            def inner(t, k, z):
                even = t.Equal(t.FloorMod(k, 2), 0)
                return t.AddV2(k, 1), t.AddV2(z, t.cond(even, lambda u: u.Square(x), lambda u: x))
            return s.AddV2(i, 1), s.while_loop(lambda t, k, z: t.Less(k, 3), inner, [0, y])[1]
        y = g.while_loop(lambda s, i, y: s.Less(i, 2), outer, [0, x])[1]
        self.expect("deep", y, X + 2 * (2 * X * X + X))
        self.slope("deep/slope", y, 1 + 2 * (4 * X + 1))
        # Of no iteration at all.
        zero = g.while_loop(lambda s, y: s.LogicalAnd(False, self.p), lambda s, y: s.Exp(y), x)
        self.expect("none", zero, X)
        self.slope("none/slope", zero, np.ones_like(X))

    def repeat(self, body, start, n=2):
        """What a body of a scope and a value makes of the value, n times."""
        return self.graph.while_loop(lambda s, i, y: s.Less(i, n),
                                     lambda s, i, y: (s.AddV2(i, 1), body(s, y)), [0, start])[1]

    def within(self):
        """Gradients that stand in a body or a branch."""
        g, x, one = self.graph, self.x, np.ones_like(X)
        square = g.Square(x)
        y = self.repeat(lambda s, y: s.gradients(s.Mul(s.Square(y), x), y)[0], x)
        self.expect("within/variable", y, 4 * X ** 3)
        self.slope("within/variable/slope", y, 12 * X ** 2)
        # By what is outside: straight, and on a way that begins outside.
        y = self.repeat(lambda s, y: s.gradients(s.Mul(x, s.Mul(square, y)), x)[0], one)
        self.expect("within/outside", y, 9 * X ** 4)
        self.slope("within/outside/slope", y, 36 * X ** 3)
        # Of a loop in the body.
        y = self.repeat(lambda s, y: s.gradients(s.while_loop(
            lambda t, k, z: t.Less(k, 2), lambda t, k, z: (t.AddV2(k, 1), t.Square(z)),
            [0, y])[1], y)[0], g.Mul(x, 0.1))
        self.expect("within/loop", y, 256 * (X / 10) ** 9)
        # In the inner of two loops, by what is outside of both.
        y = self.repeat(lambda s, y: s.while_loop(
            lambda t, k, z: t.Less(k, 2),
            lambda t, k, z: (t.AddV2(k, 1), t.gradients(t.Mul(t.Square(z), square), x)[0]),
            [0, y])[1], one, 1)
        self.expect("within/inner", y, 8 * X ** 3)
        # Through conditions: one outside, one in the body, whose other side has no part in it.
        either = g.cond(self.p, lambda s: s.Square(x), lambda s: s.Neg(x))
        y = self.repeat(lambda s, y: s.gradients(s.Mul(either, y), x)[0], one)
        self.expect("within/condition", y, 4 * X ** 2)
        self.expect("within/condition/false", y, one, False)
        y = self.repeat(lambda s, y: s.gradients(s.cond(
            self.p, lambda t: t.Mul(square, y), lambda t: t.Mul(y, 3.0)), [x, y])[0], one)
        self.expect("within/branch", y, 4 * X ** 2)
        self.expect("within/branch/false", y, 0 * X, False)
        y = g.cond(self.p, lambda s: s.gradients(s.Mul(square, x), x)[0], lambda s: x)
        self.expect("within/taken", y, 3 * X ** 2)
        self.slope("within/taken/slope", y, 6 * X)
        # A loop in a branch, whose body the gradient is in.
        y = g.cond(self.p, lambda s: s.while_loop(
            lambda t, i, z: t.Less(i, 2),
            lambda t, i, z: (t.AddV2(i, 1), t.gradients(t.Mul(square, z), x)[0]), [0, one])[1],
            lambda s: x)
        self.expect("within/both", y, 4 * X ** 2)

    def rows(self):
        g, x = self.graph, self.x
        y = g.map_fn(lambda s, row: s.Mul(row, s.Sum(row, 0)), x)
        total = X.sum(1, keepdims=True)
        self.expect("map", y, X * total)
        self.slope("map/slope", y, 2 * total + 0 * X)
        both = g.map_fn(lambda s, row, n: (s.Sum(row, 0), s.Cast(n, DstT="float")), [x, [7, 8]],
                        dtype=[np.float32, "f4"])
        self.expect("map/first", both[0], X.sum(1))
        self.expect("map/second", both[1], [7, 8])
        last = g.foldl(lambda s, a, row: s.AddV2(s.Mul(a, 2.0), row), x, np.ones(3, "f4"))
        self.expect("fold", last, 4 + 2 * X[0] + X[1])
        self.slope("fold/slope", last, [[2, 2, 2], [1, 1, 1]])
        all_ = g.scan(lambda s, a, row: s.Mul(a, row), x, np.ones(3, "f4"))
        self.expect("scan", all_, [X[0], X[0] * X[1]])
        self.slope("scan/slope", all_, [1 + X[1], X[0]])

    def order(self):
        """Only the branch that is taken changes anything."""
        g = self.graph
        v = g.variable(np.float32(1), "counter")
        add = g.cond(self.p, lambda s: s.AssignAddVariableOp(v.handle, np.float32(10)),
                     lambda s: s.after(g.NoOp(name="before")).NoOp(), name="change")
        session = Sluice.Session(g)
        session.run(targets=v.init)
        before = session.run(v.read)
        session.run(add, {self.p: False})
        self.tap.point("what is not taken has no effect", session.run(v.read) == before)
        session.run(add, {self.p: True})
        self.tap.point("what is taken has", session.run(v.read) == before + 10)

    def fails(self, name, call, word, kind=GLib.Error):
        try:
            call()
        except kind as error:
            self.tap.point(name, word in str(error), error)
        else:
            self.tap.point(name, False, "nothing was raised")

    def errors(self):
        g, x = self.graph, self.x
        same = lambda s, *v: list(v)  # noqa: E731
        self.fails("a condition that is no bool", lambda: g.cond(x, same, same), "scalar bool")
        self.fails("branches of different dtypes", lambda: g.cond(
            self.p, lambda s: s.constant(1), lambda s: s.constant(1.0)), "is int32")
        self.fails("branches of different lengths", lambda: g.cond(
            self.p, lambda s: [x, x], lambda s: [x]), "2 edges and 1")
        self.fails("branches of nothing", lambda: g.cond(
            self.p, lambda s: [], lambda s: []), "at least one")
        self.fails("a loop without variables", lambda: g.while_loop(same, same, []), "a variable")
        self.fails("no iteration at once", lambda: g.while_loop(same, same, [0], 0), "not 0")
        self.fails("a condition of two", lambda: g.while_loop(
            lambda s, i: [i, i], same, [0]), "2 edges, one")
        self.fails("a body of another dtype", lambda: g.while_loop(
            lambda s, i: s.Less(i, 3), lambda s, i: s.constant(1.0), 0), "is int32")
        self.fails("a map of another dtype", lambda: g.map_fn(
            lambda s, row: s.constant(1), x), "float is wanted")
        self.fails("a fold of too much", lambda: g.foldl(
            lambda s, a, row: [a, a], x, 0.0), "2 edges, 1")
        self.fails("rows of a scalar", lambda: g.map_fn(same, 1.0), "StridedSlice")
        inside, ended = [], self.repeat(lambda s, y: s.Square(y), x)
        self.repeat(lambda s, y: inside.append(s.Square(y)) or inside[0], x)
        self.fails("a gradient of what lies in a loop",
                   lambda: g.gradients(inside[0], x), "lies inside the loop")
        self.fails("a gradient by what lies in another loop", lambda: self.repeat(
            lambda s, y: s.gradients(s.Square(y), inside[0])[0], x), "lies inside the loop")
        self.fails("a gradient in a loop through one that ended", lambda: self.repeat(
            lambda s, y: s.gradients(s.Mul(ended, y), x)[0], x), "all its iterations")
        self.fails("an op's error", lambda: g.cond(
            self.p, lambda s: s.MatMul(x, x), same), "MatMul")
        self.fails("whatever a function raises", lambda: g.cond(
            self.p, lambda s: 1 / 0, same), "division", ZeroDivisionError)

    def check(self, folder):
        """Runs what is expected."""
        session = Sluice.Session(self.graph)
        for name, (value, p) in self.found.items():
            got = session.run(name + ":0", {self.x: X, self.p: p})
            self.tap.point(name, got.shape == value.shape and np.allclose(got, value, 1e-5),
                           got, value)
        if folder is not None:
            self.graph.save(str(folder / "flow.pb"), 0)
            np.savez(folder / "flow.npz", X, **{name: value for name, (value, p)
                                                in self.found.items() if p})
            np.savez(folder / "flow-false.npz", X, **{name: value for name, (value, p)
                                                      in self.found.items() if not p})


def main():
    flows = Flows()
    for part in (flows.conditions, flows.second, flows.loops, flows.within, flows.rows):
        part()
    flows.check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    flows.order()
    flows.errors()
    flows.tap.end()


main()
