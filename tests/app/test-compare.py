#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""sluice compare: runs in two ways, a run beside tensors of a file, two programs, as TAP.

usage: test-compare.py SLUICE SOURCE-FOLDER
"""
import gzip
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

FLOAT = 'attr { key: "T" value { type: DT_FLOAT } }'
CHAIN = f"""
node {{ name: "z" op: "Add" input: "y" input: "one" {FLOAT} }}
node {{ name: "y" op: "Mul" input: "x" input: "x" {FLOAT} }}
node {{ name: "x" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }}
node {{ name: "one" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
       attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT float_val: 1
              tensor_shape {{}} }} }} }} }}
node {{ name: "done" op: "NoOp" input: "^z" }}
"""
# A variable and its writer, random numbers, a branch, a loop of no known end, a file.
MIXED = f"""
node {{ name: "shape" op: "Const" attr {{ key: "dtype" value {{ type: DT_INT32 }} }}
       attr {{ key: "value" value {{ tensor {{ dtype: DT_INT32 int_val: 5
              tensor_shape {{ dim {{ size: 1 }} }} }} }} }} }}
node {{ name: "draw" op: "RandomUniform" input: "shape"
       attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
       attr {{ key: "T" value {{ type: DT_INT32 }} }} }}
node {{ name: "v" op: "VariableV2" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
       attr {{ key: "shape" value {{ shape {{ dim {{ size: 5 }} }} }} }} }}
node {{ name: "init" op: "Assign" input: "v" input: "draw" {FLOAT} }}
node {{ name: "after_init" op: "Identity" input: "init" {FLOAT} }}
node {{ name: "read" op: "Identity" input: "v" {FLOAT} }}
node {{ name: "no" op: "Const" attr {{ key: "dtype" value {{ type: DT_BOOL }} }}
       attr {{ key: "value" value {{ tensor {{ dtype: DT_BOOL bool_val: false
              tensor_shape {{}} }} }} }} }}
node {{ name: "side" op: "Switch" input: "read" input: "no" {FLOAT} }}
node {{ name: "less" op: "Neg" input: "side" {FLOAT} }}
node {{ name: "more" op: "Exp" input: "side:1" {FLOAT} }}
node {{ name: "both" op: "Merge" input: "less" input: "more" {FLOAT}
       attr {{ key: "N" value {{ i: 2 }} }} }}
node {{ name: "in" op: "Enter" input: "both" {FLOAT}
       attr {{ key: "frame_name" value {{ s: "once" }} }} }}
node {{ name: "never" op: "Enter" input: "no" attr {{ key: "T" value {{ type: DT_BOOL }} }}
       attr {{ key: "frame_name" value {{ s: "once" }} }}
       attr {{ key: "is_constant" value {{ b: true }} }} }}
node {{ name: "top" op: "Merge" input: "in" input: "next" {FLOAT}
       attr {{ key: "N" value {{ i: 2 }} }} }}
node {{ name: "go" op: "LoopCond" input: "never" }}
node {{ name: "turn" op: "Switch" input: "top" input: "go" {FLOAT} }}
node {{ name: "next" op: "NextIteration" input: "turn:1" {FLOAT} }}
node {{ name: "out" op: "Exit" input: "turn" {FLOAT} }}
node {{ name: "path" op: "Const" attr {{ key: "dtype" value {{ type: DT_STRING }} }}
       attr {{ key: "value" value {{ tensor {{ dtype: DT_STRING string_val: "/no/such/file"
              tensor_shape {{}} }} }} }} }}
node {{ name: "queue" op: "FIFOQueue" attr {{ key: "component_types"
       value {{ list {{ type: DT_FLOAT }} }} }} }}
node {{ name: "row" op: "QueueDequeue" input: "queue" attr {{ key: "component_types"
       value {{ list {{ type: DT_FLOAT }} }} }} }}
