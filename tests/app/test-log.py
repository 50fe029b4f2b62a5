#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What a run records, of every kind that a graph's summaries make, and the three verbs that tell
it: log, sql, export. As TAP.

usage: test-log.py SLUICE SOURCE-FOLDER
"""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

STEPS, EVERY = 60, 20


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def metadata(plugin, content=b""):
    """A SummaryMetadata of that plugin."""
    return field(1, field(1, plugin.encode()) + (field(2, content) if content else b""))


def quoted(content):
    return "".join(f"\\{byte:03o}" for byte in content)


def const(name, dtype, shape, values):
    dims = "".join(f"dim {{ size: {size} }} " for size in shape)
    return f"""
node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: {dtype} }} }}
  attr {{ key: "value"
    value {{ tensor {{ dtype: {dtype} tensor_shape {{ {dims} }} {values} }} }} }} }}"""


def tensor_summary(tag, plugin, dtype, shape, values, content=b""):
    meta = quoted(metadata(plugin, content))
    return (const(f"extra/{tag}/tag", "DT_STRING", [], f'string_val: "{tag}"')
            + const(f"extra/{tag}/value", dtype, shape, values)
            + const(f"extra/{tag}/meta", "DT_STRING", [], f'string_val: "{meta}"')
            + f"""
node {{ name: "extra/{tag}" op: "TensorSummaryV2" input: "extra/{tag}/tag"
  input: "extra/{tag}/value" input: "extra/{tag}/meta"
  attr {{ key: "T" value {{ type: {dtype} }} }} }}""")


# HParamsPluginData.session_start_info with one setting: optimizer = "adam".
HPARAMS = field(3, field(1, field(1, b"optimizer") + field(2, field(3, b"adam"))))
CURVE = " ".join(f"float_val: {i / 4}" for i in range(12))
EXTRA = (tensor_summary("words", "text", "DT_STRING", [2], r'string_val: "# one" string_val: "two"')
         + tensor_summary("word", "text", "DT_STRING", [], 'string_val: "alone"')
         + tensor_summary("curve", "pr_curves", "DT_FLOAT", [6, 2], CURVE)
         + tensor_summary("settings", "hparams", "DT_FLOAT", [0], "", HPARAMS)
         + tensor_summary("points-in-space", "mesh", "DT_INT32", [2], "int_val: 3 int_val: -4")
         + tensor_summary("pictures", "images", "DT_STRING", [3],
                          'string_val: "2" string_val: "3" string_val: "no picture"')
         + tensor_summary("scalar", "scalars", "DT_FLOAT", [], "float_val: 0.25")
         + const("extra/sound/tag", "DT_STRING", [], 'string_val: "sound"')
         + const("extra/sound/value", "DT_FLOAT", [1, 50, 2], "float_val: 0.5")
         + const("extra/sound/rate", "DT_FLOAT", [], "float_val: 8000")
         + """
node { name: "extra/sound" op: "AudioSummaryV2" input: "extra/sound/tag" input: "extra/sound/value"
  input: "extra/sound/rate" attr { key: "max_outputs" value { i: 1 } } }
node { name: "extra/merged" op: "MergeSummary" input: "summaries/merged" input: "extra/words"
  input: "extra/word" input: "extra/curve" input: "extra/settings" input: "extra/points-in-space"
  input: "extra/pictures" input: "extra/scalar" input: "extra/sound"
  attr { key: "N" value { i: 9 } } }
