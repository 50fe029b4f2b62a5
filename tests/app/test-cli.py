#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The sluice command, driven as a user drives it, as TAP.

usage: test-cli.py SLUICE SOURCE-FOLDER PLUGIN
"""
import ctypes
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

VERBS = ("train", "check", "draw", "run", "compare", "place", "trace", "info", "log", "sql",
         "export", "ops", "convert", "bench", "reindex", "checkpoints")
CAP_DAC_OVERRIDE = 1
PR_CAPBSET_DROP = 24
LIBC = ctypes.CDLL(None, use_errno=True)
GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "d" op: "Placeholder" attr { key: "dtype" value { type: DT_DOUBLE } } }
node { name: "twice" op: "Add" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "same" op: "Identity" input: "d" attr { key: "T" value { type: DT_DOUBLE } } }
"""
TWO_DEVICES = """
node { name: "x" op: "Placeholder" device: "/cpu:1"
       attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "far" op: "Neg" input: "x" device: "/cpu:7"
       attr { key: "T" value { type: DT_FLOAT } } }
"""
RACE = """
node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape {} } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 1 tensor_shape {} } } } }
node { name: "set" op: "Assign" input: "v" input: "one"
       attr { key: "T" value { type: DT_FLOAT } } }
node { name: "read" op: "Identity" input: "v" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "add" op: "AssignAdd" input: "v" input: "one"
       attr { key: "T" value { type: DT_FLOAT } } }
"""
def variable(name, *sizes):
    dims = "".join(f"dim {{ size: {size} }} " for size in sizes)
    return f"""
node {{ name: "{name}" op: "VariableV2" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
       attr {{ key: "shape" value {{ shape {{ {dims} }} }} }} }}
node {{ name: "{name}/read" op: "Identity" input: "{name}"
       attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}"""


def node(name, op, *inputs):
    return (f'node {{ name: "{name}" op: "{op}" '
            + "".join(f'input: "{one}" ' for one in inputs)
            + 'attr { key: "T" value { type: DT_FLOAT } } }')


# A column and a row that were not meant to make a matrix: of a variable and a value, as an initial
# value, of two values. A product of matrices and a bias are well.
BROADCASTS = f"""{variable("a/column", 3, 1)} {variable("a/row", 4)} {variable("a/wide", 3, 4)}
{variable("a/row/Adam", 4)} {variable("line", 1, 4)} {variable("bias", 1)}
node {{ name: "x" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
       attr {{ key: "shape" value {{ shape {{ dim {{ size: 3 }} }} }} }} }}
{node("neg", "Neg", "a/column/read")}
{node("mixed", "Mul", "a/column/read", "x")}
{node("begin", "Add", "neg", "a/row/read")}
{node("begin/copy", "Identity", "begin")}
{node("a/wide/Assign", "Assign", "a/wide", "begin/copy")}
{node("loss", "SquaredDifference", "neg", "x")}
{node("keeps", "Maximum", "neg", "bias/read")}
{node("product", "MatMul", "a/column/read", "line/read")}
{node("outer", "Sub", "neg", "lines")}
{node("lines", "Neg", "line/read")}
"""
LOOP = """
node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 0 tensor_shape {} } } } }
node { name: "in" op: "Enter" input: "zero" attr { key: "T" value { type: DT_FLOAT } }
       attr { key: "frame_name" value { s: "endless" } } }
node { name: "top" op: "Merge" input: "in" input: "next"
       attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
node { name: "true" op: "Equal" input: "top" input: "top"
       attr { key: "T" value { type: DT_FLOAT } } }
node { name: "go" op: "LoopCond" input: "true" }
node { name: "turn" op: "Switch" input: "top" input: "go"
       attr { key: "T" value { type: DT_FLOAT } } }
node { name: "next" op: "NextIteration" input: "turn:1"
       attr { key: "T" value { type: DT_FLOAT } } }
node { name: "out" op: "Exit" input: "turn" attr { key: "T" value { type: DT_FLOAT } } }
"""


