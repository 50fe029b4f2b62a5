# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Sluice for Python: NumPy arrays for tensors, Python values for attributes, an op a method.

    graph = Sluice.Graph()
    x = graph.Placeholder(name="x", dtype="float", shape=[None, 2])
    y = graph.scope("layer").MatMul(x, np.ones((2, 3), "f4"))
    Sluice.Session(graph).run(y, {x: [[1, 2]]})

An input is a node (its first output), an edge by name ("layer/MatMul:0", what node[1] gives), bytes
(a string) or what NumPy makes an array of, which becomes a constant. Lists of nodes and edges are
lists of inputs. Python's numbers are float and int32, as in TensorFlow; arrays keep their dtype.

Branches and loops are functions of the scope that their nodes go to, and of edges:

    y, = graph.cond(p, lambda s: [s.Neg(x)], lambda s: [x])
    n = graph.while_loop(lambda s, i: s.Less(i, 9), lambda s, i: s.AddV2(i, 1), 0)

A workspace holds runs of projects; what was recorded are dictionaries and arrays:

    w = Sluice.Workspace("digits")
    w.sweep("data/samples/digits-mlp", {"learning-rate": [0.1, 0.01]}, steps=100)
    w.train()
    table = pandas.DataFrame(w.table())
"""
import collections
import contextlib
import functools
import os
import signal
import threading

import numpy as np
from gi.repository import Gio, GLib

from ..module import get_introspection_module
from ..overrides import override

Sluice = get_introspection_module("Sluice")
__all__ = ["IndexedSlices", "Variable"]

D = Sluice.DType
TO_NUMPY = {D.FLOAT: "f4", D.DOUBLE: "f8", D.HALF: "f2", D.INT8: "i1", D.INT16: "i2", D.INT32: "i4",
            D.INT64: "i8", D.UINT8: "u1", D.UINT16: "u2", D.UINT32: "u4", D.UINT64: "u8",
            D.BOOL: "b1", D.COMPLEX64: "c8", D.COMPLEX128: "c16"}
FROM_NUMPY = {np.dtype(code): dtype for dtype, code in TO_NUMPY.items()}
# Read as plain integers.
TO_NUMPY.update({D.QINT8: "i1", D.QINT16: "i2", D.QINT32: "i4", D.QUINT8: "u1", D.QUINT16: "u2"})

IndexedSlices = collections.namedtuple("IndexedSlices", "values indices dense_shape")
# A resource variable: its handle, a read of it, the assignment of its initial value.
Variable = collections.namedtuple("Variable", "handle read init")


def _array(value):
    """What NumPy makes of a value, Python's numbers as TensorFlow takes them."""
    array = np.asarray(value)
    if not isinstance(value, (np.ndarray, np.generic)):
        if array.dtype.kind in "SU":
            array = np.array(value, object)  # which keeps zeros at the end
        elif array.dtype == np.float64:
            array = array.astype(np.float32)
        elif array.dtype == np.int64 and (abs(array) < 2 ** 31).all():
            array = array.astype(np.int32)
    return array


def _dtype(array):
    if array.dtype not in FROM_NUMPY:
        raise TypeError(f"there is no tensor of NumPy's {array.dtype}")
    return FROM_NUMPY[array.dtype]


class Tensor(Sluice.Tensor):
    """Tensor(value) copies an array; Tensor.borrow(array) does not. np.asarray(tensor) never does,
    but for strings."""

    def __new__(cls, value):
        array = _array(value)
        if array.dtype.kind in "SUO":
            texts = [GLib.Bytes.new(t.encode() if isinstance(t, str) else bytes(t))
                     for t in array.ravel().tolist()]
            return cls.new_for_strings(array.shape, texts)
        return cls.new_from_bytes(_dtype(array), array.shape, GLib.Bytes.new(array.tobytes()))

    def __init__(self, *_args):
        pass

    @classmethod
    def borrow(cls, array):
        """A tensor in the memory of an array, which must not change as long as anything uses it."""
        array = np.asarray(array, order="C")
        return cls.new_for_memory(_dtype(array), array.shape, array.__array_interface__["data"][0],
                                  array.nbytes, lambda _array: None, array)

    @property
    def __array_interface__(self):
        dtype = self.get_dtype()
        if dtype not in TO_NUMPY:
            raise TypeError(f"NumPy has no dtype for {self!r}: Cast it in the graph, or take bytes")
        return {"version": 3, "shape": tuple(self.get_shape()), "typestr": "|" + TO_NUMPY[dtype],
                "data": (self.get_memory() or 0, True)}

    def numpy(self):
        if self.get_dtype() != D.STRING:
            return np.asarray(self)
        array = np.empty(self.get_n_elements(), object)
        array[:] = [text.get_data() for text in self.dup_strings()]
        return array.reshape(tuple(self.get_shape()))

    def __repr__(self):
        return f"<{self.describe(8)}>"


