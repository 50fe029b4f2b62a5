#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""generate.py [FOLDER]: the SavedModels of test-saved-model.py, as TensorFlow 2.21 writes them.

Needs tensorflow 2.21 and tf_keras. Each model is a zip beside this file; cases.json holds, for each
call of a signature, what is fed, as `sluice run --feed` takes it, and what TensorFlow makes of it.
"""
import json
import os
import pathlib
import sys
import tempfile
import zipfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
import tf_keras as keras

v1 = tf.compat.v1
MODELS = []


def model(function):
    MODELS.append(function)
    return function


def values(*shape):
    return np.random.RandomState(7).uniform(-1, 1, shape).astype(np.float32)


def strings(*texts):
    return np.array([text.encode() for text in texts], dtype=object)


# Each saves a model in a folder and returns the calls: (signature, feeds), one after the other.

@model
def keras_cnn(path):
    net = keras.Sequential([
        keras.layers.Input((6, 6, 1), name="image"), keras.layers.Conv2D(2, 3, activation="relu"),
        keras.layers.BatchNormalization(), keras.layers.MaxPool2D(), keras.layers.Flatten(),
        keras.layers.Dropout(.5), keras.layers.Dense(3, activation="softmax")])
    net.compile("sgd", "sparse_categorical_crossentropy")
    net.fit(values(8, 6, 6, 1), np.arange(8) % 3, epochs=1, verbose=0)
    net.save(path)
    return [("serving_default", {"image": values(2, 6, 6, 1)})]


@model
def keras_words(path):
    word = keras.Input((1,), dtype=tf.string, name="word")
    ids = keras.layers.StringLookup(vocabulary=["cat", "dog", "emu"])(word)
    x = keras.layers.Flatten()(keras.layers.Embedding(5, 3)(ids))
    keras.Model(word, keras.layers.Dense(2, name="score")(x)).save(path)
    return [("serving_default", {"word": strings("dog", "yak", "cat").reshape(3, 1)})]


@model
def twins(path):
    """Two signatures of one function, as Keras 3 exports them."""
    net = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3, name="hidden"),
                            keras.layers.Dense(2, name="score")])

    class Served(tf.Module):
        def __init__(self):
            self.net = net

        @tf.function(input_signature=[tf.TensorSpec([None, 4], name="x")])
        def serve(self, x):
            return {"y": self.net(x)}
    served = Served()
    tf.saved_model.save(served, path, {"serve": served.serve, "serving_default": served.serve})
    return [("serving_default", {"x": values(2, 4)})]


@model
def module(path):
    """Control flow, two signatures, one of which changes a variable; functions within functions."""
    class Inner(tf.Module):
        def __init__(self):
            self.shift = tf.Variable([1., 2., 3.])

        @tf.function
        def __call__(self, x):
            return x + self.shift

    class Module(tf.Module):
        def __init__(self):
            self.inner = Inner()
            self.w = tf.Variable(values(3, 3), name="w")
            self.calls = tf.Variable(0, dtype=tf.int64, trainable=False)
            self.scale = tf.constant([2., 1., .5])

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, "x"),
                                      tf.TensorSpec([], tf.int32, "n")])
        def power(self, x, n):
            i = 0
            while i < n:
                x = tf.tanh(x @ self.w)
                if tf.reduce_sum(x) > 0:
                    x = self.inner(x)
                else:
                    x = x - 1.
                i += 1
            rows = tf.map_fn(lambda row: row * self.scale, x)
            return {"y": rows, "count": n}

        @tf.function(input_signature=[tf.TensorSpec([], tf.int64, "by")])
        def count(self, by):
            return {"calls": self.calls.assign_add(by)}

    saved = Module()
    saved.calls.assign(40)
    tf.saved_model.save(saved, path, signatures={"serving_default": saved.power,
                                                 "count": saved.count})
    return [("serving_default", {"x": values(2, 3), "n": np.int32(3)}),
            ("count", {"by": np.int64(2)})]


@model
def module_tables(path):
    """A table that reads an asset, one whose entries are saved, variables of many types."""
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = os.path.join(folder, "colours.txt")
        pathlib.Path(vocabulary).write_text("red\ngreen\nblue\n")

        class Module(tf.Module):
            def __init__(self):
                self.asset = tf.saved_model.Asset(vocabulary)
                self.ids = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
                    self.asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                    tf.lookup.TextFileIndex.LINE_NUMBER), -1)
                self.weights = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, .5)
                self.weights.insert(tf.constant(["red", "blue"]), tf.constant([1., 2.]))
                self.names = tf.Variable(["a", "b\n"])
                self.z = tf.Variable(np.complex64(1 + 2j))
                self.flag = tf.Variable(True)

            @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "colour")])
            def look_up(self, colour):
                return {"id": self.ids.lookup(colour), "weight": self.weights.lookup(colour),
                        "name": self.names.read_value(), "z": self.z * self.z,
                        "no": tf.logical_not(self.flag), "inf": 1 / (self.ids.lookup(colour) - 2)}

        saved = Module()
        tf.saved_model.save(saved, path, signatures=saved.look_up)
    return [("serving_default", {"colour": strings("blue", "mauve", "red")})]


@model
def module_examples(path):
    """Serialised examples in, as TensorFlow Serving is asked."""
    class Module(tf.Module):
        def __init__(self):
            self.w = tf.Variable([[1.], [2.]])

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "examples")])
        def score(self, examples):
            parsed = tf.io.parse_example(examples, {"x": tf.io.FixedLenFeature([2], tf.float32),
                                                    "tags": tf.io.VarLenFeature(tf.string)})
            return {"y": parsed["x"] @ self.w, "shape": parsed["tags"].dense_shape}

    saved = Module()
    tf.saved_model.save(saved, path, signatures=saved.score)
    examples = [tf.train.Example(features=tf.train.Features(feature={
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=[n, 2.])),
        "tags": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"t"] * n))}))
                for n in (1, 3)]
    texts = [example.SerializeToString() for example in examples]
    return [("serving_default", {"examples": np.array(texts, dtype=object)})]


def save_v1(path, build, tags=("serve",), **options):
    with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
        signatures, more = build()
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        builder = v1.saved_model.Builder(path)
        builder.add_meta_graph_and_variables(session, list(tags), signatures, **more, **options)
        builder.save()


def signature(inputs, outputs):
    info = v1.saved_model.build_tensor_info
    return v1.saved_model.build_signature_def({k: info(x) for k, x in inputs.items()},
                                              {k: info(y) for k, y in outputs.items()},
                                              "tensorflow/serving/predict")


@model
def v1_reference(path):
    """Reference variables, one in slices, default attributes left out."""
    def build():
        x = v1.placeholder(tf.float32, [None, 4], "x")
        w = v1.get_variable("w", initializer=values(4, 2), use_resource=False)
        p = v1.get_variable("p", [4, 2], initializer=v1.constant_initializer(.5),
                            partitioner=v1.fixed_size_partitioner(2, 0), use_resource=False)
        y = tf.nn.softmax(x @ w, name="y")
        z = tf.matmul(x, tf.convert_to_tensor(p))
        return {"serving_default": signature({"x": x}, {"y": y}),
                "both": signature({"x": x}, {"y": y, "z": z})}, {}
    save_v1(path, build, strip_default_attrs=True)
    return [("serving_default", {"x": values(3, 4)}), ("both", {"x": values(3, 4)})]


@model
def v1_table(path):
    """An asset by its collection, and an initialiser by main_op; a loop with a branch in it."""
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = os.path.join(folder, "numbers.txt")
        pathlib.Path(vocabulary).write_text("one\ntwo\nthree\n")

        def build():
            asset = tf.constant(vocabulary)
            v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
            table = tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer(
                asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                tf.lookup.TextFileIndex.LINE_NUMBER), 2)
            x = v1.placeholder(tf.string, [None], "x")
            ids = table.lookup(x)
            rows = tf.nn.embedding_lookup(v1.get_variable("rows", initializer=values(5, 2)), ids)
            _, y = v1.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, v1.cond(
                tf.reduce_sum(a) > 1., lambda: a * .5, lambda: a + 1.)), [0, rows])
            return ({"serving_default": signature({"x": x}, {"ids": ids, "y": y})},
                    {"assets_collection": v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
                     "main_op": v1.tables_initializer()})
        v1.disable_control_flow_v2()
        save_v1(path, build)
        v1.enable_control_flow_v2()
    return [("serving_default", {"x": strings("two", "zebra", "one")})]


@model
def v1_train(path):
    """Two MetaGraphs: one to train, with an optimizer, and one to serve; a sharded saver."""
    def build(training):
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [None, 2], "x")
            t = v1.placeholder(tf.float32, [None], "t")
            w = v1.get_variable("w", initializer=np.float32([.5, -.5]), use_resource=True)
            y = tf.reduce_sum(x * w, 1, name="y")
            signatures = {"serving_default": signature({"x": x}, {"y": y})}
            if training:
                loss = tf.reduce_mean((y - t) ** 2, name="loss")
                v1.train.MomentumOptimizer(.1, .9).minimize(loss, name="train")
                signatures["loss"] = signature({"x": x, "t": t}, {"loss": loss})
            session = v1.Session(graph=graph)
            session.run(v1.global_variables_initializer())
            return graph, session, signatures
    builder = v1.saved_model.Builder(path)
    graph, session, signatures = build(True)
    with graph.as_default():
        builder.add_meta_graph_and_variables(session, ["train"], signatures,
                                             saver=v1.train.Saver(sharded=True))
    graph, session, signatures = build(False)
    with graph.as_default():
        builder.add_meta_graph(["serve", "cpu"], signatures)
    builder.save(as_text=True)
    return [("serving_default", {"x": values(3, 2)})]


# ---- what is kept ----

def to_text(value):
    """As --feed takes it."""
    if isinstance(value, bytes):
        escaped = "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\x{c:02x}"
                          for c in value)
        return f'"{escaped}"'
    if getattr(value, "ndim", 0) > 0:
        return "[" + ",".join(to_text(item) for item in value) + "]"
    return repr(value.item())


def to_json(value):
    """As `sluice run --json` prints it."""
    if isinstance(value, bytes):
        return value.decode()
    if getattr(value, "ndim", 0) > 0:
        return [to_json(item) for item in value]
    if isinstance(value, complex) or np.iscomplexobj(value):
        return [float(value.real), float(value.imag)]
    number = value.item()
    if isinstance(number, float) and not np.isfinite(number):
        return "NaN" if np.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return number


def call(path, calls):
    tags = ["serve", "cpu"] if path.name == "v1_train" else None
    loaded = tf.saved_model.load(str(path), tags=tags)
    for name, feeds in calls:
        outputs = loaded.signatures[name](**{k: tf.constant(v) for k, v in feeds.items()})
        yield {"model": path.name, "signature": name,
               "feeds": {k: to_text(v) for k, v in feeds.items()},
               "outputs": {k: to_json(v.numpy()) for k, v in sorted(outputs.items())}}


def pack(path, archive):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(path.rglob("*")):
            if file.is_file() and file.name not in ("keras_metadata.pb", "fingerprint.pb"):
                packed.write(file, file.relative_to(path.parent))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    cases = []
    with tempfile.TemporaryDirectory() as top:
        for build in MODELS:
            tf.random.set_seed(1)
            path = pathlib.Path(top) / build.__name__
            cases += call(path, build(str(path)))
            pack(path, folder / f"{build.__name__}.zip")
    (folder / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")


main()
