#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice launch --check`: what is known of a run before it is launched; and `--init-from`. As TAP.

usage: test-preflight.py SLUICE SAMPLES
"""
import gzip
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

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

ALWAYS = {"step_us", "finish_seconds", "peak_bytes", "disk_bytes", "resume_exact", "nodes",
          "gradient", "first_loss", "plan_bytes", "model_us"}


class Launch:
    def __init__(self, sluice, samples, folder):
        self.sluice, self.folder = sluice, pathlib.Path(folder)
        self.samples = self.folder / "samples"
        self.env = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        for name in ("digits-mlp", "digits-lenet", "hogwild", "word2vec", "data"):
            shutil.copytree(samples / name, self.samples / name)
        self.workspace = self.folder / "runs"

    def call(self, *words):
        return subprocess.run([self.sluice, *map(str, words), "--workspace", self.workspace],
                              text=True, capture_output=True, timeout=120,
                              env=self.env)

    def check(self, project, *words):
        ended = self.call("launch", self.samples / project, *words, "--check", "--json")
        assert ended.stdout, ended.stderr
        return ended.returncode, json.loads(ended.stdout)


def items(card, what):
    return [item for item in card["items"] if item["what"] == what]


def check_well(tap, w):
    status, card = w.check("digits-mlp")
    kinds = {item["what"] for item in card["items"]}
    tap.point("a sample is well", status == 0 and card["ok"]
              and all(item["level"] == "well" for item in card["items"]), card)
    tap.point("all is told", ALWAYS | {"input", "labels"} <= kinds, kinds)
    step, = items(card, "step_us")
    finish, = items(card, "finish_seconds")
    tap.point("a step and the end, ±", step["value"] > 0 and step["plus_minus"] > 0
              and finish["value"] > 9000 * step["value"] * 1e-6 and finish["unit"] == "s",
              step, finish)
    peak, = items(card, "peak_bytes")
    tap.point("memory of the device", peak["name"] == "CPU:0" and peak["value"] > 100000, peak)
    inputs = items(card, "input")
    names = [item["name"] for item in inputs]
    tap.point("what the first batch holds", names == ["input/x:0", "input/y:0"]
              and "float[64,8,8,1]" in inputs[0]["text"] and 0 < inputs[0]["value"] < 1, inputs)
    pixels, digits = inputs
    tap.point("its least, greatest, zeros, and how they lie", pixels["min"] == 0
              and pixels["max"] == 1 and pixels["elements"] == 64 * 64 and pixels["non_finite"] == 0
              and 0 < pixels["zeros"] < pixels["elements"] and sum(pixels["bins"]) == 64 * 64
              and pixels["bins"][0] >= pixels["zeros"] and digits["max"] == 9, inputs)
    plan, = items(card, "plan_bytes")
    model, = items(card, "model_us")
    tap.point("the plan's own figure beside the measured one", plan["source"] == "plan"
              and peak["source"] == "measured" and plan["limit"] > plan["value"]
              and abs(plan["value"] - peak["value"]) <= plan["plus_minus"] < plan["value"], plan,
              peak)
    tap.point("a step's time by what its kernels compute", model["source"] == "modelled"
              and 0 < model["plus_minus"] < model["value"] and step["source"] == "measured", model)
    labels, = items(card, "labels")
    tap.point("how often each class comes", len(labels["counts"]) == 10
              and min(labels["counts"]) > 100 and labels["node"] == "input/y", labels)
    loss, = items(card, "first_loss")
    tap.point("classes, and the loss beside guessing", labels["value"] == 10
              and f"{math.log(10):.4g}" in loss["text"], labels, loss)
    tap.point("nothing was made", not w.workspace.exists())
    text = w.call("launch", w.samples / "digits-mlp", "--check").stdout
    tap.point("in words", "µs a step, measured over" in text and "bit for bit" in text, text)
    _, small = w.check("digits-mlp", "batch=1")
    tap.point("a smaller batch needs less", items(small, "peak_bytes")[0]["value"] < peak["value"],
              small)


def check_settings(tap, w):
    status, card = w.check("digits-mlp", "learning-rat=0.1", "stepps=5", "batch=32")
    refused = [item["text"] for item in items(card, "setting")]
    tap.point("settings that there are not, and the nearest", status == 1 and not card["ok"]
              and len(refused) == 2 and "learning-rate" in refused[0] and "steps" in refused[1],
              refused)
    ini = w.samples / "digits-mlp" / "project.ini"
    text = ini.read_text()
    graph = (w.samples / "digits-mlp" / "model.pbtxt").read_text()
    name = re.search(r'name: "(hidden/weights[^"]*)"\s+op: "Const"', graph).group(1)
    ini.write_text(text + f"noise={name}:0\n")
    status, card = w.check("digits-mlp")
    ini.write_text(text)
    unread = items(card, "setting")
    tap.point("a setting that no step reads", status == 0 and len(unread) == 1
              and unread[0]["name"] == "noise" and unread[0]["level"] == "look", card["items"][:2])


def check_data(tap, w):
    digits = w.samples / "data" / "digits"
    path = digits / "train-labels-idx1-ubyte.gz"
    whole = path.read_bytes()
    labels = bytearray(gzip.decompress(whole))
    for i in range(8, len(labels)):
        labels[i] = 3 if labels[i] == 9 else labels[i]
    labels[8] = 9
    path.write_bytes(gzip.compress(labels))
    _, card = w.check("digits-mlp")
    path.write_bytes(whole)
    found, = items(card, "labels")
    tap.point("classes that hardly come", found["level"] == "look" and found["action"], found)
    _, card = w.check("digits-mlp", "data.scale=1")
    raw = items(card, "input")[0]
    _, card = w.check("digits-mlp", raw["set"])
    tap.point("an input that nobody scaled, and the scale", raw["level"] == "look"
              and "scale" in raw["action"] and raw["set"] == "data.scale=0.00392157"
              and items(card, "input")[0]["level"] == "well", raw, card)
    values = [[1.0, 2.0], [3.0, float("nan")]] * 8
    head = b"\x93NUMPY\x01\x00"
    text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (16, 2), }"
    text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    (w.folder / "x.npy").write_bytes(head + struct.pack("<H", len(text)) + text
                                     + struct.pack("<32f", *sum(values, [])))
    project = w.samples / "broken"
    project.mkdir()
    (project / "model.pbtxt").write_text(
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\n'
        'node { name: "w" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } '
        'attr { key: "shape" value { shape { } } } }\n'
        'node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: '
        '"value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }\n'
        'node { name: "init" op: "Assign" input: "w" input: "one" '
        'attr { key: "T" value { type: DT_FLOAT } } }\n'
        'node { name: "read" op: "Identity" input: "w" '
        'attr { key: "T" value { type: DT_FLOAT } } }\n'
        'node { name: "y" op: "Mul" input: "x" input: "read" '
        'attr { key: "T" value { type: DT_FLOAT } } }\n'
        'node { name: "axes" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } '
        'attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } '
        'int_val: 0 int_val: 1 } } } }\n'
        'node { name: "loss" op: "Sum" input: "y" input: "axes" '
        'attr { key: "T" value { type: DT_FLOAT } } }\n'
        'node { name: "lost" op: "Neg" input: "y" attr { key: "T" value { type: DT_FLOAT } } }\n')
    (project / "project.ini").write_text(
        "[project]\nname=broken\ngraph=model.pbtxt\ninit=init\ntrain=loss\nloss=loss:0\n"
        "[train]\nsteps=4\nbatch=4\n[data]\nsource=npy\nx=x:0\n"
        f"train-x={w.folder / 'x.npy'}\ntrain-y={w.folder / 'x.npy'}\n")
    status, card = w.check("broken")
    tap.point("an input that is not finite", status == 1
              and items(card, "input")[0]["level"] == "stop", card)
    tap.point("a loss that is not finite", items(card, "first_loss")[0]["value"] in ("NaN", None)
              and items(card, "first_loss")[0]["level"] == "stop", items(card, "first_loss"))
    tap.point("a variable that never changes", items(card, "gradient")[0]["level"] == "look"
              and items(card, "gradient")[0]["name"] == "w", items(card, "gradient"))
    tap.point("a node that nobody needs", "lost" in items(card, "nodes")[0]["text"],
              items(card, "nodes"))


def check_impossible(tap, w):
    status, card = w.check("digits-mlp", "data.shape=7;7;1")
    tap.point("what cannot be trained says why", status == 1 and not card["ok"]
              and items(card, "project")[0]["level"] == "stop", card)
    status, card = w.check("digits-lenet", "--memory-limit=64K")
    tap.point("too little memory", status == 1 and not card["ok"], card)
    status, card = w.check("digits-lenet", "--memory-limit=1M")
    peak, = items(card, "peak_bytes")
    step, = items(card, "step_us")
    finish, = items(card, "finish_seconds")
    tap.point("where no step can be taken, the plan's figures stand for what was not measured",
              status == 1 and peak["source"] == "plan" and peak["limit"] == 1 << 20
              and peak["value"] == items(card, "plan_bytes")[0]["value"] > 1 << 20
              and step["source"] == "modelled" and step["value"] > 0 and finish["value"] > 0, card)
    settings = []
    while status != 0 and peak["set"] and len(settings) < 4:
        settings.append(peak["set"])
        status, card = w.check("digits-lenet", "--memory-limit=1M", *settings)
        peak = items(card, "peak_bytes")[0]
    tap.point("batches of steps and evaluations that fit are told, and they do", status == 0
              and {word.split("=")[0] for word in settings} == {"train.batch", "evaluate.batch"}
              and min(int(word.split("=")[1]) for word in settings) >= 16
              and peak["source"] == "measured", settings, card)
    status, card = w.check("digits-mlp", "keep-last=0", "checkpoint-every=1", "steps=9000000000")
    disk, = items(card, "disk_bytes")
    tap.point("a disk that would be full",
              disk["level"] == "stop" and "keep-last" in disk["action"]
              and disk["set"] == "train.keep-last=3" and disk["value"] > disk["limit"] > 0, disk)
    status, card = w.check("hogwild")
    exact, = items(card, "resume_exact")
    tap.point("workers do not go on exactly", status == 0 and exact["value"] == 0
              and exact["level"] == "look", exact)
    for words, part in ((["--init-partly"], "--init-partly needs"),
                        (["--needs-memory=1G"], "give --queue")):
        ended = w.call("launch", w.samples / "digits-mlp", *words)
        tap.point(f"refused: {words}", ended.returncode == 2 and part in ended.stderr, ended.stderr)


def check_start(tap, w):
    ended = w.call("launch", w.samples / "digits-mlp", "steps=5", "--run=a")
    assert ended.returncode == 0, ended.stderr
    checkpoint = w.workspace / "runs/1/checkpoints/step-0000000005.safetensors"
    status, card = w.check("digits-mlp", f"--init-from={checkpoint}")
    rows = card["start"]["rows"]
    tap.point("what fits which variable", status == 0 and card["start"]["fit"] == len(rows) > 4
              and all(row["fit"] == "fits" for row in rows), card["start"])
    status, card = w.check("digits-lenet", f"--init-from={checkpoint}")
    fits = {row["name"]: row for row in card["start"]["rows"]}
    tap.point("what does not, and what it may be", "missing" in {r["fit"] for r in fits.values()}
              and fits["logits/weights"]["fit"] == "other shape"
              and fits["logits/weights"]["there_shape"] == [128, 10]
              and any(row["name"] == "hidden/weights" for row in card["start"]["unused"]),
              card["start"])
    text = w.call("launch", w.samples / "digits-lenet", "--check", "--init-from", checkpoint).stdout
    tap.point("in words", "other shape  logits/weights" in text and ", there float[128,10]" in text,
              text)
    ended = w.call("launch", w.samples / "digits-mlp", "steps=5", "--run=b",
                   f"--init-from={checkpoint}")
    first = [json.loads(line)["values"][0] for line in w.call(
        "log", "--tag", "^loss$", "--json").stdout.splitlines()]
    tap.point("and it begins with these values", ended.returncode == 0 and len(first) == 2
              and first[1] < first[0], ended.stderr, first)
    ended = w.call("launch", w.samples / "digits-mlp", "--check", "--init-from=none", "--json")
    tap.point("a checkpoint that is not there", ended.returncode == 1
              and items(json.loads(ended.stdout), "start")[0]["level"] == "stop", ended.stdout)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        w = Launch(os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), folder)
        check_well(tap, w)
        check_settings(tap, w)
        check_data(tap, w)
        check_impossible(tap, w)
        check_start(tap, w)
    tap.end()


main()