Tensor = override(Tensor)
__all__.append("Tensor")


def _variant(value):
    """The value of an attribute; sluice_scope_add() knows what it must be."""
    if isinstance(value, (GLib.Variant, Sluice.Tensor, np.ndarray, bytes)):
        if isinstance(value, GLib.Variant):
            return value
        text = value if isinstance(value, bytes) else _tensor(value).dup_proto().get_data()
        return GLib.Variant.new_from_bytes(GLib.VariantType("ay"), GLib.Bytes.new(text), True)
    if isinstance(value, (list, tuple)):
        return GLib.Variant("av", [_variant(item) for item in value])
    if isinstance(value, (type, np.dtype)):
        return GLib.Variant("x", int(FROM_NUMPY[np.dtype(value)]))
    for kinds, code in (((bool, np.bool_), "b"), ((int, np.integer), "x"),
                        ((float, np.floating), "d"), (str, "s")):
        if isinstance(value, kinds):
            return GLib.Variant(code, value)
    if value is None:
        return GLib.Variant("max", None)
    raise TypeError(f"an attribute cannot be {value!r}")


def _tensor(value):
    return value if isinstance(value, Sluice.Tensor) else Tensor(value)


def _is_edge(value):
    return isinstance(value, (str, Sluice.Node))


def _list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _node_name(value):
    return value.name if isinstance(value, Sluice.Node) else value


class Node(Sluice.Node):
    """str(node) names its first output, node[i] output i; outputs can be unpacked."""

    name = property(Sluice.Node.get_name)
    graph = property(Sluice.Node.dup_graph)

    @property
    def shape(self):
        """Of the first output: dimensions, None for unknown ones, or None of an unknown rank."""
        known, dims = self.get_output_shape(0)
        return [None if dim < 0 else dim for dim in dims] if known else None

    def __str__(self):
        return self.name + ":0"

    def __getitem__(self, i):
        if not 0 <= i < self.get_n_outputs():
            raise IndexError(f"{self.get_op()} '{self.name}' has {self.get_n_outputs()} outputs")
        return f"{self.name}:{i}"

    def __len__(self):
        return self.get_n_outputs()

    def __bool__(self):
        return True

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"<{self.get_op()} '{self.name}'>"


Node = override(Node)
__all__.append("Node")


def _dtype_of(value):
    return value if isinstance(value, int) else FROM_NUMPY[np.dtype(value)]


class _Calls:
    """Functions as the library calls them; what one raises is raised where they were given."""

    def __init__(self, single=None):
        self.single, self.raised = single, None

    def wrap(self, function, numbered=False):
        def call(scope, given, *_):
            try:
                made = function(scope, given) if numbered else function(scope, *(given or ()))
                if self.single is None:
                    self.single = not isinstance(made, (list, tuple))
                return scope._each(made)
            except Exception as error:
                self.raised = error
                raise GLib.Error(str(error), "SluiceError", Sluice.Error.INTERNAL) from error
        return call, ()  # of its own data, nothing

    def run(self, method, *arguments):
        try:
            edges = method(*arguments)
        except GLib.Error:
            if self.raised is not None:
                raise self.raised from None
            raise
        return edges[0] if self.single else edges


