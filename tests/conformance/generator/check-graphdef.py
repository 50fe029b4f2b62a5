#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""GraphDefs that Sluice wrote, in TensorFlow: nothing is lost on the way, and both compute the same.

usage: check-graphdef.py BUILD [CASE-FILE...]     with TensorFlow; BUILD has the typelib; without files: all graphs

Every case file is loaded and written back by Sluice, binary, as text and in a MetaGraphDef; TensorFlow imports what came out
and its nodes are compared with those of the original. TensorFlow then replays the cases of some of the files that Sluice
wrote. The samples, and the graph that a Python program built with Sluice, take a training step on both sides.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import casefile
from casefile import config, graph_pb2, np, tensor_util, tf, tf1
from google.protobuf import text_format
from tensorflow.core.protobuf import meta_graph_pb2

tf1.disable_v2_behavior()
HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
FORMS = {"pb": ["BINARY", "PLAIN_GRAPH"], "pbtxt": ["TEXT", "PLAIN_GRAPH"], "meta": ["META_GRAPH"]}
REPLAYED = 8  # every so many of the files


def ask_sluice(build, jobs):
    env = dict(os.environ, GI_TYPELIB_PATH=f"{build}/api", LD_LIBRARY_PATH=f"{build}/api", PYTHONPATH=f"{TOP}/api/python")
    done = subprocess.run(["/usr/bin/python3", HERE / "sluice_side.py"], env=env, input=json.dumps(jobs), check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def parse(path):
    data = (gzip.open if path.suffix == ".gz" else open)(path, "rb").read()
    if path.suffix == ".meta":
        meta = meta_graph_pb2.MetaGraphDef()
        meta.ParseFromString(data)
        return meta.graph_def
    graph = graph_pb2.GraphDef()
    if path.suffix == ".pbtxt":
        text_format.Parse(data.decode(), graph)
    else:
        graph.ParseFromString(data)
    return graph


def imported(path):
    """The graph as TensorFlow has it after the import."""
    graph = tf1.Graph()
    with graph.as_default():
        tf1.import_graph_def(parse(path), name="")
    return graph.as_graph_def(add_shapes=True)


def plain(attr):
    """A value that compares: the same tensor can be written in several ways."""
    if attr.WhichOneof("value") != "tensor":
        return attr.SerializeToString(deterministic=True)
    array = tensor_util.MakeNdarray(attr.tensor)
    return str(array.dtype), array.shape, array.tolist() if array.dtype == object else array.tobytes()


def fields(node):
    return node.op, list(node.input), node.device, {k: plain(v) for k, v in node.attr.items()}


def differences(a, b):
    """Names of nodes that are not the same in two graphs; and of functions."""
    mine, other = ({n.name: fields(n) for n in g.node} for g in (a, b))
    found = [name for name in sorted(set(mine) | set(other)) if mine.get(name) != other.get(name)]
    mine, other = ({f.signature.name: f.SerializeToString(deterministic=True) for f in g.library.function} for g in (a, b))
    return found + [name for name in sorted(set(mine) | set(other)) if mine.get(name) != other.get(name)]


def check_files(build, folder, paths):
    """There and back; a file that TensorFlow refuses itself is not looked at."""
    jobs = [["rewrite", str(p), str(folder / f"{p.parent.name}-{p.name}.{form}"), flags]
            for p in paths for form, flags in FORMS.items()]
    answers, good, n_nodes, refused = ask_sluice(build, jobs), True, 0, []
    for i, path in enumerate(paths):
        try:
            want = imported(path)
        except Exception:  # a dozen kinds of it
            refused.append(path.name.split(".")[0])
            continue
        n_nodes += len(want.node)
        for job, (ok, answer) in list(zip(jobs, answers))[i * len(FORMS):(i + 1) * len(FORMS)]:
            try:
                wrong = differences(want, imported(pathlib.Path(job[2]))) if ok else [answer]
            except Exception as error:
                wrong = [str(error)]
            if wrong:
                good = False
                print(f"{path.name} as {job[2].rsplit('.', 1)[1]}: {len(wrong)} nodes differ: {wrong[:3]}")
    print(f"{len(paths) - len(refused)} case files, {n_nodes} nodes, each as {' '.join(FORMS)}: "
          f"{'the same' if good else 'NOT the same'} in TensorFlow as the original")
    print(f"TensorFlow refuses {len(refused)} files itself: {' '.join(refused)}")
    return good, [p for p in paths if p.name.split(".")[0] not in refused]


def count_cases(build, paths):
    done = subprocess.run([build / "tests" / "run-cases", *paths], stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip().splitlines()[-1]


def check_replay(build, folder, paths):
    """What TensorFlow computes from a file that Sluice wrote is what it computed from its own; so does Sluice."""
    steps, bad, written = 0, [], [folder / f"{p.parent.name}-{p.name}.pb" for p in paths]
    for path in written:
        n, wrong = casefile.replay(str(path))
        steps += n
        bad += [f"{path.name}: {w}" for w in wrong]
    print("\n".join(bad) + f"{len(written)} written files replayed in TensorFlow: {steps} steps pass, {len(bad)} fail")
    mine, original = (count_cases(build, files) for files in (written, paths))
    print(f"the same files in Sluice: {mine}; the originals: {original}")
    return not bad and mine == original


def run_tensorflow(path, steps):
    graph = tf1.Graph()
    with graph.as_default():
        tf1.import_graph_def(parse(path), name="")
    with tf1.Session(graph=graph, config=config()) as session:
        for feeds, fetches, targets in steps:
            yield session.run([fetches, [graph.get_operation_by_name(t) for t in targets]], feeds)[0]


def check_steps(build, folder, name, path, steps):
    """Steps (feeds, fetches, targets) on both sides."""
    jobs = []
    for i, (feeds, fetches, targets) in enumerate(steps):
        np.savez(folder / f"{name}-feeds-{i}.npz", *feeds.values())
        jobs.append([str(folder / f"{name}-feeds-{i}.npz"), list(feeds), fetches, targets])
    ok, answer = ask_sluice(build, [["run", str(path), jobs, str(folder / name)]])[0]
    if not ok:
        print(f"{name}: {answer}")
        return False
    worst = 0.0
    for i, want in enumerate(run_tensorflow(path, steps)):
        got = np.load(folder / f"{name}-{i}.npz")
        for k, value in enumerate(want):
            worst = max(worst, float(np.abs(got[f"arr_{k}"] - value).max() / np.abs(value).max()))
    n_values = sum(len(fetches) for _, fetches, _ in steps)
    print(f"{name}: {len(steps)} steps on both sides, {n_values} values, largest relative difference {worst:.2g}")
    return worst < 1e-5


def digits():
    folder = TOP / "data/samples/data/digits"
    images, labels = (gzip.open(folder / f"train-{w}-ubyte.gz").read() for w in ("images-idx3", "labels-idx1"))
    return (np.frombuffer(images, "u1", offset=16).reshape(-1, 8, 8, 1)[:64].astype("f4") / 255,
            np.frombuffer(labels, "u1", offset=8)[:64].astype("i8"))


def check_sample(build, folder, name, reads):
    path = folder / f"{name}.pbtxt"
    ask_sluice(build, [["rewrite", str(TOP / "data/samples" / name / "model.pbtxt"), str(path), ["TEXT"]]])
    x, y = digits()
    feeds = {"input/x:0": x, "input/y:0": y}
    return check_steps(build, folder, name, path, [({}, [], ["init"]), (feeds, ["loss/value:0"], []),
                                                   (feeds, [], ["train/step"]), (feeds, ["loss/value:0", *reads], [])])


def check_python(build, folder):
    """The graph that a program in Python built: variables begin with the same random numbers."""
    path = folder / "python.pbtxt"
    ok, names = ask_sluice(build, [["sample", str(TOP / "data/samples/python/digits.py"), str(path)]])[0]
    assert ok, names
    x, y = digits()
    feeds, random = {names["x"]: x, names["y"]: y}, np.random.default_rng(1)
    given = {edge: (random.standard_normal(shape) / 8).astype("f4") for edge, shape in names["given"]}
    return check_steps(build, folder, "python/digits.py", path.rename(folder / "digits.pbtxt"), [
        (given, [], names["init"]), (feeds, [names["loss"]], []), (feeds, [], names["train"]),
        (feeds, [names["loss"], *names["read"]], [])])


def main(build, *paths):
    build = pathlib.Path(build).resolve()
    paths = [pathlib.Path(p).resolve() for p in paths] or sorted((HERE.parent / "graphs").glob("*.pb.gz"))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "python").mkdir()
        good, usable = check_files(build, folder, paths)
        good &= check_replay(build, folder, usable[::REPLAYED])
        good &= check_sample(build, folder, "digits-mlp", ["hidden/weights/Read/ReadVariableOp:0"])
        good &= check_sample(build, folder, "digits-lenet", ["conv1/weights/read:0", "fc1/weights/read:0"])
        good &= check_python(build, folder)
    print("TensorFlow", tf.__version__, "and Sluice agree" if good else "and Sluice DO NOT AGREE")
    return not good


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