def read_tensors(path):
    """Of a safetensors file: name -> dtype, shape, bytes."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], entry["shape"],
                   data[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]])
            for name, entry in header.items()}


def obey_permissions():
    """Between fork and exec: what root runs is held to the permissions of files, too."""
    if os.geteuid() == 0 and LIBC.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


class Cli:
    def __init__(self, sluice, source, plugin):
        self.tap = Tap()
        self.sluice = sluice
        self.plugin = plugin
        self.samples = pathlib.Path(source) / "data" / "samples"
        self.mlp = self.samples / "digits-mlp"
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.workspace = self.folder / "workspace"

    def call(self, *arguments, **options):
        command = [self.sluice, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}, **options)

    def train(self, *arguments, **options):
        return self.call("train", "--workspace", self.workspace, *arguments, **options)

    def check(self, name, run, status, *words):
        """A point: the exit status, and what is said on stdout, or on stderr where it failed."""
        said = run.stdout if status == 0 else run.stderr
        self.tap.point(name, run.returncode == status and all(word in said for word in words),
                       f"status {run.returncode}, wanted {status}: {words}", run.stdout, run.stderr)

    def check_lines(self, name, *arguments):
        """JSON lines: each one object."""
        run = self.call(*arguments)
        try:
            lines = [json.loads(line) for line in run.stdout.splitlines()]
        except json.JSONDecodeError as error:
            lines = [error]
        self.tap.point(name, run.returncode == 0 and all(isinstance(one, dict) for one in lines),
                       lines, run.stdout[:400], run.stderr)
        return lines

    def check_json(self, name, *arguments):
        lines = self.check_lines(name, *arguments)
        return lines[0] if len(lines) == 1 else {}

    def copy_project(self, name, *replacements):
        """A sample of one's own, with its data beside it."""
        folder = self.folder / name
        shutil.copytree(self.mlp, folder / "project")
        shutil.copytree(self.samples / "data", folder / "data")
        ini = folder / "project" / "project.ini"
        text = ini.read_text()
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        ini.write_text(text)
        return folder / "project"

    # -- help --

    def help(self):
        self.check("without a verb the verbs are told", self.call(), 2, *VERBS)
        self.check("--help tells the verbs", self.call("--help"), 0, *VERBS)
        self.check("--version", self.call("--version"), 0, "sluice ")
        self.check("a man page of all verbs", self.call("--man"), 0,
                   *(f".SS {verb} " for verb in VERBS))
        self.check("an unknown verb", self.call("tarin"), 2, "no verb 'tarin'")
        for verb in VERBS:
            self.check(f"{verb} --help", self.call(verb, "--help"), 0, f"sluice {verb}", "--json")
            self.check(f"{verb} with an unknown option", self.call(verb, "--nonsense"), 2,
                       f"Try 'sluice {verb} --help'")

    # -- training --

    def train_plain(self):
        run = self.train(self.mlp, "--steps", 300, "--run", "plain")
        self.check("train says how it ended", run, 0, "run plain: finished at step 300",
                   "test accuracy 0.", f"workspace {self.workspace}")
        self.tap.point("without a terminal there are plain lines", "\r" not in run.stdout
                       and "\x1b" not in run.stdout, run.stdout)
        with sqlite3.connect(self.workspace / "sluice.db") as database:
            row = database.execute("SELECT state, step, n_steps FROM runs").fetchall()
        self.tap.point("the run is in the database", row == [(4, 300, 300)], row)
        checkpoints = sorted(path.name for path in self.workspace.glob("runs/1/checkpoints/*"))
        self.tap.point("so is its checkpoint", checkpoints == ["step-0000000300.safetensors"],
                       checkpoints)
        header = (self.workspace / "runs/1/checkpoints" / checkpoints[0]).read_bytes()
        length = int.from_bytes(header[:8], "little")
        entries = json.loads(header[8:8 + length])
        state = json.loads(entries.pop("__metadata__")["sluice.state"])
        sizes = [entry["data_offsets"] for entry in entries.values()]
        self.tap.point("a checkpoint opens with ten lines of Python",
                       state["step"] == 300 and entries["hidden/weights"]["shape"] == [64, 128]
                       and max(end for _, end in sizes) == len(header) - 8 - length, entries)

    def train_finished(self):
        run = self.train("--resume", "plain")
        self.check("a finished run has no further steps", run, 0,
                   "run plain: finished at step 300, no further steps,", ", 0 points saved",
                   "It had finished before", "--resume plain --steps N")

    def train_json(self):
        run = self.train(self.mlp, "--steps", 2000, "--run", "json", "--json")
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        last = lines[-1]
        self.tap.point("train --json is JSON lines", run.returncode == 0 and last["run"] == "json"
                       and last["state"] == "finished" and last["step"] == 2000
                       and last["committed_step"] == 2000 and last["checkpoint"] == 2000, last)
        steps = [line["step"] for line in lines]
        committed = [line["committed_step"] for line in lines]
        self.tap.point("steps and acknowledgements only grow",
                       steps == sorted(steps) and committed == sorted(committed)
                       and all(c <= s for c, s in zip(committed, steps)), lines)

    def train_wrong(self):
        cases = (
            ("an option mistyped", ["--set", "stpes=1"], 1, ["did you mean 'steps'"]),
            ("a parameter mistyped", ["--set", "learning-rat=1"], 1, ["'learning-rate'"]),
            ("a value that is none", ["--set", "learning-rate=fast"], 1, ["must be a number"]),
            ("no step", ["--steps", "0"], 1, ["above 0"]),
            ("steps that are no number", ["--steps", "many"], 1, ["whole number"]),
            ("a seed below 0", ["--seed", "-1"], 1, ["whole number"]),
            ("threads below 0", ["--threads", "-1"], 2, ["--threads"]),
            ("a loss that is not there", ["--set", "loss=lost:0"], 1, ["lost"]),
            ("two projects", [self.mlp], 2, ["give one PROJECT"]),
        )
        for name, arguments, status, words in cases:
            self.check(f"train: {name}", self.train(self.mlp, *arguments), status, *words)
        self.check("train: no project", self.train(), 2, "give one PROJECT")
        self.check("train: no such folder", self.train(self.folder / "none"), 1, "project.ini")
        self.check("train: no such run", self.train("--resume", "jsn"), 1, "did you mean 'json'")
        self.check("train: a checkpoint that is not there",
                   self.train("--resume", "json", "--from", 7), 1, "step 7")
        with sqlite3.connect(self.workspace / "sluice.db") as database:
            names = [name for name, in database.execute(
                "SELECT name FROM runs WHERE deleted IS NULL ORDER BY id")]
        self.tap.point("what could not start leaves no run", names == ["plain", "json"], names)

    def start(self, *arguments):
        """A run under way, once it has made steps."""
        command = [self.sluice, "train", "--workspace", self.workspace, "--json", *arguments]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        while json.loads(line)["step"] == 0:
            line = process.stdout.readline()
        return process

    def interrupt(self):
        for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
            run = f"stopped-{int(number)}"
            process = self.start(self.mlp, "--run", run, "--steps", 10000000)
            process.send_signal(number)
            out, _ = process.communicate(timeout=60)
            last = json.loads(out.splitlines()[-1])
            self.tap.point(f"{name} saves and ends with 130", process.returncode == 130
                           and last["state"] == "stopped" and last["checkpoint"] == last["step"],
                           process.returncode, last)
        steps = last["step"] + 100
        self.check("it goes on from there", self.train("--resume", run, "--steps", steps), 0,
                   f"finished at step {steps}")
        process = subprocess.Popen([self.sluice, "train", "--workspace", self.workspace, self.mlp,
                                    "--run", "text", "--steps", "10000000"],
                                   stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.tap.point("and says how to go on", process.returncode == 130
                       and re.search(r"sluice train --workspace '.*' --resume text", out), out)

    def crash(self):
        process = self.start(self.mlp, "--run", "crashed", "--steps", 10000000)
        process.send_signal(signal.SIGINT)
        process.communicate()
        process = self.start("--resume", "crashed", "--set", "checkpoint-every=0")
        other = self.train("--resume", "crashed")
        self.check("a run under way cannot be resumed by another program", other, 1,
                   "trained by another program")
        self.wait_committed(process)
        process.kill()
        process.communicate()
        runs = self.check_lines("info lists runs", "info", "--workspace", self.workspace, "--json")
        states = {run["name"]: run["state"] for run in runs}
        self.tap.point("a killed run has crashed", states.get("crashed") == "crashed", states)
        run = self.train("--resume", "crashed", "--steps", 10000000, "--set", "seed=x")
        self.check("settings of a resumed run are checked", run, 1, "whole number")
        self.resume_crashed("crashed", "goes on from the checkpoint of step")
        process = self.start(self.mlp, "--run", "unsaved", "--steps", 10000000, "--set",
                             "checkpoint-every=0")
        self.wait_committed(process)
        process.kill()
        process.communicate()
        self.resume_crashed("unsaved", "begins again at step 0", "no checkpoint of it was saved")

    @staticmethod
    def wait_committed(process):
        """Until steps after its newest checkpoint outlive it."""
        line = json.loads(process.stdout.readline())
        while line["committed_step"] <= max(0, line["checkpoint"]):
            line = json.loads(process.stdout.readline())

    def resume_crashed(self, run, *words):
        process = self.start("--resume", run)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        self.tap.point(f"{run}: it goes on, and says from where", process.returncode == 130
                       and all(word in said for word in words), process.returncode, said)

    # -- what is in the way --

    def bad_workspaces(self):
        self.check("a workspace below a file", self.call(
            "train", self.mlp, "--workspace", self.mlp / "project.ini" / "w"), 1,
                   "cannot be written")
        locked = self.folder / "read-only"
        locked.mkdir(mode=0o555)
        run = self.call("train", self.mlp, "--workspace", locked, preexec_fn=obey_permissions)
        self.check("a workspace that is read-only", run, 1, "read-only", "--workspace")
        newer = self.folder / "newer"
        newer.mkdir()
        with sqlite3.connect(newer / "sluice.db") as database:
            database.execute("PRAGMA user_version = 1000")
        self.check("a workspace of a newer version",
                   self.call("train", self.mlp, "--workspace", newer), 1, "newer Sluice")
        garbage = self.folder / "garbage"
        garbage.mkdir()
        (garbage / "sluice.db").write_bytes(b"This is no database. " * 1000)
        self.check("a workspace whose database is none",
                   self.call("train", self.mlp, "--workspace", garbage), 1, "damaged or is none")

    def full_disk(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (600000, 600000))

        workspace = ["--workspace", self.folder / "full"]
        run = self.call("train", self.mlp, *workspace, "--run", "full", "--steps", 200000,
                        preexec_fn=small_files)
        self.tap.point("where nothing more can be written, training says so and ends",
                       run.returncode == 1 and run.stderr.startswith("sluice train:"),
                       run.returncode, run.stdout, run.stderr)
        process = self.start("--resume", "full", *workspace)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.tap.point("and goes on when there is room", process.returncode == 130)

    def bad_data(self):
        absent = self.copy_project("absent", ("train-labels-idx1", "train-lables-idx1"))
        self.check("a data file that is not there", self.train(absent), 1, "train-lables-idx1")
        torn = self.copy_project("torn")
        path = torn.parent / "data/digits/train-images-idx3-ubyte.gz"
        path.write_bytes(path.read_bytes()[:5000])
        self.check("a data file that is cut off", self.train(torn), 1, "train-images", "cut off")
        other = self.copy_project("other", ("source=idx", "source=npy"))
        self.check("a data file of another format", self.train(other), 1, "no NumPy file")
        shape = self.copy_project("shape", ("shape=8;8;1", "shape=4;16;1"))
        self.check("data that do not fit the graph", self.train(shape), 1, "[64,4,16,1]",
                   "[?,8,8,1]")

    # -- the other verbs --

    def place(self):
        graph = self.folder / "two.pbtxt"
        graph.write_text(TWO_DEVICES)
        self.check("place", self.call("place", graph, "--cpus", 8), 0, "x\tCPU:1\texplicit",
                   "far\tCPU:7")
        run = self.call("place", graph, "--cpus", 2, "--strict-devices")
        self.tap.point("place tells what can stand nowhere", run.returncode == 1
                       and "far\t-\t" in run.stdout and "'/cpu:7' does not exist" in run.stdout
                       and "CPU:0, CPU:1" in run.stdout, run.stdout)
        run = self.call("place", graph, "--cpus", 2)
        self.tap.point("place: what is not here is placed here, and said once", run.returncode == 0
                       and "far\tCPU:0\tsoft: asks for '/cpu:7'" in run.stdout
                       and run.stderr == "1 node asks for /cpu:7, which is not here: it stands on "
                       "CPU:0\n", run.stdout, run.stderr)
        told = self.check_json("place --json", "place", self.mlp, "--json").get("nodes", {})
        self.tap.point("every node has a device and a reason", len(told) > 0 and all(
            n["device"].endswith("CPU:0") and n["reason"] for n in told.values()))
        self.check("place of nothing", self.call("place", self.folder / "none"), 1, "none")
        self.check("place on no device", self.call("place", graph, "--cpus", 0), 2, "--cpus")

    def races(self):
        graph = self.folder / "race.pbtxt"
        graph.write_text(RACE)
        step = ("check", graph, "--fetch", "read:0", "--target", "add")
        self.check("check tells races", self.call(*step), 0, "'v'", "'read' reads", "'add' writes")
        told = self.check_lines("check --json", *step, "--json")
        self.tap.point("they are warnings", [p["severity"] for p in told[:-1]] == ["warning"]
                       and told[-1] == {"errors": 0, "warnings": 1}, told)
        self.check("a step alone has none", self.call("check", graph, "--target", "add"), 0,
                   "No problems")
        self.check("check of a step that cannot be", self.call("check", graph, "--target", "ad"), 1)

    def trace(self):
        chrome = self.folder / "t.json"
        self.check("trace", self.call("trace", self.mlp, "--out", chrome, "--steps", 2), 0,
                   "2 steps")
        events = json.loads(chrome.read_text())["traceEvents"]
        nodes = [e for e in events if e["ph"] == "X"]
        self.tap.point("it holds both steps", {e["args"]["step"] for e in nodes} == {3, 4})
        self.tap.point("it names devices and lanes",
                       {"process_name", "thread_name"} <= {e["name"] for e in events})
        self.tap.point("it tells memory", any(e["ph"] == "C" and e["args"]["bytes"] > 0
                                              for e in events)
                       and any(e["args"]["bytes_in"] > 0 for e in nodes))
        for name in ("t.pftrace", "t.pb", "t.sltrace", "t.db", "events.out.tfevents.1"):
            self.check(f"trace into {name}",
                       self.call("trace", self.mlp, "--out", self.folder / name), 0, "1 steps")
            self.tap.point(f"{name} is there", (self.folder / name).stat().st_size > 1000)
        graph = self.folder / "graph.pbtxt"
        graph.write_text(GRAPH)
        feed = ("--feed", "x:0=3", "--fetch", "twice:0")
        told = self.check_json("trace of a graph --json", "trace", graph, *feed, "--format=chrome",
                               "--out", self.folder / "by-flag", "--json")
        self.tap.point("an event", (told["events"], told["lost"]) == (1, 0), told)
        for name, arguments, status, words in (
                ("nowhere", [graph, *feed], 2, ["--out", "--memory-log"]),
                ("memory into nowhere", [graph, *feed, "--memory-log", "/dev/null/m"], 1,
                 ["/dev/null"]),
                ("in no format", [graph, *feed, "--out", "t.txt"], 2, [".pftrace"]),
                ("of no step", [graph, "--out", chrome], 2, ["--fetch"]),
                ("of a project's fetch", [self.mlp, "--out", chrome, *feed], 2, ["its own"]),
                ("into nowhere", [graph, *feed, "--out", "/dev/null/t.json"], 1, ["/dev/null"]),
                ("of nothing", [self.folder / "none", *feed, "--out", chrome], 1, ["none"])):
            self.check(f"trace {name}", self.call("trace", *arguments), status, *words)

    def look(self):
        self.check("info", self.call("info"), 0, "Sluice", "ops")
        devices = self.check_json("info --json", "info", "--json").get("devices", [])
        names = [d["device"].split(":")[0] for d in devices if d["description"]]
        self.tap.point("CPU and CUDA are told", names[:1] == ["CPU"] and "CUDA" in names,
                       devices)
        self.check("info of a graph", self.call("info", self.mlp / "model.pbtxt"), 0, "nodes")
        corpus = self.samples.parents[1] / "tests" / "engine" / "store" / "corpus"
        self.check("info of a bundle", self.call("info", corpus / "v2" / "model.ckpt-20000"), 0,
                   "conv1/weights", "[5,5,1,6]")
        self.check("info of safetensors",
                   self.call("info", corpus / "safetensors" / "model.safetensors"), 0, "rank5")
        whole = self.check_json("info of a checkpoint --json",
                                "info", corpus / "partitioned_v1" / "model.ckpt-3", "--json")
        self.tap.point("its slices are counted",
                       [t["slices"] for t in whole["tensors"]] == [2, 3, 1], whole)
        self.check("info of nothing", self.call("info", self.folder / "none.pbtxt"), 1,
                   "none.pbtxt")
        self.parameters()
        self.ops()
        self.check("check of a sample", self.call("check", self.mlp), 0, "No problems")
        self.check_json("check --json", "check", self.mlp, "--json")
        self.check("check of nothing", self.call("check", self.folder / "none"), 1, "none")
        programs = self.samples.parents[1] / "tests" / "conformance" / "graphs"
        run = self.call("check", programs / "bad_frames.pb.gz")
        self.tap.point("check of a mixture of loops", run.returncode == 1
                       and "'sum' has inputs from different frames" in run.stdout, run.stdout,
                       run.stderr)
        bad = self.copy_project("bad", ("loss=loss/value:0", "loss=loss/valve:0"))
        run = self.call("check", bad)
        self.tap.point("check tells a problem", run.returncode == 1 and "loss/valve" in run.stdout,
                       run.stdout, run.stderr)

    def parameters(self):
        self.check("info --parameters", self.call("info", "--parameters", self.mlp), 0, "hidden",
                   "[64,128]", "8192", "Adam_1", "28833")
        told = self.check_json("info --parameters --json", "info", "--parameters", self.mlp,
                               "--json")
        self.tap.point("by use: trained, state of the optimizer, other",
                       {kind["kind"]: kind["elements"] for kind in told["kinds"]}
                       == {"trained": 9610, "slot": 19220, "other": 3} and not told["broadcasts"],
                       told["kinds"], told["broadcasts"])
        self.tap.point("scopes come to the same", sum(scope["bytes"] for scope in told["scopes"])
                       == sum(row["bytes"] for row in told["variables"]) == 115336)
        path = self.folder / "broadcasts.pbtxt"
        path.write_text("graph_def {" + BROADCASTS
                        + """} collection_def { key: "trainable_variables" value { bytes_list {
                        value: "\\n\\010a/column" value: "\\n\\007a/row:0" } } }""")
        told = self.check_json("of a MetaGraphDef", "info", "--parameters", path, "--json")
        self.tap.point("by its collection, and by name",
                       {row["name"]: row["kind"] for row in told["variables"]}
                       == {"a/column": "trained", "a/row": "trained", "a/row/Adam": "slot",
                           "a/wide": "other", "line": "other", "bias": "other"},
                       told["variables"])
        self.tap.point("broadcasts of both operands are told",
                       {one["node"]: (one["variable"], one["initial_value"], one["result"])
                        for one in told["broadcasts"]}
                       == {"mixed": ("a/column", False, [3, 3]),
                           "begin": ("a/wide", True, [3, 4]), "loss": (None, False, [3, 3])},
                       told["broadcasts"])
        self.check("in words", self.call("info", "--parameters", path), 0,
                   "Mul 'mixed' makes [3,3] of [3,1] and [3]", "variable 'a/column'",
                   "variable 'a/wide' begins with that", "SquaredDifference 'loss'")
        path.write_text(path.read_text().replace("\\n\\010", "\\022\\010"))
        self.check("a collection that is damaged", self.call("info", "--parameters", path), 1,
                   "trainable_variables")
        self.check("of nothing", self.call("info", "--parameters"), 2, "--parameters")

    def convert(self):
        corpus = self.samples.parents[1] / "tests" / "engine" / "store" / "corpus"
        first, second = (self.folder / f"{name}.safetensors" for name in ("first", "second"))
        for name, source in (("a bundle", corpus / "v2_sharded" / "model.ckpt-7"),
                             ("slices", corpus / "partitioned_v2" / "model.ckpt-3"),
                             ("a V1 checkpoint", corpus / "partitioned_v1" / "model.ckpt-3")):
            self.check(f"{name} becomes safetensors",
                       self.call("convert", source, first, "--leave-out"), 0,
                       "tensors of a TensorFlow")
            self.check(f"{name} becomes a bundle again",
                       self.call("convert", first, self.folder / "bundle"), 0, "tensors of a safe")
            self.call("convert", self.folder / "bundle", second)
            self.tap.point(f"{name}: the same tensors come back",
                           first.exists() and len(read_tensors(first)) > 0
                           and read_tensors(first) == read_tensors(second))
        told = self.check_json("convert --json", "convert", first, second, "--json")
        self.tap.point("it tells what it wrote", told["tensors"] == len(read_tensors(first))
                       and told["left_out"] == [], told)
        objects = next((corpus / "object_based").glob("*.index"))
        self.check("what safetensors cannot hold", self.call("convert", objects, first), 1,
                   "_CHECKPOINTABLE_OBJECT_GRAPH", "string")
        self.check("it can be left out", self.call("convert", objects, first, "--leave-out"), 0,
                   "left out: _CHECKPOINTABLE_OBJECT_GRAPH")
        self.check("convert of nothing", self.call("convert", self.folder / "none", first), 1,
                   "none")
        self.check("convert into nowhere",
                   self.call("convert", first, "/dev/null/a.safetensors"), 1, "/dev/null")
        self.check("convert of one", self.call("convert", first), 2, "IN and OUT")

    def init_from(self):
        self.train(self.mlp, "--steps", 40, "--run", "taught")
        taught = self.newest("taught")
        bundle = self.folder / "taught-bundle"
        self.call("convert", taught, bundle)
        for name, checkpoint in (("safetensors", taught), ("bundle", bundle)):
            self.check(f"train --init-from {name}",
                       self.train(self.mlp, "--steps", 1, "--run", f"from-{name}", "--init-from",
                                  checkpoint), 0, "step 1")
            begun = self.newest(f"from-{name}").parent / "step-0000000000.safetensors"
            self.tap.point(f"its variables begin with those of the {name}",
                           read_tensors(begun) == read_tensors(taught))
        corpus = self.samples.parents[1] / "tests" / "engine" / "store" / "corpus"
        other = corpus / "v2" / "model.ckpt-20000"
        names = [name for name in read_tensors(taught) if name != "global_step"]
        self.check("all that another checkpoint lacks is told",
                   self.train(self.mlp, "--run", "wrong", "--init-from", other), 1,
                   *(f"'{name}'" for name in names), "--init-partly")
        with sqlite3.connect(self.workspace / "sluice.db") as database:
            rows = database.execute("SELECT name FROM runs WHERE name = 'wrong'").fetchall()
        self.tap.point("no run is left of it", rows == [], rows)
        self.check("unless it may", self.train(self.mlp, "--steps", 1, "--run", "partly",
                                               "--init-from", other, "--init-partly"), 0, "step 1")
        lenet = self.samples / "digits-lenet"
        self.check("what has another shape is told",
                   self.train(lenet, "--run", "wrong", "--init-from", taught), 1,
                   "'logits/weights' is float[128,10] there and float[64,10] in the graph",
                   "--init-partly")
        self.check("and keeps its initial value where it may",
                   self.train(lenet, "--steps", 1, "--run", "half", "--init-from", taught,
                              "--init-partly"), 0, "step 1")
        half = read_tensors(self.newest("half").parent / "step-0000000000.safetensors")
        self.tap.point("what fits has the checkpoint's value",
                       half["logits/biases"] == read_tensors(taught)["logits/biases"])
        wide = self.copy_project("wide")
        model = wide / "model.pbtxt"
        model.write_text(model.read_text().replace("hidden/", "hiddem/"))
        self.check("near names are told", self.train(wide, "--init-from", taught), 1,
                   "'hiddem/weights' (is it 'hidden/weights'?)")
        self.check("--init-from of a run that goes on",
                   self.train("--resume", "taught", "--init-from", taught), 2, "--init-from")

    def newest(self, run):
        """The last checkpoint of a run."""
        with sqlite3.connect(self.workspace / "sluice.db") as database:
            number, = database.execute("SELECT id FROM runs WHERE name = ?", (run,)).fetchone()
        return max(self.workspace.glob(f"runs/{number}/checkpoints/*.safetensors"))

    def ops(self):
        self.check("ops", self.call("ops"), 0, "MatMul", "Conv2D")
        self.check("ops of one", self.call("ops", "MatMul"), 0, "`transpose_a`", "-> product: T",
                   "float[3,4], float[4,5] -> float[3,5]")
        one = self.check_json("ops of one --json", "ops", "MatMul", "--json")
        self.tap.point("attributes come with type, choice and default",
                       {"name": "transpose_a", "type": "bool", "allowed": None,
                        "default": "false"} in one["attributes"] and one["tier"] == 1
                       and one["gradient"] and not one["stateful"], one)
        self.tap.point("kernels come with ranks and dtypes",
                       all("double" in kernel["dtypes"]["T"] for kernel in one["kernels"])
                       and 0 in [kernel["rank"] for kernel in one["kernels"]], one)
        self.check("ops of none", self.call("ops", "MatMull"), 1, "MatMul")
        self.check("ops of one and of tiers", self.call("ops", "MatMul", "--tiers"), 2, "--tiers")
        every = self.check_lines("ops --json", "ops", "--json")
        self.tap.point("every op has a summary and a signature",
                       all(op["summary"] and op["signature"] for op in every))
        self.op_tiers(every)
        self.op_pages(every)

    def op_tiers(self, every):
        self.check("ops --tiers", self.call("ops", "--tiers"), 0, "tier 1: 125 of 125 ops")
        tiers = self.check_lines("ops --tiers --json", "ops", "--tiers", "--json")
        self.tap.point("all that is wanted is counted",
                       [tier["ops"] for tier in tiers] == [125, 149, 389]
                       and all(tier["done"] + len(tier["missing"]) == tier["ops"]
                               for tier in tiers), tiers)
        have = [{op["name"] for op in every if op["tier"] == tier["tier"] and op["kernels"]}
                  for tier in tiers]
        self.tap.point("what has kernels is done",
                       not any(has & set(tier["missing"]) for has, tier in zip(have, tiers)),
                       tiers)
        # No kernel: the executor's own, and a call that is written out.
        self.tap.point("loops and calls are done",
                       not {"Enter", "While"} & {op for tier in tiers for op in tier["missing"]},
                       tiers)

    def op_pages(self, every):
        folder = self.folder / "pages"
        self.check("ops --pages", self.call("ops", "--pages", folder), 0)
        sections = ["Signature", "Attributes", "Shapes", "Example", "Gradient", "Kernels", "Kind"]
        pages = {path.stem: path.read_text() for path in folder.glob("*.md")}
        index = pages.pop("index")
        self.tap.point("each op has a page", set(pages) == {op["name"] for op in every})
        bad = [name for name, text in pages.items()
               if re.findall("^## (.*)$", text, re.MULTILINE) != sections
               or not text.startswith(f"# {name}\n")]
        self.tap.point("each page has its sections", bad == [], bad)
        bad = [name for name in pages if f"[{name}]({name}.md)" not in index]
        self.tap.point("the index links them all", bad == [], bad)
        man = self.call("--man").stdout
        bad = [name for name in pages if f".B {name}\n" not in man]
        self.tap.point("the man page lists them all", bad == [], bad)
        self.check("pages where there can be none",
                   self.call("ops", "--pages", "/dev/null/pages"), 1, "/dev/null/pages")

    def run_graph(self):
        graph = self.folder / "graph.pbtxt"
        graph.write_text(GRAPH)
        self.check("run", self.call("run", graph, "--feed", "x:0=[1,2.5]", "--fetch", "twice:0"), 0,
                   "twice:0", "5")
        self.check("run with a scalar", self.call("run", graph, "--feed", "d:0=1.5", "--fetch",
                                                  "same:0"), 0, "same:0 = double [] = 1.5")
        self.check_json("run --json", "run", graph, "--feed", "x:0=3", "--fetch", "twice:0",
                        "--json")
        for name, arguments, status, words in (
                ("of nothing", [], 2, ["--fetch"]),
                ("unfed", ["--fetch", "twice:0"], 1, ["'x'"]),
                ("of an unknown node", ["--fetch", "twcie:0"], 1, ["twcie"]),
                ("a feed that is no number", ["--feed", "x:0=1,a", "--fetch", "twice:0"], 1,
                 ["'a'"]),
                ("several numbers without brackets", ["--feed", "x:0=1,2", "--fetch", "twice:0"], 1,
                 ["[ ]"]),
                ("a feed without a value", ["--feed", "x:0", "--fetch", "twice:0"], 1,
                 ["EDGE=VALUE"]),
                ("a feed file that is not there", ["--feed", "x:0=no.npy", "--fetch", "twice:0"], 1,
                 ["no.npy"]),
                ("no device", ["--cpus", "0", "--fetch", "twice:0"], 2, ["--cpus"]),
                ("a limit that is none", ["--memory-limit", "64Q", "--fetch", "twice:0"], 2,
                 ["64Q"]),
                ("a limit beyond all", ["--memory-limit", "9999999999T", "--fetch", "twice:0"], 2,
                 ["9999999999T"]),
                ("too little memory", ["--memory-limit", "1K", "--feed", f"x:0={[1] * 1000}",
                                       "--fetch", "twice:0"], 1,
                 ["'twice'", "float [1000] (4000 bytes)", "CPU:0 may use 1.0"])):
            self.check(f"run: {name}", self.call("run", graph, *arguments), status, *words)
        feed = ("--feed", f"x:0={[1] * 1000}", "--fetch", "twice:0", "--memory")
        self.check("run --memory", self.call("run", graph, *feed, "--memory-limit", "1M"), 0,
                   "CPU:0", "'twice', activation in", "float [1000]")
        lines = self.call("run", graph, *feed, "--json").stdout.strip().splitlines()
        device = json.loads(lines[-1])["memory"][0]
        held = sum(holder["bytes"] for holder in device["holders"])
        self.tap.point("run --memory --json",
                       device["peak_bytes"] == held == sum(device["classes"].values())
                       and device["holders"][0]["node"] == "'twice'", device)
        self.check("train --memory", self.call(
            "train", "--workspace", self.folder / "memory", self.mlp, "--steps", 20, "--memory",
            "--memory-limit", "64M", "--recompute"), 0, "parameter", "gradient",
            "finished at step 20")
        self.check("run --explain list", self.call("run", "--explain", "list"), 0, "prune",
                   "fuse", "--recompute")
        passes = json.loads(self.call("run", "--explain", "list", "--json").stdout)["passes"]
        for entry in passes:
            options = {"recompute": ["--recompute"], "fit": ["--fit", "64M"]}.get(
                entry["option"], ["--ordered"])
            if entry["option"] in (None, "recompute", "ordered", "fit"):
                said = self.call("run", graph, "--explain", entry["pass"], *options, "--json",
                                 "--feed", "x", "--fetch", "twice:0")
                self.tap.point(f"run --explain {entry['pass']}",
                               json.loads(said.stdout)["pass"] == entry["pass"], said.stderr)
        self.check("run --explain prune", self.call("run", graph, "--explain", "prune", "--feed",
                                                    "x", "--fetch", "twice:0"), 0,
                   "+ twice = ", "(<x>", "+ fetch twice")
        self.check("run --explain of no pass", self.call("run", graph, "--explain", "prnue",
                                                         "--fetch", "twice:0"), 1, "'prnue'",
                   "prune")
        self.check("run --explain of a pass that does not run", self.call(
            "run", graph, "--explain", "order", "--feed", "x", "--fetch", "twice:0"), 1, "ordered")
        graph.write_text(LOOP)
        self.check("run: an endless loop", self.call("run", graph, "--fetch", "out:0",
                                                     "--max-iterations", 1000), 1,
                   "'endless'", "1000")
        graph.write_text(RACE)
        self.check("run --ordered", self.call("run", graph, "--ordered", "--nan-guard",
                                              "--truncate", "--recompute", "--target", "set",
                                              "--fetch", "add:0"),
                   0, "add:0 = float [] = 2")

    def run_values(self):
        """--feed and --json as the contract has them, for every kind of value."""
        graph = self.folder / "values.pbtxt"
        kinds = {"f": "FLOAT", "h": "HALF", "d": "DOUBLE", "i": "INT64", "b": "UINT8",
                 "u": "UINT64", "t": "BOOL", "s": "STRING", "z": "COMPLEX64"}
        graph.write_text("".join(
            f'node {{ name: "{name}" op: "Placeholder" attr {{ key: "dtype" value {{ '
            f"type: DT_{kind} }} }} }}\n" for name, kind in kinds.items()))
        for feed, want in (
                ("f=[[1,2.5],[-3,1e-3]]", [[1, 2.5], [-3, 0.001]]), ("f=0.1", 0.1),
                ("f=[nan, inf,-inf]", ["NaN", "Infinity", "-Infinity"]), ("f=[]", []),
                ("f=[[],[]]", [[], []]), ("d=0.1", 0.1), ("h=[0.5]", [0.5]),
                ("i=[9223372036854775807,-9223372036854775808]", [2**63 - 1, -2**63]),
                ("i=3.0", 3), ("u=18446744073709551615", 2**64 - 1), ("b=[0,255]", [0, 255]),
                ("t=[true,0,False]", [True, False, False]),
                ("z=[1+2j,-3j,4]", [[1, 2], [0, -3], [4, 0]]),
                ('s="a \\"b\\\\\\n[1]"', 'a "b\\\n[1]'), ('s=["a",""]', ["a", ""]),
                (r's="\xff\x00"', {"b64": "/wA="})):
            run = self.call("run", graph, "--feed", feed, "--fetch", feed[0] + ":0", "--json")
            self.tap.point(f"run --json: {feed}", run.returncode == 0
                           and run.stdout.count("\n") == 1
                           and json.loads(run.stdout) == {feed[0] + ":0": want}, run.stdout,
                           run.stderr)
        for feed, words in (("f=[[1,2],[3]]", ["equally long"]), ("f=[1,[2]]", ["deeper"]),
                            ("f=[1,2", ["']'"]), ('f="a"', ["float"]), ("s=a", ['"a"']),
                            ('s="a', ["closed"]), ("i=1.5", ["'1.5'", "int64"]),
                            ("b=256", ["'256'", "uint8"]), ("u=-1", ["'-1'"]), ("t=2", ["'2'"]),
                            ("z=1+", ["'1+'"]), ("f=" + "[" * 5000, ["deeper"]),
                            ("f=", ["missing"])):
            self.check(f"run: a feed that is none: {feed[:20]}", self.call(
                "run", graph, "--feed", feed, "--fetch", feed[0] + ":0"), 1, "--feed " + feed[0],
                       *words)

    def load(self):
        graph = self.samples / "plugin" / "mish.pbtxt"
        self.check("ops of a plugin", self.call("ops", "Mish", "--load", self.plugin), 0,
                   "softplus", "## Gradient\n\nyes.")
        self.check("a graph with an op of a plugin", self.call(
            "run", graph, "--load", self.plugin, "--feed", "x:0=0", "--fetch", "y:0"), 0, "0")
        self.check("the same without the plugin", self.call(
            "run", graph, "--feed", "x:0=0", "--fetch", "y:0"), 1, "Mish")
        self.check("a plugin that is none", self.call("ops", "--load", graph), 1, "mish.pbtxt")

    def draw(self):
        magic = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "dot": b"digraph"}
        for kind, start in magic.items():
            out = self.folder / f"graph.{kind}"
            run = self.call("draw", self.mlp, "--out", out)
            head = out.read_bytes().lstrip()[:200] if out.exists() else b""
            self.tap.point(f"draw a graph as {kind}", run.returncode == 0 and start in head,
                           run.stderr, head)
        out = self.folder / "charts.png"
        run = self.call("draw", self.mlp, "--charts", "--workspace", self.workspace, "--run",
                        "json", "--out", out)
        self.tap.point("draw charts", run.returncode == 0 and out.read_bytes()[:4] == magic["png"],
                       run.stderr)
        self.check("draw nowhere", self.call("draw", self.mlp), 2, "--out")
        self.check("draw as nothing known", self.call("draw", self.mlp, "--out", "a.gif"), 2,
                   ".png")
        self.check("draw where nothing can be written",
                   self.call("draw", self.mlp, "--out", self.folder / "none" / "a.png"), 1, "a.png")
        self.check("draw the charts of no run", self.call(
            "draw", self.mlp, "--charts", "--workspace", self.workspace, "--run", "jsn", "--out",
            out), 1, "json")

    def bench(self):
        value = self.check_json("bench --json", "bench", self.mlp, "--seconds", 0.3, "--json")
        self.tap.point("bench measures", value.get("value", 0) > 0, value)

    def run(self):
        for part in (self.help, self.train_plain, self.train_finished, self.train_json,
                     self.train_wrong, self.interrupt,
                     self.crash, self.bad_workspaces, self.full_disk, self.bad_data, self.look,
                     self.place, self.races, self.trace, self.run_graph, self.run_values, self.load,
                     self.draw, self.convert, self.init_from, self.bench):
            part()
        self.temporary.cleanup()
        self.tap.end()


Cli(*sys.argv[1:]).run()