class _Builder:
    """What a graph and its scopes have in common. Names of ops are methods."""

    def op(self, op, *inputs, name=None, **attrs):
        """Adds a node; see the module."""
        scope, edges = self._scope(), []
        for value in inputs:
            edges += scope._edges(value)
        values = GLib.Variant("a{sv}", {key: _variant(value) for key, value in attrs.items()})
        return scope.add(op, name, edges, values)

    def constant(self, value, name=None):
        return self._scope().add_constant(name, _tensor(value))

    def variable(self, initial, name="Variable"):
        """A Variable of the dtype and shape of its initial value."""
        value = initial if isinstance(initial, Sluice.Node) else self.constant(initial)
        dtype, scope = value.get_output_dtype(0), self._scope()
        # TensorFlow's variables without a shared name are one and the same.
        full = scope.dup_unique_name(name)
        short = full.removeprefix(scope.get_prefix() + "/")
        handle = self.VarHandleOp(name=short, shared_name=full, dtype=int(dtype), shape=value.shape)
        return Variable(handle, self.ReadVariableOp(handle, dtype=int(dtype)),
                        self.AssignVariableOp(handle, value))

    def gradients(self, ys, xs, grad_ys=None):
        """One an x: an edge, IndexedSlices of edges, or None where no y depends on it."""
        given = None if grad_ys is None else [str(dy or "") for dy in _list(grad_ys)]
        found = self._scope().add_gradients([str(y) for y in _list(ys)], given,
                                            [str(x) for x in _list(xs)])
        return [IndexedSlices(*grad) if grad[1] else grad[0] or None for grad in zip(*found)]

    def cond(self, pred, true_fn, false_fn, name=None):
        """What one of two functions of a scope makes, as pred is true or false."""
        calls = _Calls()
        return calls.run(self._scope().add_cond, name, self._edge(pred), *calls.wrap(true_fn),
                         *calls.wrap(false_fn))

    def case(self, pairs, default, name=None):
        """pairs: of a condition and the function where it is the first to hold."""
        calls, functions = _Calls(), [function for _, function in pairs] + [default]
        wrapped = calls.wrap(lambda scope, branch: functions[branch](scope), True)
        return calls.run(self._scope().add_case, name, [self._edge(pred) for pred, _ in pairs],
                         *wrapped)

    def while_loop(self, cond, body, loop_vars, parallel_iterations=10, name=None):
        """Repeats body, a function of a scope and the variables, while cond of them holds."""
        calls = _Calls(single=not isinstance(loop_vars, (list, tuple)))
        return calls.run(self._scope().add_while, name, self._each(loop_vars),
                         *calls.wrap(cond), *calls.wrap(body), parallel_iterations)

    def map_fn(self, fn, elems, dtype=None, name=None):
        """fn, a function of a scope and a row of each of elems, for all rows."""
        calls = _Calls(single=not isinstance(elems if dtype is None else dtype, (list, tuple)))
        dtypes = None if dtype is None else [_dtype_of(one) for one in _list(dtype)]
        return calls.run(self._scope().add_map, name, self._each(elems), *calls.wrap(fn), dtypes)

    def foldl(self, fn, elems, initializer, name=None):
        """fn, a function of a scope, the values and a row of each of elems, from row to row."""
        return self._fold(fn, elems, initializer, name, False)

    def scan(self, fn, elems, initializer, name=None):
        """As foldl, with the values after each row."""
        return self._fold(fn, elems, initializer, name, True)

    def _fold(self, fn, elems, initializer, name, keep_all):
        calls = _Calls(single=not isinstance(initializer, (list, tuple)))
        return calls.run(self._scope().add_fold, name, self._each(elems), self._each(initializer),
                         *calls.wrap(fn), keep_all)

    def _edge(self, value):
        """One edge by name; of a node without outputs that it has run."""
        if isinstance(value, Sluice.Node) and len(value) == 0:
            return "^" + value.name
        return self._scope()._edges(value)[0]

    def _each(self, values):
        return [self._edge(value) for value in _list(values)]

    def scope(self, name):
        return self._scope().with_name(name)

    def device(self, name):
        return self._scope().with_device(name)

    def after(self, *nodes):
        return self._scope().with_control_inputs([_node_name(node) for node in nodes])

    def beside(self, node):
        return self._scope().with_colocation(_node_name(node))

    def __getattr__(self, name):
        if not name[:1].isupper():
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return functools.partial(self.op, name)


class Scope(_Builder, Sluice.Scope):
    def __new__(cls, graph):
        return cls.new(graph)

    def __init__(self, *_args):
        pass

    def _scope(self):
        return self

    def _edges(self, value):
        if _is_edge(value):
            return [str(value)]
        if isinstance(value, (list, tuple)) and any(_is_edge(item) for item in value):
            return [edge for item in value for edge in self._edges(item)]
        return [str(self.constant(value))]


Scope = override(Scope)
__all__.append("Scope")


