#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Sluice from Python, as TAP.

usage: test-python.py SOURCE-FOLDER PLUGIN
"""
import gc
import io
import contextlib
import pathlib
import runpy
import signal
import sys
import tempfile
import threading
import weakref

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "app"))
from tap import Tap

try:
    import gi
    import numpy as np
except ImportError as absent:
    print(f"1..0 # SKIP {absent}")
    sys.exit()
gi.require_version("Sluice", "0")
from gi.repository import Gio, GLib, Sluice

Code = Sluice.Error
DTYPES = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 c8 c16".split()


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


class Tests:
    def __init__(self, source, plugin):
        self.tap, self.source, self.plugin = Tap(), pathlib.Path(source), plugin
        self.samples = self.source / "data" / "samples"

    def fails(self, name, call, code, *words):
        """The call raises GLib.Error with this code, and the message has these words."""
        try:
            call()
        except GLib.Error as error:
            missing = [word for word in words if word not in error.message]
            good = error.matches(Sluice.error_quark(), code) and not missing
            return self.tap.point(name, good, error.code, error.message, missing)
        return self.tap.point(name, False, "no error")

    def plugins(self):
        Sluice.load_plugin(self.plugin)
        graph = Sluice.Graph()
        x = graph.Placeholder(dtype="float", shape=[None])
        y = graph.Mish(x)
        value = Sluice.Session(graph).run(y, {x: [0.0, 1.0]})
        self.tap.point("an op of a plugin runs", np.allclose(value, [0, 0.8650984]), value)
        self.fails("no plugin is loaded behind the first graph",
                   lambda: Sluice.load_plugin(self.plugin), Code.FAILED_PRECONDITION, "before")

    def tensors(self):
        random = np.random.default_rng(1)
        good = []
        for code in DTYPES:
            for shape in ((), (3, 5), (0, 4), (40, 7)):
                array = (random.integers(0, 2, shape) > 0 if code == "b1" else
                         random.standard_normal(shape).astype(np.dtype(code)))
                array = np.asarray(array, code)
                for make in (Sluice.Tensor, Sluice.Tensor.borrow):
                    good.append(same(make(array).numpy(), array))
                proto = Sluice.Tensor(array).dup_proto()
                good.append(same(Sluice.Tensor.new_from_proto(proto).numpy(), array))
        self.tap.point("arrays of every dtype go there and back", all(good), good)
        turned = np.arange(24.0).reshape(4, 6).T[::2]
        self.tap.point("whatever their strides", same(Sluice.Tensor(turned).numpy(), turned.copy()))
        words = np.array([[b"", b"a\0b\0"], [b"\xff", "é".encode()]], object)
        back = Sluice.Tensor(words).numpy()
        self.tap.point("strings are bytes", back.tolist() == words.tolist(), back)
        ends = [Sluice.Tensor(v).numpy().ravel().tolist() for v in (b"a\0", [b"a\0"], "ü")]
        self.tap.point("also those that end in zeros",
                       ends == [[b"a\0"]] * 2 + [["ü".encode()]], ends)
        half = Sluice.Tensor.new_from_bytes(Sluice.DType.BFLOAT16, [1], GLib.Bytes.new(b"12"))
        try:
            message = half.numpy()
        except TypeError as error:
            message = str(error)
        self.tap.point("what NumPy has no dtype for is refused", "bfloat16" in message, message)
        numbers = [Sluice.Tensor(v).numpy().dtype for v in (1, 1.0, [1, 2], 2 ** 40, True)]
        self.tap.point("numbers of Python's become int32, float, bool",
                       numbers == ["i4", "f4", "i4", "i8", "b1"], numbers)
        Tensor = Sluice.Tensor
        self.fails("bytes that do not fit a shape are refused",
                   lambda: Tensor.new_from_bytes(Sluice.DType.FLOAT, [2], GLib.Bytes.new(b"123")),
                   Code.INVALID_ARGUMENT, "3 bytes", "float", "[2]")
        self.fails("a rank over 8 is refused", lambda: Tensor(np.zeros((1,) * 9, "f4")),
                   Code.INVALID_ARGUMENT, "9")

    def memory(self):
        """Nothing is copied that need not be, and nothing goes while somebody uses it."""
        array = np.arange(1000, dtype="f4")
        tensor, seen = Sluice.Tensor.borrow(array), weakref.ref(array)
        address = array.__array_interface__["data"][0]
        self.tap.point("borrow does not copy", tensor.get_memory() == address)
        view = np.asarray(tensor)
        self.tap.point("nor does NumPy, which may only read",
                       view.__array_interface__["data"] == (address, True))
        graph = Sluice.Graph()
        x = graph.Placeholder(dtype="float")
        y = graph.Identity(x)
        same_array = Sluice.Session(graph).run(y, {x: tensor})
        self.tap.point("nor a step", same_array.__array_interface__["data"][0] == address)
        del array, tensor
        gc.collect()
        self.tap.point("the array is kept while a view is left", seen() is not None)
        del view, same_array
        gc.collect()
        self.tap.point("and let go then", seen() is None)
        values = Sluice.Session(graph).run([x], {x: np.ones(500, "f4")})
        del graph
        gc.collect()
        self.tap.point("a result outlives graph and session", values[0].sum() == 500)

    def lists(self):
        """What is pushed on a list may leave a memory that is short, also where two pop it."""
        graph, n, shape = Sluice.Graph(), 60, np.array([512, 1024], "i4")
        x = graph.Placeholder(dtype="float", shape=[512, 1024])
        empty = graph.EmptyTensorList(shape, -1, element_dtype="float")

        def push(scope, i, values):
            more = scope.Mul(x, scope.Cast(i, DstT="float"))
            return scope.AddV2(i, 1), scope.TensorListPushBack(values, more, element_dtype="float")

        def pop(scope, i, values, total):
            popped = scope.TensorListPopBack(values, shape, element_dtype="float")
            weighed = scope.Mul(popped[1], scope.Cast(i, DstT="float"))
            return scope.AddV2(i, 1), popped[0], scope.AddV2(total, weighed)

        def is_left(scope, i, *_values):
            return scope.Less(i, n)
        filled = graph.while_loop(is_left, push, [0, empty])[1]
        totals = [graph.while_loop(is_left, pop, [0, filled, graph.ZerosLike(x)])[2]
                  for _ in range(2)]
        want = sum(i * (n - 1 - i) for i in range(n))
        for wanted in (totals[:1], totals):
            session = Sluice.Session(graph, memory_limit=60 << 20)
            values = session.run(wanted, {x: np.ones((512, 1024), "f4")})
            self.tap.point("lists larger than the memory", all((v == want).all() for v in values))

    def building(self):
        graph = Sluice.Graph()
        a = graph.constant([[1.0, 2.0]], name="a")
        scope = graph.scope("layer").device("/device:CPU:0").after(a)
        b = scope.MatMul(a, [[1.0], [1.0]], transpose_b=False)
        again = scope.MatMul(a, [[1.0], [1.0]])
        self.tap.point("scopes prefix names, which stay unique",
                       [b.name, again.name] == ["layer/MatMul", "layer/MatMul_1"], b, again)
        self.tap.point("and give device and control inputs",
                       b.get_device() == "/device:CPU:0" and b.dup_inputs()[-1] == "^a",
                       b.get_device(), b.dup_inputs())
        beside = graph.beside(b).Neg(a)
        kept = beside.dup_attrs().unpack()
        self.tap.point("nodes stand beside others", kept["_class"] == ["loc:@layer/MatMul"], kept)
        p = graph.Placeholder(dtype=np.float64, shape=[None, 3], _note="mine", _many=[1, 2])
        kept = p.dup_attrs().unpack()
        self.tap.point("attributes come back", kept == {"dtype": "double", "shape": [-1, 3],
                                                        "_note": "mine", "_many": [1, 2]}, kept)
        q = graph.Placeholder(dtype="int32", shape=None)
        self.tap.point("shapes may be known in part or not at all",
                       p.shape == [None, 3] and q.shape is None)
        x, y, z = graph.Split(1, [[1, 2, 3]], num_split=3)
        self.tap.point("outputs can be unpacked", (x, z) == ("Split:0", "Split:2"), x, z)
        session = Sluice.Session(graph, seed=1)
        value = session.run([b, y, graph["layer/MatMul_1"]])
        self.tap.point("and run", [v.tolist() for v in value] == [[[3.0]], [[2]], [[3.0]]], value)
        total = graph.Sum(graph.ConcatV2([x, y, z], 1), [0, 1])
        self.tap.point("lists of edges are lists of inputs", total.shape == [], total.shape)
        session.extend(graph)
        self.tap.point("a session takes a graph that grew", session.run(total) == 6)
        device, reason = session.dup_placement(b.name)
        self.tap.point("and tells where nodes stand", device == "CPU:0" and reason, device, reason)
        self.tap.point("nodes are equal to themselves",
                       graph["a"] == a and graph["a"] != b and len({graph["a"], a}) == 1)

    def gradients(self):
        graph = Sluice.Graph()
        x, table = graph.constant([1.0, 2.0]), graph.variable(np.ones((4, 2), "f4"), "table")
        y = graph.Square(x)
        rows = graph.ResourceGather(table.handle, [1, 2], dtype="float")
        dx, none, sparse = graph.gradients([y, rows], [x, graph.constant(1.0), table.handle])
        scaled, = graph.scope("two").gradients(y, x, [graph.constant([1.0, 10.0])])
        session = Sluice.Session(graph)
        session.run(targets=table.init)
        values = session.run([dx, scaled, sparse.values, sparse.indices, sparse.dense_shape])
        self.tap.point("gradients, with given ones too",
                       values[0].tolist() == [2, 4] and values[1].tolist() == [2, 40], values)
        self.tap.point("none where nothing depends", none is None)
        self.tap.point("sparse ones stay sparse", values[2].shape == (2, 2)
                       and values[3].tolist() == [1, 2] and values[4].tolist() == [4, 2], values)
        self.tap.point("under gradients of the scope", scaled.startswith("two/gradients/"), scaled)
        self.fails("an op without a gradient is named",
                   lambda: graph.gradients(graph.IgammaGradA(x, x), x), Code.NOT_FOUND,
                   "IgammaGradA")
        self.fails("an edge that there is not is named", lambda: graph.gradients("nothing:0", x),
                   Code.NOT_FOUND, "y: ", "nothing")

    def files(self):
        graph = Sluice.Graph.load(str(self.samples / "digits-mlp" / "model.pbtxt"))
        flags, want = Sluice.ExportFlags, graph.dup_bytes(Sluice.ExportFlags.BINARY).get_data()
        with tempfile.TemporaryDirectory() as folder:
            for name, how in (("graph.pb", flags.BINARY), ("graph.pbtxt", flags.TEXT),
                              ("graph.meta", flags.META_GRAPH),
                              ("meta.pbtxt", flags.META_GRAPH | flags.TEXT)):
                path = str(pathlib.Path(folder) / name)
                graph.save(path, how)
                back = Sluice.Graph.load(path).dup_bytes(flags.PLAIN_GRAPH).get_data()
                self.tap.point(f"{name}: written and read, it is the same graph", back == want)
            meta = Sluice.Graph.load(str(pathlib.Path(folder) / "graph.meta"))
            text = meta.dup_bytes(flags.TEXT).get_data()
            self.tap.point("what came as a MetaGraphDef goes as one", b"graph_def {" in text)
            try:
                graph.save(str(pathlib.Path(folder) / "no" / "such"), flags.TEXT)
                self.tap.point("a file that cannot be written is told", False)
            except GLib.Error as error:
                self.tap.point("a file that cannot be written is told", "such" in error.message)
        self.fails("a file that is no graph is refused",
                   lambda: Sluice.Graph.parse(GLib.Bytes.new(b"node { nam: 1 }")),
                   Code.INVALID_ARGUMENT, "1:8")
        grown = Sluice.Graph()
        grown.add_bytes(graph.dup_bytes(flags.BINARY))
        self.fails("a name twice is refused", lambda: grown.add_bytes(GLib.Bytes.new(want)),
                   Code.INVALID_ARGUMENT, "input/x")
        broken = Sluice.Graph.parse(GLib.Bytes.new(b'node { name: "n" op: "Nonsense" }'))
        self.fails("a node that cannot run says why", broken["n"].check, Code.NOT_FOUND, "Nonsense")

    def errors(self):
        graph = Sluice.Graph()
        x = graph.Placeholder(name="x", dtype="float", shape=[2, 3])
        layer = graph.scope("layer")
        self.fails("an op that there is not", lambda: layer.MatMull(x, x), Code.NOT_FOUND,
                   "MatMull 'layer/MatMull'", "did you mean MatMul?")
        self.fails("shapes that do not fit", lambda: layer.MatMul(x, x, name="m"),
                   Code.INVALID_ARGUMENT, "MatMul 'layer/m'", "[2,3]")
        self.fails("a dtype that does not fit", lambda: layer.MatMul(x, np.zeros((3, 1))),
                   Code.INVALID_ARGUMENT, "MatMul 'layer/MatMul'", "float", "double")
        self.fails("an input that there is not", lambda: layer.Neg("z:0"), Code.NOT_FOUND,
                   "Neg 'layer/Neg'", "input 0 'z:0'")
        self.fails("an output that there is not", lambda: layer.Neg("x:1"), Code.INVALID_ARGUMENT,
                   "Neg 'layer/Neg'", "input 0 'x:1'", "no output 1")
        self.fails("an attribute of a wrong kind",
                   lambda: layer.MatMul(x, x, transpose_a="yes"), Code.INVALID_ARGUMENT,
                   "MatMul 'layer/MatMul'", "attribute transpose_a", "a boolean", "'yes'")
        self.fails("an attribute that there is not", lambda: layer.Neg(x, axis=1),
                   Code.INVALID_ARGUMENT, "Neg 'layer/Neg'", "axis")
        self.fails("an attribute that is missing", graph.Placeholder, Code.INVALID_ARGUMENT,
                   "Placeholder 'Placeholder'", "dtype")
        self.fails("a dtype that there is not", lambda: graph.Placeholder(dtype="floot"),
                   Code.INVALID_ARGUMENT, "attribute dtype", "'floot'")
        self.fails("a name that is none", lambda: graph.Neg(x, name="a b"), Code.INVALID_ARGUMENT,
                   "'a b'")
        self.tap.point("the graph is as it was", len(graph.dup_nodes()) == 2,
                       graph.dup_nodes())  # x, and the constant of the third
        session = Sluice.Session(graph)
        self.fails("a feed of a wrong shape", lambda: session.run(x, {x: np.zeros(2, "f4")}),
                   Code.INVALID_ARGUMENT, "x", "[2,3]", "[2]")
        self.fails("a fetch that there is not", lambda: session.run("w:0"), Code.NOT_FOUND, "'w'")
        self.fails("a placeholder without a feed", lambda: session.run(x), Code.INVALID_ARGUMENT,
                   "x")
        self.fails("an option that there is not", lambda: Sluice.Session(graph, sed=1),
                   Code.INVALID_ARGUMENT, "'sed'", "'seed'")
        self.fails("an option of a wrong kind", lambda: Sluice.Session(cpus="two"),
                   Code.INVALID_ARGUMENT, "cpus", "an integer")
        try:
            _ = graph.no_op
            self.tap.point("only capitals begin an op", False)
        except AttributeError:
            self.tap.point("only capitals begin an op", True)

    def cancelling(self):
        """A step that waits for a queue ends when it is cancelled."""
        graph = Sluice.Graph()
        queue = graph.FIFOQueueV2(component_types=["float"], capacity=1)
        value = graph.QueueDequeueV2(queue, component_types=["float"])
        session, cancellable, caught = Sluice.Session(graph), Gio.Cancellable(), []

        def wait():
            try:
                session.run(value, cancellable=cancellable)
            except GLib.Error as error:
                caught.append(error)
        thread = threading.Thread(target=wait)
        thread.start()
        cancellable.cancel()
        thread.join()
        good = caught and caught[0].matches(Sluice.error_quark(), Code.CANCELLED)
        self.tap.point("a step can be cancelled", good, caught)

    def waiting(self):
        """A step that waits for a queue waits for a thread that is busy elsewhere; alone it may be
        told to fail; and Ctrl-C ends it."""
        graph = Sluice.Graph()
        queue = graph.FIFOQueueV2(component_types=["float"], capacity=1)
        value = graph.QueueDequeueV2(queue, component_types=["float"])
        enqueue = graph.QueueEnqueueV2(queue, 3.0)
        alone = Sluice.Session(graph, keep_waiting=False)
        self.fails("who waits in vain may fail", lambda: alone.run(value), Code.DEADLINE_EXCEEDED,
                   "QueueDequeueV2")
        session, told = Sluice.Session(graph), threading.Event()
        GLib.log_set_writer_func(lambda *_: (told.set(), GLib.LogWriterOutput.HANDLED)[1], None)

        def produce():
            told.wait()
            session.run(targets=enqueue)
        thread = threading.Thread(target=produce)
        thread.start()
        self.tap.point("who waits is told, and goes on", session.run(value) == 3)
        thread.join()
        told.clear()
        main = threading.main_thread().ident
        threading.Thread(target=lambda: (told.wait(), signal.pthread_kill(main, signal.SIGINT)),
                         daemon=True).start()
        try:
            session.run(value)
            self.tap.point("Ctrl-C ends a step", False)
        except KeyboardInterrupt:
            self.tap.point("Ctrl-C ends a step", True)

    def partial_runs(self):
        graph = Sluice.Graph()
        a, b, c = (graph.Placeholder(dtype="float", shape=[], name=name) for name in "abc")
        total = graph.Add(a, b)
        product = graph.Mul(total, c)
        session = Sluice.Session(graph)
        step = session.partial_run_setup([total, product], [a, b, c])
        self.fails("a fetch that cannot be computed yet", lambda: session.partial_run(step, total),
                   Code.INVALID_ARGUMENT, "Add", "'a:0'")
        session.partial_run(step, feeds={a: 1.0})
        self.tap.point("a part of a step", session.partial_run(step, total, {b: 2.0}) == 3)
        self.fails("a feed that was fed", lambda: session.partial_run(step, feeds={a: 1.0}),
                   Code.INVALID_ARGUMENT, "'a:0'")
        self.tap.point("and its end", session.partial_run(step, [product], {c: 10.0}) == [30])
        self.fails("a step that has ended", lambda: session.partial_run(step),
                   Code.INVALID_ARGUMENT, "ended")
        del step
        step = session.partial_run_setup(product, [a, b, c])
        del step  # never finished: it is released

    def containers(self):
        graph = Sluice.Graph()
        mine = graph.VarHandleOp(dtype="float", shape=[], container="mine", shared_name="v")
        plain = graph.VarHandleOp(dtype="float", shape=[], shared_name="v")
        reads = [graph.ReadVariableOp(handle, dtype="float") for handle in (mine, plain)]
        sets = [graph.AssignVariableOp(mine, 1.0), graph.AssignVariableOp(plain, 2.0)]
        first = Sluice.Session(graph)
        second = Sluice.Session(graph, beside=first)
        first.run(targets=sets)
        self.tap.point("sessions share containers", second.run(reads) == [1, 2])
        second.reset(["mine", "none"])
        self.fails("a container that was reset", lambda: first.run(reads[0]),
                   Code.FAILED_PRECONDITION, "not initialised")
        self.tap.point("and no other", first.run(reads[1]) == 2)
        first.reset()
        self.fails("the default container", lambda: second.run(reads[1]),
                   Code.FAILED_PRECONDITION, "not initialised")
        first.run(targets=sets)
        self.tap.point("can be filled again", second.run(reads) == [1, 2])

    def plans(self):
        graph = Sluice.Graph()
        handle = graph.VarHandleOp(dtype="float", shape=[])
        read = graph.ReadVariableOp(handle, dtype="float")
        one, two = graph.AssignVariableOp(handle, 1.0), graph.AssignVariableOp(handle, 2.0)
        first = Sluice.Session(graph, cpus=2)
        first.run(targets=one)
        second = Sluice.Session(like=first, seed=3)
        second.run(targets=two)
        self.tap.point("sessions share plans and no variables",
                       [first.run(read), second.run(read)] == [1, 2])
        self.fails("what plans depend on", lambda: Sluice.Session(like=first, cpus=1),
                   Code.INVALID_ARGUMENT, "option cpus")

    def ops(self):
        names = Sluice.list_ops()
        op = Sluice.find_op("MatMul")
        self.tap.point("ops are listed", len(names) > 600 and names == sorted(names), len(names))
        self.tap.point("and described", op.has_gradient() and not op.is_stateful()
                       and "product" in op.get_signature() and "transpose_a" in op.get_attrs()
                       and op.get_summary() and Sluice.find_op("Assert").is_stateful())
        self.fails("an unknown one has a neighbour", lambda: Sluice.find_op("Matmul"),
                   Code.NOT_FOUND, "MatMul")

    def sample(self):
        """digits.py learns, and its model is that of digits-mlp to the last digits."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            here = runpy.run_path(str(self.samples / "python" / "digits.py"))
        accuracy = float(output.getvalue().split()[-1])
        self.tap.point("the sample learns", accuracy >= 0.95, output.getvalue())
        text = (self.samples / "python" / "digits.py").read_text()
        self.tap.point("in less than 40 lines", len(text.splitlines()) < 40)
        other = Sluice.Session(Sluice.Graph.load(str(self.samples / "digits-mlp/model.pbtxt")))
        other.run(targets="init")
        mine, names = here["session"], ("hidden/weights", "hidden/biases", "logits/weights",
                                        "logits/biases")
        inits = [v.init for v in sum(here["slots"], [here["step"], here["b1"], here["b2"]])]
        mine.run(targets=inits)
        for name, variable in zip(names, here["parameters"]):
            value = other.run(name + "/Read/ReadVariableOp:0")
            mine.run(targets=variable.init, feeds={variable.init.dup_inputs()[1]: value})
        edges, losses = ("input/x:0", "input/y:0"), []
        for i in range(20):
            arrays = [values[i * 64:i * 64 + 64] for values in here["data"].values()]
            losses.append([mine.run(here["loss"], dict(zip(here["data"], arrays))),
                           other.run("loss/value:0", dict(zip(edges, arrays)))])
            mine.run(targets=here["train"], feeds=dict(zip(here["data"], arrays)))
            other.run(targets="train/step", feeds=dict(zip(edges, arrays)))
        losses = np.array(losses)
        close = np.allclose(losses[:, 0], losses[:, 1], rtol=1e-5, atol=0)
        self.tap.point("its losses are those of digits-mlp", close, losses)
        self.tap.point("which fall", losses[-1, 0] < losses[0, 0] * 0.6, losses)

    def run(self):
        for part in (self.plugins, self.tensors, self.memory, self.lists, self.building,
                     self.gradients, self.files, self.errors, self.cancelling, self.waiting,
                     self.partial_runs, self.containers, self.plans, self.ops, self.sample):
            part()
        self.tap.end()


Tests(*sys.argv[1:]).run()
