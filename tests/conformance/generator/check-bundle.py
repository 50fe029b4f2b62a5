#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Checkpoints there and back: TensorFlow writes, Sluice restores and saves anew, TensorFlow restores and compares bits.

usage: check-bundle.py SLUICE          with TensorFlow; SLUICE is build/sluice
"""
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

tf1 = tf.compat.v1
tf1.disable_v2_behavior()

BOTH = "float32 float64 int32 uint8 int16 int8 complex64 int64 bool qint8 quint8 qint32 uint16 complex128 string".split()
NEWER = BOTH + "bfloat16 float16 uint32 uint64".split()  # V1 has no room for these


def values(names, rng):
    """Of every dtype a scalar, a matrix and an empty tensor, bits at random."""
    found = {}
    for name in names:
        dtype = tf.as_dtype(name)
        for what, shape in (("scalar", ()), ("matrix", (5, 7)), ("empty", (3, 0))):
            if name == "string":
                value = np.array([rng.bytes(int(n)) for n in rng.integers(0, 300, int(np.prod(shape)))], object)
            elif name == "bool":
                value = rng.integers(0, 2, int(np.prod(shape))).astype(bool)
            else:
                value = np.frombuffer(rng.bytes(int(np.prod(shape)) * dtype.size), dtype.as_numpy_dtype)
            found[f"{name}/{what} \u00e9"] = (value.reshape(shape), dtype)
    return found


def bits(value):
    value = np.array(value, object) if isinstance(value, bytes) else np.asarray(value)
    return value.tolist() if value.dtype == object else (value.shape, value.tobytes())


class Graph:
    """What both run: save, and restore as one node."""

    def __init__(self, source, destination, tensors, v1):
        self.tensors, self.graph = tensors, tf1.Graph()
        names, dtypes = list(tensors), [dtype for _, dtype in tensors.values()]
        raw, blank = tf.raw_ops, [""] * len(names)
        with self.graph.as_default():
            self.feeds = [tf1.placeholder(dtype, shape=v.shape) for v, dtype in tensors.values()]
            if v1:
                self.write = raw.Save(filename=source, tensor_names=names, data=self.feeds)
                self.read = [raw.Restore(file_pattern=source, tensor_name=n, dt=d) for n, d in zip(names, dtypes)]
                self.back = [raw.Restore(file_pattern=destination, tensor_name=n, dt=d) for n, d in zip(names, dtypes)]
                raw.Save(filename=destination, tensor_names=names, data=self.read, name="again")
            else:
                self.write = raw.SaveV2(prefix=source, tensor_names=names, shape_and_slices=blank, tensors=self.feeds)
                self.read = raw.RestoreV2(prefix=source, tensor_names=names, shape_and_slices=blank, dtypes=dtypes)
                self.back = raw.RestoreV2(prefix=destination, tensor_names=names, shape_and_slices=blank, dtypes=dtypes)
                raw.SaveV2(prefix=destination, tensor_names=names, shape_and_slices=blank, tensors=self.read, name="again")

    def feed(self):
        return {edge: value for edge, (value, _) in zip(self.feeds, self.tensors.values())}


def run_sluice(sluice, graph, folder, target):
    path = pathlib.Path(folder) / "graph.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    subprocess.run([sluice, "run", path, "--target", target], check=True, stdout=subprocess.DEVNULL)


def same_bytes(folder, a, b):
    files = [(f, folder / (b + f.name[len(a):])) for f in sorted(folder.glob(a + "*"))]
    return all(x.read_bytes() == y.read_bytes() for x, y in files), len(files)


def check(sluice, folder, what, tensors, v1=False):
    """Through a checkpoint of TensorFlow's and one of Sluice's."""
    folder = pathlib.Path(folder) / what
    folder.mkdir()
    g = Graph(str(folder / "tf"), str(folder / "sluice"), tensors, v1)
    with tf1.Session(graph=g.graph) as session:
        session.run(g.write, g.feed())
        run_sluice(sluice, g.graph, folder, "again")
        got = session.run(g.back)
    wrong = [n for n, v, (want, _) in zip(tensors, got, tensors.values()) if bits(v) != bits(want)]
    same, n_files = same_bytes(folder, "tf", "sluice")
    print(f"{what}: {len(tensors)} tensors of {len({d for _, d in tensors.values()})} dtypes, {len(wrong)} differ; "
          f"{n_files} files, byte for byte {'the same' if same else 'not the same'}")
    return not wrong


def check_slices(sluice, folder, v1):
    """Parts written by Sluice, put together and cut otherwise by TensorFlow; and the other way."""
    raw, whole = tf.raw_ops, np.random.default_rng(3).standard_normal((6, 10)).astype("f4")
    specs = ["6 10 0,2:-", "6 10 2,4:0,3", "6 10 2,4:3,7"]
    cuts = [whole[:2], whole[2:, :3], whole[2:, 3:]]
    wanted = "6 10 1,4:2,5"
    folder = pathlib.Path(folder) / ("slices-v1" if v1 else "slices")
    folder.mkdir()
    graph, good = tf1.Graph(), True
    with graph.as_default():
        path = {who: str(folder / who) for who in ("tf", "sluice", "back")}
        parts = [tf.constant(c) for c in cuts]

        def save(who, name):
            if v1:
                return raw.SaveSlices(filename=path[who], tensor_names=["x"] * 3, shapes_and_slices=specs, data=parts, name=name)
            return raw.SaveV2(prefix=path[who], tensor_names=["x"] * 3, shape_and_slices=specs, tensors=parts, name=name)

        def restore(who, spec):
            if v1:
                return raw.RestoreSlice(file_pattern=path[who], tensor_name="x", shape_and_slice=spec, dt=tf.float32)
            return raw.RestoreV2(prefix=path[who], tensor_names=["x"], shape_and_slices=[spec], dtypes=[tf.float32])[0]

        by_tf, full, part = save("tf", "by_tf"), restore("sluice", "6 10 -:-"), restore("sluice", wanted)
        save("sluice", "by_sluice")
        cut = restore("tf", wanted)
        raw.SaveV2(prefix=path["back"], tensor_names=["cut"], shape_and_slices=[""], tensors=[cut], name="cut_by_sluice")
        back = raw.RestoreV2(prefix=path["back"], tensor_names=["cut"], shape_and_slices=[""], dtypes=[tf.float32])
    with tf1.Session(graph=graph) as session:
        session.run(by_tf)
        run_sluice(sluice, graph, folder, "by_sluice")
        run_sluice(sluice, graph, folder, "cut_by_sluice")
        good = bits(session.run(full)) == bits(whole)
        good &= bits(session.run(part)) == bits(np.ascontiguousarray(whole[1:5, 2:7]))
        good &= bits(session.run(back)[0]) == bits(np.ascontiguousarray(whole[1:5, 2:7]))
    same, n_files = same_bytes(folder, "tf", "sluice")
    print(f"{folder.name}: whole, and cut otherwise, both ways: {'right' if good else 'WRONG'}; "
          f"{n_files} files, byte for byte {'the same' if same else 'not the same'}")
    return bool(good)


def check_merge(sluice, folder):
    raw = tf.raw_ops
    folder = pathlib.Path(folder) / "merge"
    folder.mkdir()
    graph = tf1.Graph()
    with graph.as_default():
        parts = [str(folder / "parts" / f"part{i}") for i in range(3)]
        saves = [raw.SaveV2(prefix=p, tensor_names=[f"t{i}"], shape_and_slices=[""], tensors=[tf.range(i + 4)])
                 for i, p in enumerate(parts)]
        with tf1.control_dependencies(saves):
            raw.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=str(folder / "all"), name="merge")
    run_sluice(sluice, graph, folder, "merge")
    reader = tf1.train.NewCheckpointReader(str(folder / "all"))
    good = all(reader.get_tensor(f"t{i}").tolist() == list(range(i + 4)) for i in range(3))
    left = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.name != "graph.pb")
    print(f"merge: {'right' if good else 'WRONG'}; {' '.join(left)}")
    return good


def main(sluice):
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        many = {f"layer{i}/weights": (rng.standard_normal(3).astype("f4"), tf.float32) for i in range(3000)}
        large = {"large": (rng.standard_normal((1 << 20, 4)).astype("f4"), tf.float32)}
        good = [check(sluice, folder, "bundle", values(NEWER, rng)), check(sluice, folder, "many", many),
                check(sluice, folder, "large", large), check(sluice, folder, "v1", values(BOTH, rng), v1=True),
                check_slices(sluice, folder, False), check_slices(sluice, folder, True), check_merge(sluice, folder)]
    print("TensorFlow", tf.__version__, "and Sluice agree" if all(good) else "and Sluice DO NOT AGREE")
    return not all(good)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
