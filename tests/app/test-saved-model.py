#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""SavedModels that TensorFlow wrote, run, shown, drawn, trained, and with parts missing, as TAP.

usage: test-saved-model.py SLUICE
"""
import ast
import io
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

MODELS = pathlib.Path(__file__).resolve().parent / "saved-models"
PROJECT = """
[project]
name=Saved
graph=model
train=train
loss=loss:0

[train]
steps=20
batch=4

[data]
source=csv
train-x=rows.csv
x=x:0
y=t:0
"""


def near(got, want):
    """Equal, floats as far as float32 goes."""
    if isinstance(want, list):
        return (isinstance(got, list) and len(got) == len(want)
                and all(near(a, b) for a, b in zip(got, want)))
    if isinstance(want, float):
        return isinstance(got, (int, float)) and math.isclose(got, want, rel_tol=1e-5, abs_tol=1e-6)
    return type(got) is type(want) and got == want


def read_npy(data):
    """(type, shape, elements as bytes)"""
    length, = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10:10 + length].decode())
    return header["descr"], header["shape"], data[10 + length:]


class Test:
    def __init__(self, folder):
        self.tap = Tap()
        self.folder = pathlib.Path(folder)
        self.models = self.folder / "models"
        for archive in sorted(MODELS.glob("*.zip")):
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(self.models)
        self.environment = dict(os.environ, LANGUAGE="C", LC_ALL="C.UTF-8")

    def call(self, *arguments):
        return subprocess.run([sys.argv[1], *map(str, arguments)], capture_output=True, text=True,
                              env=self.environment, check=False, timeout=120)

    def check(self, name, run, status, *words):
        said = run.stdout + run.stderr
        return self.tap.point(name, run.returncode == status
                              and all(word in said for word in words), run.returncode, words, said)

    def copy(self, model, name):
        target = self.folder / name
        shutil.copytree(self.models / model, target)
        return target

    # -- signatures --

    def signatures(self):
        for case in json.loads((MODELS / "cases.json").read_text()):
            feeds = [f"--feed={name}={text}" for name, text in case["feeds"].items()]
            signature = case["signature"]
            run = self.call("run", self.models / case["model"], "--signature", signature, *feeds,
                            "--json")
            got = json.loads(run.stdout) if run.returncode == 0 else None
            self.tap.point(f"{case['model']}: {signature}", got is not None
                           and sorted(got) == sorted(case["outputs"])
                           and all(near(got[k], v) for k, v in case["outputs"].items())
                           and run.stdout.count("\n") == 1,
                           got, case["outputs"], run.stderr)

    def names(self):
        model = self.models / "v1_reference"
        x = "x=[[1,2,3,4]]"
        both = self.call("run", model, "--signature=both", "--feed", x, "--fetch=z")
        self.check("one output of a signature", both, 0, "z = float [1,2] = [[5 5]]")
        self.check("the usual signature", self.call("run", model, "--feed", x), 0,
                   "y = float [1,2]")
        self.check("the file in the folder",
                   self.call("run", model / "saved_model.pb", "--feed", x), 0, "y = float [1,2]")
        self.check("an edge of the graph", self.call(
            "run", model, "--feed=x:0=[[1,2,3,4]]", "--fetch=MatMul_1:0"), 0,
                   "MatMul_1:0 = float [1,2] = [[5 5]]")
        for name, arguments, words in (
                ("no such signature", ["--signature=bth"],
                 ["'bth'", "'both'", "'serving_default'"]),
                ("no such input", ["--feed=u=1"], ["'u'", "x (float [?,4])"]),
                ("no such output", ["--feed", x, "--fetch=u"], ["'u'", "y (float [?,2])"]),
                ("an input without a feed", [], ["serving_default", "x (float [?,4])", "'x'"]),
                ("of a wrong shape", ["--feed=x=[1,2]"], ["[?,4]", "[2]"]),
                ("no such tags", ["--tags=gpu", "--feed", x], ["[gpu]", "[serve]"])):
            self.check(name, self.call("run", model, *arguments), 1, *words)

    def tags(self):
        model = self.models / "v1_train"
        x = "x=[[1,2],[3,4]]"
        self.check("tags: the only MetaGraph with the tag", self.call("run", model, "--feed", x), 0,
                   "y = float [2] = [-0.5 -0.5]")
        self.check("tags: another one", self.call(
            "run", model, "--tags=train", "--signature=loss", "--feed", x, "--feed=t=[0,0]"), 0,
                   "loss = float [] = 0.25")
        told = json.loads(self.call("info", model, "--tags=train", "--json").stdout)
        self.tap.point("tags: info", told["tags"] == ["train"]
                       and told["meta_graphs"] == ["train", "serve,cpu"]
                       and told["tensorflow"].startswith("2.21")
                       and set(told["signatures"]) == {"loss", "serving_default"}, told)
        self.check("tags: of a graph that has none", self.call(
            "check", model / "saved_model.pbtxt", "--tags=serve"), 0)

    def shown(self):
        model = self.models / "module_tables"
        told = json.loads(self.call("info", model, "--json").stdout)
        asked = told["signatures"]["serving_default"]["inputs"]["colour"]
        self.tap.point("info", asked["dtype"] == "string" and asked["shape"] == [-1]
                       and told["assets"] == ["colours.txt"]
                       and {"name": "Variable_1", "dtype": "bool", "shape": []}
                       in told["variables"]
                       and "look_up" in [f["name"] for f in told["functions"]], told)
        self.check("info as text", self.call("info", model), 0, "2.21", "serving_default",
                   "colour", "string [?]", "colours.txt", "look_up")
        checked = self.call("check", model)
        self.tap.point("check finds nothing but what restores and saves it",
                       checked.returncode == 0 and "RestoreV2 may read files" in checked.stdout
                       and all(" files" in line for line in checked.stdout.splitlines()),
                       checked.stdout, checked.stderr)
        self.check("place", self.call("place", model), 0, "StatefulPartitionedCall\tCPU:0")
        picture = self.folder / "model.svg"
        self.check("draw", self.call("draw", model, "--out", picture), 0)
        self.tap.point("what was drawn", picture.exists() and b"<svg" in picture.read_bytes())
        self.layers("keras_cnn", ["conv2d", "batch_normalization", "max_pooling2d", "flatten",
                                  "dense"], ["traced_save", "traced_restore", "SGD", "count"])
        self.layers("twins", ["hidden", "score"], ["traced_save", "serve_x"], "label=serve,")
        self.layers("module", ["while", "map", "count"], ["traced_save", "saver_filename"])
        self.check("trace", self.call(
            "trace", self.models / "v1_reference", "--feed=x:0=[[1,2,3,4]]", "--fetch=y:0",
            "--steps=1", "--out", self.folder / "trace.json"), 0)

    def layers(self, model, layers, aside, never="StatefulPartitionedCall"):
        """Functions are drawn as what they do: layers with lines, what keeps values without, and
        nothing twice."""
        out = self.folder / "layers.dot"
        drawn = self.call("draw", self.models / model, "--json", "--out", out)
        text = out.read_text() if out.exists() else ""
        boxes = set(re.findall(r"^\t(\w+)\t\[", text, re.MULTILINE))
        tied = set(re.findall(r"(\w+) -> (\w+)", text))
        self.tap.point(f"layers of {model}", drawn.returncode == 0 and boxes >= set(layers)
                       and len(re.findall(rf"label={layers[-1]},", text)) == 1
                       and never not in text and "StatefulPartitionedCall" not in text
                       and not any(set(line) & set(aside) for line in tied), text, drawn.stderr)

    # -- values --

    def out(self):
        path = self.folder / "values.npz"
        feeds = [f"--feed=colour={text}" for text in ('["blue","mauve"]',)]
        run = self.call("run", self.models / "module_tables", *feeds, "--out", path)
        with zipfile.ZipFile(path) as packed:
            members = {name[:-4]: read_npy(packed.read(name)) for name in packed.namelist()}
        self.tap.point("--out", run.returncode == 0 and run.stdout == ""
                       and set(members) == {"id", "weight", "name", "z", "no", "inf"}
                       and members["name"] == ("|S2", (2,), b"a\0b\n")
                       and members["id"] == ("<i8", (2,), struct.pack("<2q", 2, -1))
                       and members["weight"] == ("<f4", (2,), struct.pack("<2f", 2, .5))
                       and members["z"] == ("<c8", (), struct.pack("<2f", -3, 4))
                       and members["no"] == ("|b1", (), b"\0"), members, run.stderr)
        again = self.call("run", self.models / "module_tables", "--feed", f"colour={path}:name",
                          "--fetch=id", "--json")
        self.tap.point("what was written is fed", again.stdout == '{"id": [-1, -1]}\n',
                       again.stdout, again.stderr)
        self.check("a member must be named", self.call(
            "run", self.models / "module_tables", "--feed", f"colour={path}"), 1, "weight",
                   f"{path}:id")
        self.check("--out into nowhere", self.call(
            "run", self.models / "module_tables", *feeds, "--out", "/dev/null/a.npz"), 1,
                   "/dev/null/a.npz")
        self.check("--out of another kind", self.call(
            "run", self.models / "module_tables", *feeds, "--out", "a.npy"), 2, ".npz")

    # -- training --

    def train(self):
        folder = self.folder / "project"
        folder.mkdir()
        shutil.copytree(self.models / "v1_train", folder / "model")
        text = folder / "model" / "saved_model.pbtxt"
        text.write_text(text.read_text().replace(
            'op: "Mul"\n', 'op: "Mul"\n      device: "/job:ps/task:1/device:GPU:0"\n'))
        (folder / "project.ini").write_text(PROJECT)
        (folder / "rows.csv").write_text("1,0,2\n0,1,3\n1,1,5\n2,1,7\n")
        workspace = self.folder / "workspace"
        run = self.call("train", folder, "--workspace", workspace, "--run=first", "--json")
        losses = [json.loads(line).get("loss") for line in run.stdout.splitlines()
                  if line.startswith("{")]
        self.tap.point("train begins with the variables", run.returncode == 0, run.stdout,
                       run.stderr)
        told = [line for line in run.stderr.splitlines() if "not here" in line]
        self.tap.point("what was moved is said once", len(told) == 1
                       and "/job:ps/task:1/device:GPU:0" in told[0] and "CPU:0" in told[0],
                       run.stderr)
        self.check("unless it must not be", self.call(
            "train", folder, "--workspace", workspace, "--strict-devices"), 1, "GPU:0")
        shutil.rmtree(folder / "model")
        more = self.call("train", "--workspace", workspace, "--resume=first", "--set", "steps=40")
        self.check("resume: the run has a copy of the model", more, 0, "finished at step 40")
        started = self.call("info", "--workspace", workspace, "--json")
        series = {s["tag"]: s for s in json.loads(started.stdout.splitlines()[0])["series"]}
        self.tap.point("and learns", series["loss"]["points"] == 40
                       and series["loss"]["last_value"] < .5, series, losses)
        self.check("a folder that is no project", self.call("train", self.models / "v1_train"), 1,
                   "project.ini")

    # -- what is missing, and what is damaged --

    def missing(self):
        call = ("--feed", 'colour=["red"]')
        for name, change, words in (
                ("no saved_model.pb", lambda m: (m / "saved_model.pb").unlink(),
                 ["project.ini", "saved_model.pb"]),
                ("no variables", lambda m: shutil.rmtree(m / "variables"),
                 ["variables/variables.index"]),
                ("no index", lambda m: (m / "variables" / "variables.index").unlink(),
                 ["variables/variables.index"]),
                ("no shard", lambda m: next((m / "variables").glob("*.data*")).unlink(),
                 ["variables.data-00000-of-00001"]),
                ("a shard that is cut off", lambda m: os.truncate(
                    next((m / "variables").glob("*.data*")), 3),
                 ["variables/variables", "cut off"]),
                ("an index that is cut off", lambda m: os.truncate(
                    m / "variables" / "variables.index", 30), ["variables"]),
                ("no asset", lambda m: (m / "assets" / "colours.txt").unlink(), ["colours.txt"]),
                ("an empty saved_model.pb", lambda m: os.truncate(m / "saved_model.pb", 0),
                 ["saved_model.pb", "empty"]),
                ("a saved_model.pb that is cut off", lambda m: os.truncate(
                    m / "saved_model.pb", 1000), ["saved_model.pb", "cut off"])):
            model = self.copy("module_tables", name)
            change(model)
            self.check(name, self.call("run", model, *call), 1, *words)
        model = self.copy("module_tables", "a flipped byte")
        shard = next((model / "variables").glob("*.data*"))
        data = bytearray(shard.read_bytes())
        data[-3] ^= 0x40
        shard.write_bytes(data)
        self.check("a flipped byte", self.call("run", model, *call), 1, "checksum")
        self.check("no such folder", self.call("run", self.folder / "none", *call, "--fetch=a"), 1,
                   "none")

    def text(self):
        """What a SavedModel can say that is not so."""
        graph = ('graph_def { node { name: "x" op: "Placeholder" attr { key: "dtype" '
                 'value { type: DT_FLOAT } } } versions { producer: 2474 } }')
        for name, meta, words in (
                ("a signature of a node that is not there",
                 'signature_def { key: "s" value { inputs { key: "a" value { name: "y:0" } } } }',
                 ["'s'", "'a'", "'y"]),
                ("a signature of an output that is not there",
                 'signature_def { key: "s" value { outputs { key: "a" value { name: "x:3" } } } }',
                 ["'s'", "x:3"]),
                ("a signature without a tensor",
                 'signature_def { key: "s" value { inputs { key: "a" value { } } } }', ["'a'"]),
                ("a saver of a node that is not there",
                 'saver_def { restore_op_name: "r" filename_tensor_name: "x:0" }', ["'r'"]),
                ("an initialiser that is not there",
                 'collection_def { key: "legacy_init_op" value { node_list { value: "i" } } }',
                 ["'i'", "legacy_init_op"]),
                ("an asset outside", 'asset_file_def { tensor_info { name: "x:0" } '
                 'filename: "../../etc/passwd" }', ["../../etc/passwd", "assets/"])):
            model = self.folder / name
            model.mkdir()
            (model / "saved_model.pbtxt").write_text(
                f"saved_model_schema_version: 1 meta_graphs {{ {graph} {meta} }}")
            self.check(name, self.call("run", model, "--feed=x:0=1", "--fetch=x:0"), 1, *words)
            (model / "saved_model.pbtxt").write_text("saved_model_schema_version: 1")
            self.check(f"{name}: nothing at all", self.call("check", model), 1, "none at all")

    def end(self):
        self.tap.end()


def main():
    with tempfile.TemporaryDirectory(prefix="sluice-saved-model-") as folder:
        test = Test(folder)
        for part in (test.signatures, test.names, test.tags, test.shown, test.out, test.train,
                     test.missing, test.text):
            part()
    test.end()


main()