""")


class Log:
    def __init__(self, sluice, source):
        self.tap = Tap()
        self.sluice = sluice
        self.samples = pathlib.Path(source) / "data" / "samples"
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.workspace = self.folder / "workspace"

    def call(self, verb, *arguments):
        """In a locale with a decimal comma, where there is one: output is not in it."""
        command = [self.sluice, verb, *map(str, arguments)]
        if verb != "train":
            command[2:2] = ["--workspace", str(self.workspace)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120,
                              env={**os.environ, "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "C"})

    def check(self, name, run, status, *words):
        said = run.stdout if status == 0 else run.stderr
        self.tap.point(name, run.returncode == status and all(word in said for word in words),
                       f"status {run.returncode}, wanted {status}: {words}", run.stdout, run.stderr)

    def series(self, *arguments):
        """{(run, tag): object} of `sluice log --json`."""
        run = self.call("log", "--json", *arguments)
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        return {(line["run"], line["tag"]): line for line in lines}

    def train(self):
        shutil.copytree(self.samples / "digits-mlp", self.folder / "samples" / "project")
        shutil.copytree(self.samples / "data", self.folder / "samples" / "data")
        project = self.folder / "samples" / "project"
        with open(project / "model.pbtxt", "a", encoding="utf-8") as model:
            model.write(EXTRA)
        ini = project / "project.ini"
        ini.write_text(re.sub(r"summaries=.*", "summaries=extra/merged:0", ini.read_text()))
        for name in ("first", "second"):
            run = self.call("train", project, "--workspace", self.workspace, "--run", name,
                            "--steps", STEPS, "--set", "learning-rate=0.5")
            self.check(f"a run with every kind of summary trains: {name}", run, 0, "finished")

    def log(self):
        every = self.series()
        kinds = {tag: line["kind"] for (run, tag), line in every.items() if run == "first"}
        want = {"words": "text", "word": "text", "curve": "pr-curve", "settings": "hparams",
                "points-in-space": "tensor", "pictures": "image", "sound/audio": "audio",
                "scalar": "scalar", "loss": "scalar", "hidden/weights": "histogram",
                "__run_graph__": "graph", "checkpoint": "event",
                "_hparams_/session_start_info": "hparams"}
        self.tap.point("each is logged as what it is", want.items() <= kinds.items(), kinds)
        self.tap.point("of every run", {run for run, _ in every} == {"first", "second"})
        loss = every["first", "loss"]
        self.tap.point("a series has its steps, wall times and values",
                       loss["n"] == STEPS and loss["steps"] == list(range(1, STEPS + 1))
                       and len(loss["wall_times"]) == len(loss["values"]) == STEPS
                       and all(isinstance(value, float) for value in loss["values"]), loss)
        values = {tag: every["first", tag]["values"] for tag in want if tag != "loss"}
        self.tap.point("texts are strings, and lists of strings",
                       values["word"][0] == "alone" and values["words"][0] == ["# one", "two"],
                       values["words"])
        sound = values["sound/audio"][0]
        self.tap.point("a clip has its rate, frames, hash and size",
                       sound["sample_rate"] == 8000 and sound["frames"] == 50
                       and sound["bytes"] == 44 + 200 and len(sound["sha256"]) == 64, sound)
        weights = values["hidden/weights"][0]
        self.tap.point("a histogram has its buckets and moments",
                       weights["count"] == 64 * 128 == sum(weights["counts"])
                       and len(weights["limits"]) == len(weights["counts"])
                       and weights["sum_squares"] > 0, weights)
        self.tap.point("the rest, too", values["settings"][0]["settings"] == {"optimizer": "adam"}
                       and values["points-in-space"][0]["values"] == [3, -4]
                       and values["pictures"][0]["width"] == 2
                       and values["curve"][0]["recall"] == [2.5, 2.75], values)
        settings = values["_hparams_/session_start_info"][0]["settings"]
        self.tap.point("what was set is a record", settings == {
            "batch": 64, "seed": 1, "steps": STEPS, "learning-rate": 0.5}, settings)
        self.choose()

    def choose(self):
        few = self.series("--run", "second", "--tag", "^eval|acc", "--kind", "scalar",
                          "--from", "11", "--to", "20")
        self.tap.point("by run, tag, kind and steps",
                       set(few) == {("second", "accuracy")}
                       and few["second", "accuracy"]["steps"] == list(range(11, 21)), few)
        plain = self.call("log", "--run", "first", "--tag", "^loss$", "--from", STEPS)
        self.tap.point("a line a record", re.fullmatch(r"first\tloss\tscalar\t60\t[0-9.e-]+\n",
                                                       plain.stdout), plain.stdout)
        self.check("no such run", self.call("log", "--run", "frist"), 1, "did you mean 'first'")
        self.check("no such kind", self.call("log", "--kind", "scaler"), 2, "it is one of scalar")
        self.check("no regular expression", self.call("log", "--tag", "("), 2, "--tag")
        self.check("no step", self.call("log", "--from", "soon"), 2, "--from")
        self.check("a word too many", self.call("log", "first"), 2, "--run")
        nowhere = self.folder / "nowhere"
        self.check("no workspace", self.call("log", "--workspace", nowhere), 1, "no workspace")
        self.tap.point("which is not made by asking", not nowhere.exists())

    def sql(self):
        tables = self.call("sql", "--json")
        listed = {line["name"]: line["columns"]
                  for line in map(json.loads, tables.stdout.splitlines())}
        self.tap.point("sql lists tables and views", listed.get("points")
                       == "run, tag, step, wall_time, value" and "scalar_chunks" in listed
                       and all(f"{kind}_points" in listed for kind in
                               ("histogram", "image", "audio", "text", "tensor", "pr_curve",
                                "hparams", "graph", "run_metadata", "event")), listed)
        query = "SELECT step, value FROM points WHERE run = 'first' AND tag = 'loss' ORDER BY step"
        ours = [json.loads(line) for line in self.call("sql", "--json", query).stdout.splitlines()]
        loss = self.series("--run", "first", "--tag", "^loss$")["first", "loss"]
        self.tap.point("points are what was logged", [row["value"] for row in ours]
                       == loss["values"] and [row["step"] for row in ours] == loss["steps"])
        with sqlite3.connect(self.workspace / "sluice.db") as database:
            theirs = database.execute(query).fetchall()
        self.tap.point("any SQLite reads the same", theirs
                       == list(zip(loss["steps"], loss["values"])), theirs[:3])
        row = self.call("sql", "SELECT 1 AS a, NULL AS b, 'x' AS c, x'0f' AS d, 0.5 AS e")
        self.tap.point("text has tabs", row.stdout == "a\tb\tc\td\te\n1\t\tx\tx'0f'\t0.5\n", row)
        before = (self.workspace / "sluice.db").read_bytes()
        for query in ("DELETE FROM runs", "CREATE TABLE x (y)", "ATTACH 'x' AS y",
                      "SELECT 1; SELECT 2", "PRAGMA user_version = 1"):
            self.check(f"not read: {query}", self.call("sql", query), 1, "SELECT")
        self.check("no SQL", self.call("sql", "SELEC"), 1, "syntax error")
        self.check("two queries", self.call("sql", "SELECT 1", "SELECT 2"), 2, "one QUERY")
        self.tap.point("nothing was written", before == (self.workspace / "sluice.db").read_bytes())

    def export(self):
        out = {form: self.folder / f"out-{form}" for form in ("csv", "jsonl", "tfevents")}
        for form, path in out.items():
            run = self.call("export", "--run", "first", "--format", form, "--out", path, "--json")
            self.check(f"export {form}", run, 0, '"records":')
        every = self.series("--run", "first")
        lines = [json.loads(line) for line in out["jsonl"].read_text().splitlines()]
        self.tap.point("jsonl is what log says", lines == list(every.values()))
        with open(out["csv"], encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        loss = [row for row in rows if row["tag"] == "loss"]
        self.tap.point("csv has a row a record", len(rows) == sum(s["n"] for s in every.values())
                       and [float(row["value"]) for row in loss] == every["first", "loss"]["values"]
                       and json.loads(next(row["value"] for row in rows if row["tag"] == "words"))
                       == ["# one", "two"], rows[:3])
        files = list(out["tfevents"].iterdir())
        data, at, n = files[0].read_bytes(), 0, 0
        while at < len(data):
            length, = struct.unpack_from("<Q", data, at)
            at, n = at + 16 + length, n + 1
        self.tap.point("tfevents is one event file of whole records", len(files) == 1
                       and ".tfevents." in files[0].name and at == len(data)
                       and n == len(rows) + 1, files)
        self.tap.point("with the metadata that came with a tensor", # beside its constant
                       data.count(metadata("mesh")) == 2)
        again = self.call("export", "--run", "first", "--format", "tfevents", "--out",
                          out["tfevents"])
        self.check("not into a folder that has one", again, 1, "event files already")
        self.check("no such format", self.call("export", "--run", "first", "--format", "xml",
                                               "--out", "x"), 2, "tfevents, csv or jsonl")
        self.check("no run named", self.call("export", "--format", "csv", "--out", "x"), 2, "--run")
        inside = self.call("export", "--run", "first", "--format", "csv", "--out", files[0] / "x")
        self.check("into what is no folder", inside, 1, "folder")

    def old(self):
        """A workspace of the first version, whose numbers are not all finite."""
        source = self.samples.parents[1] / "tests" / "engine" / "store" / "data" / "v1.db"
        self.workspace = self.folder / "old"
        self.workspace.mkdir()
        shutil.copy(source, self.workspace / "sluice.db")
        loss = self.series("--run", "first", "--tag", "loss")["first", "loss"]["values"]
        self.tap.point("numbers that are not finite are strings", loss[13] == "NaN"
                       and loss[7] == "Infinity" and loss[5] == "-Infinity"
                       and math.isclose(loss[1], 919 / 7 - 60), loss[:14])
        self.tap.point("and the database from before lies beside it",
                       (self.workspace / "sluice.db.v1").exists())
        os.truncate(self.workspace / "sluice.db.v1", 0)
        with sqlite3.connect(self.workspace / "sluice.db") as database:
            database.execute("PRAGMA user_version = 1000")
        self.check("a newer one is refused by name", self.call("log"), 1, "newer Sluice")

    def run(self):
        self.train()
        self.log()
        self.sql()
        self.export()
        self.old()
        self.tap.end()


if __name__ == "__main__":
    Log(sys.argv[1], sys.argv[2]).run()