class Graph(_Builder, Sluice.Graph):
    def __new__(cls):
        return cls.new_empty()

    def __init__(self, *_args):
        pass

    def _scope(self):
        return Scope(self)

    def __getitem__(self, name):
        return self.dup_node(name)


Graph = override(Graph)
__all__.append("Graph")


class _Interrupts:
    """Ctrl-C ends a step of the main thread. Python's own handler runs behind the step only, which
    may wait for another thread for ever; but the signal's number is written to a pipe at once."""

    def __init__(self):
        self.pipe, self.lock, self.current, self.came = None, threading.Lock(), None, False

    def watch(self):
        while number := os.read(self.pipe[0], 1):
            with self.lock:
                if number[0] == signal.SIGINT and self.current is not None:
                    self.current.cancel()

    def start(self):
        self.pipe = os.pipe()
        os.set_blocking(self.pipe[1], False)
        threading.Thread(target=self.watch, daemon=True).start()

    def note(self, *_signal):
        self.came = True

    @contextlib.contextmanager
    def cancelling(self, given):
        """Yields what to cancel the step by, and leaves alone whoever handles Ctrl-C otherwise."""
        if (threading.current_thread() is not threading.main_thread() or self.current is not None
                or signal.getsignal(signal.SIGINT) is not signal.default_int_handler):
            yield given
            return
        if self.pipe is None:
            self.start()
        cancellable, self.came = Gio.Cancellable(), False
        linked = given.connect(cancellable.cancel) if given is not None else 0
        before = signal.set_wakeup_fd(self.pipe[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, self.note)
        self.current = cancellable
        try:
            yield cancellable
        finally:
            with self.lock:
                self.current = None
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.set_wakeup_fd(before)
            if linked:
                given.disconnect(linked)
            if self.came:
                raise KeyboardInterrupt


_interrupts = _Interrupts()


class Session(Sluice.Session):
    """Session(graph, seed=1, cpus=2); options as sluice_session_open() has them. beside=other
    shares the other session's variables, queues and tables, like=other its graph and plans."""

    def __new__(cls, graph=None, beside=None, like=None, **options):
        given = {name.replace("_", "-"): _variant(value) for name, value in options.items()}
        given = GLib.Variant("a{sv}", given)
        if beside is not None and like is not None:
            raise ValueError("a session is opened beside another or like it, not both")
        if beside is not None:
            session = beside.open_beside(given)
        else:
            session = cls.open(given) if like is None else like.open_like(given)
        if graph is not None:
            session.extend(graph)
        return session

    def __init__(self, *_args, **_options):
        pass

    def extend(self, graph):
        self.add_graph(graph)

    def run(self, fetches=(), feeds=None, targets=(), cancellable=None):
        """Arrays, one a fetch; of a single fetch the array itself."""
        feeds = feeds or {}
        with _interrupts.cancelling(cancellable) as cancellable:
            values = self.run_step([str(edge) for edge in feeds],
                                   list(map(_tensor, feeds.values())),
                                   [str(edge) for edge in _list(fetches)],
                                   [_node_name(node) for node in _list(targets)], cancellable)
        arrays = [value.numpy() for value in values]
        return arrays[0] if _is_edge(fetches) else arrays

    def partial_run_setup(self, fetches, feeds=(), targets=(), cancellable=None):
        """A step that partial_run() feeds and fetches from in several calls."""
        return self.begin_partial_run([str(edge) for edge in _list(feeds)],
                                      [str(edge) for edge in _list(fetches)],
                                      [_node_name(node) for node in _list(targets)], cancellable)

    @staticmethod
    def partial_run(step, fetches=(), feeds=None):
        """As run(), of what partial_run_setup() named: each edge once."""
        feeds = feeds or {}
        values = step.part_step([str(edge) for edge in feeds], list(map(_tensor, feeds.values())),
                                [str(edge) for edge in _list(fetches)])
        arrays = [value.numpy() for value in values]
        return arrays[0] if _is_edge(fetches) else arrays


Session = override(Session)
__all__.append("Session")


# Columns of a workspace's points, one element a point.
Points = collections.namedtuple("Points", "steps walls values")
__all__.append("Points")


def _text(value):
    """A value of a setting, as project.ini has it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return str(value)


def _texts(value):
    """What a sweep varies: a range or a list as text, else values."""
    if isinstance(value, str) or np.ndim(value) == 0:
        return _text(value)
    return ",".join(map(_text, value))


def _settings(settings, steps=None, text=_text):
    given = dict(settings or {})
    if steps is not None:
        given["steps"] = steps
    return [f"{key}={text(value)}" for key, value in given.items()]


def _options(options):
    return GLib.Variant("a{sv}", {name.replace("_", "-"): _variant(value)
                                  for name, value in options.items() if value is not None})


def _column(column):
    """An array of what sluice_workspace_dup_table() gives as a column: one call, however many."""
    kind = {"ad": "f8", "ax": "i8", "ab": "b1"}.get(column.get_type_string())
    if kind is not None:
        return np.frombuffer(column.get_data_as_bytes().get_data(), kind).copy()
    if column.get_type_string() == "(asab)":
        values = np.array(column.get_child_value(0).get_strv(), object)
        values[~_column(column.get_child_value(1))] = None
        return values
    values = np.empty(column.n_children(), object)
    values[:] = column.unpack()
    return values


class Workspace(Sluice.Workspace):
    """Workspace(path) makes the folder where it is missing; with read_only=True nothing is made or
    changed. Settings are dictionaries of keys of project.ini and promoted parameters; options are
    those of sluice_workspace_launch(), _sweep() and _fork()."""

    def __new__(cls, path, read_only=False):
        return (cls.open_to_read if read_only else cls.open)(os.fspath(path))

    def __init__(self, *_args, **_options):
        pass

    path = property(Sluice.Workspace.get_path)

    def runs(self, filter=""):
        """Dictionaries as `sluice runs --json` prints them, newest first."""
        return self.dup_runs(filter).unpack()

    def table(self, filter=""):
        """Columns by name, arrays that have an element a run: what runs() has of a run, its
        settings, of each tag the last value and (TAG/best) the best one. A name that is taken has
        settings/ or results/ before it. What a run has not is NaN, or None among texts."""
        table = self.dup_table(filter)
        entries = map(table.get_child_value, range(table.n_children()))
        return {entry.get_child_value(0).get_string():
                _column(entry.get_child_value(1).get_variant()) for entry in entries}

    def tags(self, run):
        """What points() takes."""
        return self.dup_tags(run)

    def points(self, run, tag):
        """Points: arrays of steps, times (Unix seconds) and values."""
        return Points(*(column.numpy() for column in self.dup_points(run, tag)))

    def launch(self, project, settings=None, steps=None, **options):
        """The name of a run that waits until train() or `sluice queue run`."""
        return super().launch(os.fspath(project), _settings(settings, steps), _options(options))

    def sweep(self, project, values, settings=None, steps=None, **options):
        """The names of runs that wait. values: of each setting a list, or a range as text:
        {"batch": [32, 64], "learning-rate": "0.001..0.1:log"}."""
        return super().sweep(os.fspath(project), _settings(values, text=_texts),
                             _settings(settings, steps), _options(options))

    def fork(self, run, step, settings=None, **options):
        """The name of a run that waits, and begins where the other one stood at a step."""
        return super().fork(run, step, _settings(settings), _options(options))

    def train(self, group=None, jobs=1, cancellable=None):
        """Trains what waits until nothing does; how many of the runs failed. Ctrl-C stops and
        saves: what was under way waits again."""
        with _interrupts.cancelling(cancellable) as cancellable:
            return super().train(group, jobs, cancellable)

    def control(self, run, verb, argument=None, patience=60):
        """Asks something of a run at work, in any program, and waits for its answer: pause, go,
        step, checkpoint, stop or set, as `sluice control --json` prints it."""
        return super().control(run, verb, argument, patience).unpack()

    def set(self, run, settings, patience=60):
        """Changes settings of a run at work, one after the other; from which steps they count."""
        return [self.control(run, "set", setting, patience)["step"]
                for setting in _settings(settings)]

    def reproduce(self, run, from_step=-1, steps=0, cancellable=None):
        """Trains a run again and compares every bit, as `sluice reproduce --json` prints it."""
        with _interrupts.cancelling(cancellable) as cancellable:
            return super().reproduce(run, from_step, steps, cancellable).unpack()

    def diff(self, *runs):
        """What differs, as `sluice runs diff --json` prints it."""
        return super().diff(list(runs)).unpack()

    def __repr__(self):
        return f"<Workspace {self.path!r}>"


Workspace = override(Workspace)
__all__.append("Workspace")