node {{ name: "unfed" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }}
node {{ name: "waits" op: "Neg" input: "unfed" {FLOAT} }}
node {{ name: "strange" op: "NoSuchOp" input: "read" }}
"""


def floats(values, code="<f"):
    return b"".join(struct.pack(code, value) for value in values)


def write_safetensors(path, tensors):
    """tensors: name -> dtype, shape, bytes"""
    header, data = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def npy(descr, shape, content):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


class Compare:
    def __init__(self, sluice, source):
        self.tap = Tap()
        self.sluice = sluice
        self.mlp = pathlib.Path(source) / "data" / "samples" / "digits-mlp"
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.chain = self.folder / "chain.pbtxt"
        self.chain.write_text(CHAIN)
        self.reference = self.folder / "reference.safetensors"
        self.samples = self.mlp.parent
        self.conformance = pathlib.Path(source) / "tests" / "conformance"
        self.workspace = self.folder / "runs-of-two"

    def call(self, *arguments):
        return subprocess.run([self.sluice, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=120,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})

    def check(self, name, status, words, *arguments):
        run = self.call("compare", *arguments)
        said = run.stdout + run.stderr
        self.tap.point(name, run.returncode == status and all(word in said for word in words),
                       f"status {run.returncode}, wanted {status}: {words}", run.stdout, run.stderr)

    def rows(self, name, status, *arguments):
        """What --json tells, rows by name."""
        run = self.call("compare", *arguments, "--json")
        try:
            told = json.loads(run.stdout)
        except json.JSONDecodeError:
            told = {"outputs": [], "not_compared": [], "divergent": -1, "first": None}
        self.tap.point(name, run.returncode == status and told["outputs"], run.returncode,
                       run.stdout, run.stderr)
        return told, {row["name"]: row for row in told["outputs"]}

    # -- a file --

    def chain_with(self, y, z=(2, 5), **more):
        write_safetensors(self.reference, {"y:0": ("F32", [2], floats(y)),
                                           "z": ("F32", [2], floats(z)), **more})
        return [self.chain, "--feed", "x:0=[1,2]", "--reference", self.reference]

    def file(self):
        self.check("what is equal is told, and what the graph lacks", 0,
                   ["outputs    2\n", "divergent  0\n", "'lost' is not in the graph"],
                   *self.chain_with((1, 4), lost=("F32", [1], floats([0]))))
        off = self.chain_with((1, 4 - 2 ** -22), (2, 5.5)) + ["--tolerance", "exact"]
        self.check("a difference is told", 1, [
            "divergent  2\n", "first      y:0 (Mul) is the first that differs: element [1] was "
            "3.99999976, is 4. Of what it reads this was not compared: x:0, x:0.\n"], *off)
        told, rows = self.rows("as JSON, too", 1, *off)
        self.tap.point("in topological order, with figures",
                       [row["name"] for row in told["outputs"]] == ["y:0", "z"]
                       and told["first"]["tensor"] == "y:0"
                       and rows["y:0"]["ulp"] == 1
                       and rows["y:0"]["differ"] == 1 and rows["y:0"]["first_beyond"] == 1
                       and rows["y:0"]["absolute"] == 2 ** -22 and rows["z"]["absolute"] == 0.5
                       and math.isclose(rows["z"]["relative"], 0.5 / 5.5, rel_tol=1e-6), told)
        off = off[:-2]
        told, rows = self.rows("the tolerance of the dtype", 1, *off)
        self.tap.point("leaves the larger one, whose inputs agree", told["first"]["node"] == "z"
                       and told["first"]["inputs"] == ["y:0"] and told["first"]["others"] == 0
                       and told["first"]["not_compared"] == ["one:0"], told)
        told, rows = self.rows("a tolerance", 1, *off, "--rtol", "1e-6")
        self.tap.point("leaves the larger one", told["first"]["node"] == "z"
                       and told["divergent"] == 1
                       and rows["y:0"]["differ"] == 1 and rows["y:0"]["beyond"] == 0, told)
        self.check("a wide one none", 0, ["divergent  0\n"], *off, "--atol", "0.5")
        told, _ = self.rows("--fetch compares what that needs", 1, *off, "--fetch", "y",
                            "--tolerance", "exact")
        self.tap.point("and no more", [row["name"] for row in told["outputs"]] == ["y:0"], told)
        nan = self.chain_with((float("nan"), float("inf")))
        told, rows = self.rows("NaN and infinities", 1, *nan, "--atol", "1000")
        self.tap.point("are counted", rows["y:0"]["nan"] == rows["y:0"]["infinite"] == 1
                       and rows["y:0"]["absolute"] == 0, told)
        wrong = self.chain_with((1, 4), one=("F64", [], floats([1], "<d")),
                                x=("F32", [2, 1], floats([1, 2])))
        self.check("another dtype or shape diverges", 1,
                   ["dtype float, want double", "shape [2], want [2,1]", "divergent  2\n"],
                   *wrong)

    def archive(self):
        path = self.folder / "reference.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("z:0.npy", npy("<f4", [2], floats([2, 5])))
            archive.writestr("y.npy", npy("<f4", [2], floats([1, 3])))
        arguments = [self.chain, "--feed", "x:0=[1,2]", "--reference", path]
        self.check("an .npz file", 1, [
            "outputs    2\n", "divergent  1\n", "first      y (Mul) is "], *arguments)
        path.write_bytes(path.read_bytes()[:60])
        self.check("cut off", 1, [str(path), "no .npz"], *arguments)

    def checkpoint(self):
        workspace = self.folder / "workspace"
        self.call("train", self.mlp, "--workspace", workspace, "--steps", 3, "--run", "a")
        path = workspace / "runs/1/checkpoints/step-0000000003.safetensors"
        model = self.mlp / "model.pbtxt"
        told, rows = self.rows("variables beside those of a trained run", 1, model, "--target",
                               "init", "--reference", path)
        self.tap.point("are read through their handles", rows["hidden/weights"]["differ"] > 0
                       and rows["global_step"]["absolute"] == 3, told)

    def dump(self, name):
        """What TensorFlow computed in a step of a program, and what of ours is to be compared."""
        reference = self.conformance / "dumps" / f"{name}.npz"
        graph = self.folder / f"{name}.pb"
        graph.write_bytes(gzip.decompress(
            (self.conformance / "graphs" / f"{name}.pb.gz").read_bytes()))
        arguments, fed = [graph, "--reference", reference], {}
        for line in reference.with_suffix(".txt").read_text().splitlines():
            kind, value = line.split(" ", 1)
            if kind == "#":
                continue
            if kind == "feed":
                fed[value] = self.folder / (value.replace("/", "_").replace(":", "_") + ".npy")
                with zipfile.ZipFile(reference) as archive:
                    fed[value].write_bytes(archive.read(value + ".npy"))
                value = f"{value}={fed[value]}"
            arguments += ["--" + kind, value]
        return arguments, fed

    def tensorflow(self):
        for name, fed_edge, n, n_variables in (("softmax_regression", "x:0", 67, 2),
                                               ("mlp_sgd_res", "input/x-input:0", 54, 4)):
            arguments, fed = self.dump(name)
            told, _ = self.rows(f"{name} beside TensorFlow", 0, *arguments)
            self.tap.point("nothing differs, of all that was dumped", told["first"] is None
                           and len(told["outputs"]) == n and told["not_compared"] == [],
                           len(told["outputs"]), told["not_compared"])
            content = bytearray(fed[fed_edge].read_bytes())
            content[-1] ^= 0x40
            fed[fed_edge].write_bytes(content)
            told, _ = self.rows("with another last record", 1, *arguments)
            self.tap.point("that is first, then what was trained on it",
                           told["first"]["tensor"] == fed_edge
                           and told["first"]["others"] == n_variables
                           and told["divergent"] > 10, told["first"])

    # -- two runs --

    def feed_digits(self):
        x, y = self.folder / "x.npy", self.folder / "y.npy"
        x.write_bytes(npy("<f4", [4, 8, 8, 1], floats([i % 17 / 16 for i in range(256)])))
        y.write_bytes(npy("<i4", [4], struct.pack("<4i", 3, 1, 4, 1)))
        return ["--feed", f"input/x:0={x}", "--feed", f"input/y:0={y}"]

    def runs(self):
        model = [self.mlp / "model.pbtxt", "--target", "init", *self.feed_digits()]
        for way in (["--cpus", 3, "--seed", 7], ["--threads", 3], ["--cpus", 2, "--threads", 2]):
            told, rows = self.rows(f"a training step, {way}", 0, *model, "--fetch", "train/step",
                                   *way)
            self.tap.point("gradients are compared, nothing diverges", told["divergent"] == 0
                           and told["first"] is None and len(rows) > 40
                           and any("grad" in name.lower() for name in rows), told)
        told, rows = self.rows("the plain kernels", 0, *model, "--fetch", "loss/value", "--plain",
                               "--rtol", "1e-4", "--atol", "1e-6")
        self.tap.point("come near", "loss/value:0" in rows and told["divergent"] == 0, told)

    def mixed(self):
        path = self.folder / "mixed.pbtxt"
        path.write_text(MIXED)
        told, rows = self.rows("all that can run", 0, path, "--target", "init", "--cpus", 2)
        self.tap.point("random numbers are the same, a branch that is not taken has none",
                       rows["draw:0"]["differ"] == 0 and rows["read:0"]["differ"] == 0
                       and rows["more:0"]["dead"] and not rows["less:0"]["dead"]
                       and rows["both:1"]["differ"] == 0 and "out:0" in rows, told)
        self.tap.point("what writes, waits, fails or lies in the loop is left out",
                       not {"init:0", "after_init:0", "row:0", "queue:0", "unfed:0", "waits:0",
                            "strange:0", "in:0", "top:0", "turn:0"} & set(rows), sorted(rows))
        names = list(rows)
        self.tap.point("in topological order", all(
            names.index(a) < names.index(b) for a, b in (
                ("shape:0", "draw:0"), ("v:0", "read:0"), ("read:0", "side:0"),
                ("side:0", "less:0"), ("less:0", "both:0"), ("both:0", "out:0"))), names)
        told, rows = self.rows("what is named is run", 0, path, "--fetch", "after_init:0",
                               "--threads", 2)
        self.tap.point("its writers, too", "init:0" in rows and "both:0" not in rows, told)
        self.check("a variable without a value", 1, ["'v'", "initializer"], path, "--cpus", 2)
        self.check("a queue that stays empty", 1, ["'queue'"], path, "--fetch", "row", "--cpus", 2)
        write_safetensors(self.reference, {"turn": ("F32", [1], floats([0]))})
        self.check("a value in the loop", 1, ["nothing to compare", "'turn' lies inside a loop"],
                   path, "--reference", self.reference)

    def wrong(self):
        chain = [self.chain, "--feed", "x:0=[1,2]"]
        self.check("no graph", 2, ["give one GRAPH"])
        self.check("nothing to compare with", 2, ["--reference", "--cpus"], *chain)
        self.check("a file and a run", 2, ["second run"], *chain, "--cpus", 2, "--reference", "a")
        self.check("no devices", 2, ["--cpus"], *chain, "--cpus", -1)
        self.check("no seed", 2, ["--seed"], *chain, "--cpus", 2, "--seed", 0)
        self.check("a tolerance that is none", 2, ["--rtol"], *chain, "--cpus", 2, "--rtol", "nan")
        self.check("a tolerance of no such name", 2, ["auto or exact"], *chain, "--cpus", 2,
                   "--tolerance", "some")
        self.check("two tolerances", 2, ["--rtol"], *chain, "--cpus", 2, "--tolerance", "auto",
                   "--rtol", "1e-3")
        self.check("no such file", 1, ["none.safetensors"], *chain, "--reference",
                   self.folder / "none.safetensors")
        self.check("no such graph", 1, ["none.pbtxt"], self.folder / "none.pbtxt", "--cpus", 2)
        self.check("no such node", 1, ["lost"], *chain, "--cpus", 2, "--fetch", "lost")
        self.check("no such output", 1, ["z:1"], *chain, "--cpus", 2, "--fetch", "z:1")
        self.check("a node without outputs", 0, ["divergent  0\n"], *chain, "--cpus", 2, "--fetch",
                   "done")
        self.check("a placeholder without a feed", 1, ["feed", "'x'"], self.chain, "--cpus", 2,
                   "--fetch", "z")
        self.check("only what needs none is left", 0, ["outputs    1\n"], self.chain, "--cpus", 2)
        self.reference.write_bytes(b"\x10\0\0\0\0\0\0\0{}")
        self.check("a damaged file", 1, [str(self.reference)], *chain, "--reference",
                   self.reference)

    # ---- two programs, learning turned off ----

    def copy(self, name, *changes):
        """A sample with texts of its graph replaced, each once behind the last."""
        folder = self.folder / "samples" / name
        if not (self.folder / "samples/data").exists():
            shutil.copytree(self.samples / "data", self.folder / "samples/data")
        shutil.copytree(self.samples / "digits-mlp", folder)
        graph = (folder / "model.pbtxt").read_text()
        at = 0
        for old, new in changes:
            at = graph.index(old, at)
            graph = graph[:at] + new + graph[at + len(old):]
        (folder / "model.pbtxt").write_text(graph)
        return folder

    def match(self, first, second, *words):
        ended = self.call("compare", first, second, "--json", *words)
        return ended.returncode, json.loads(ended.stdout) if ended.stdout else ended.stderr

    def two(self):
        one, same = self.copy("one"), self.copy("same")
        status, told = self.match(one, same, "--batches=3")
        self.tap.point("two programs that are the same have the same losses", status == 0
                       and told["equal"] and len(told["losses"]) == 3 and told["first"] is None
                       and all(a == b for a, b in told["losses"]) and told["compared"] > 50
                       and told["losses"][0] != told["losses"][1], told)
        tanh = self.copy("tanh", ('name: "hidden/relu"', 'name: "hidden/relu"'),
                         ('op: "Relu"', 'op: "Tanh"'))
        status, told = self.match(one, tanh)
        self.tap.point("the first op that differs is the one that was changed", status == 1
                       and not told["equal"] and told["first"]["node"] == "hidden/relu"
                       and told["first"]["batch"] == 1 and len(told["losses"]) == 1, told)
        other = self.copy("other", ('name: "hidden/initial/TruncatedNormal"',) * 2,
                          ("i: 1", "i: 7"))
        status, told = self.match(one, other)
        self.tap.point("so is a variable that begins otherwise", status == 1
                       and told["first"]["node"].startswith("hidden/"), told)
        status, told = self.match(one, other, "--rtol=1000")
        self.tap.point("as far as they may be apart", status == 0 and told["equal"], told)
        self.train(one, "a", 5)
        checkpoint = self.workspace / "runs/1/checkpoints/step-0000000005.safetensors"
        status, told = self.match(one, other, f"--init-from={checkpoint}", "--batches=2")
        self.tap.point("with the same values they are the same again", status == 0
                       and len(told["losses"]) == 2 and told["losses"][0][0] < 2.4, told)
        self.train(tanh, "b", 5)
        before = sorted(self.workspace.rglob("*.safetensors"))
        status, told = self.match("a", "b", "--workspace", self.workspace)
        self.tap.point("runs by their names", status == 1
                       and told["first"]["node"] == "hidden/relu"
                       and sorted(self.workspace.rglob("*.safetensors")) == before, told)
        self.check("in words", 1, ["batch 1 ", "first      hidden/relu:0 (Tanh) is the first",
                                   "What it reads agrees: hidden/",
                                   "The losses differ."], tanh, one)
        self.check("an option of one graph", 2, ["--batches"], one, same, "--plain")
        self.check("no such run", 1, ["none"], one, "none", "--workspace", self.workspace)
        self.check("no batches for both", 1, ["no batches that both can be given"], one,
                   self.samples / "cart-pole")

    def train(self, project, name, steps):
        subprocess.run([self.sluice, "train", project, "--run", name, "--steps", str(steps),
                        "--workspace", self.workspace], check=True, capture_output=True)

    def run(self):
        self.two()
        self.file()
        self.archive()
        self.checkpoint()
        self.tensorflow()
        self.runs()
        self.mixed()
        self.wrong()
        self.tap.end()


if len(sys.argv) != 3:
    sys.exit(__doc__)
Compare(*sys.argv[1:]).run()
