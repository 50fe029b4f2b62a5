#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What the sluice command does with input that means harm or is a mistake, and what it says to
programs, as TAP.

usage: test-bad-input.py SLUICE SOURCE-FOLDER
"""
import gzip
import io
import json
import math
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

TIMEOUT = 60  # seconds; none of these takes two
GIB = 1 << 30


def string_const(name, value):
    return (f'node {{ name: "{name}" op: "Const" '
            f'attr {{ key: "dtype" value {{ type: DT_STRING }} }} '
            f'attr {{ key: "value" value {{ tensor {{ dtype: DT_STRING string_val: "{value}" '
            f'tensor_shape {{}} }} }} }} }}\n')


def files_graph(target):
    """Writes a file, and reads one."""
    return (string_const("file/name", target) + string_const("file/text", "written")
            + 'node { name: "write" op: "WriteFile" input: "file/name" input: "file/text" }\n'
            + 'node { name: "read" op: "ReadFile" input: "file/name" }\n')


def validate(value, shape, where=""):
    """What is wrong with a value that should have the shape of a line of --schemas, or nothing."""
    if isinstance(shape, str):
        kinds = shape.split("|")
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits = ("value" in kinds
                or ("null" in kinds and value is None)
                or ("string" in kinds and isinstance(value, str))
                or ("bool" in kinds and isinstance(value, bool))
                or ("int" in kinds and is_number and isinstance(value, int))
                or ("number" in kinds and (is_number and math.isfinite(value)
                                           or value in ("NaN", "Infinity", "-Infinity"))))
        return "" if fits else f"{where} is {value!r}, not {shape}"
    if isinstance(shape, list):
        if value is None:
            return ""
        if not isinstance(value, list):
            return f"{where} is no list"
        return next(filter(None, (validate(one, shape[0], where + "[]") for one in value)), "")
    if not isinstance(value, dict):
        return f"{where} is no object"
    if "*" in shape:
        return next(filter(None, (validate(one, shape["*"], f"{where}.{name}")
                                  for name, one in value.items())), "")
    names = {name.rstrip("?"): one for name, one in shape.items()}
    missing = [n for n in shape if not n.endswith("?") and n not in value]
    unknown = [n for n in value if n not in names]
    if missing or unknown:
        return f"{where} lacks {missing}, has {unknown} besides"
    return next(filter(None, (validate(one, names[name], f"{where}.{name}")
                              for name, one in value.items())), "")


class BadInput:
    def __init__(self, sluice, source):
        self.tap = Tap()
        self.sluice = sluice
        self.source = pathlib.Path(source)
        self.samples = self.source / "data" / "samples"
        self.mlp = self.samples / "digits-mlp"
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.workspace = self.folder / "workspace"

    def call(self, *arguments, **options):
        options.setdefault("env", {**os.environ, "LC_ALL": "C.UTF-8"})
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([self.sluice, *map(str, arguments)], stderr=subprocess.PIPE,
                              text=True, check=False, timeout=TIMEOUT, **options)

    def fails(self, name, words, *arguments, status=1, **options):
        """A point: it ends with that status and says so."""
        run = self.call(*arguments, **options)
        said = (run.stderr + (run.stdout or "")).replace("\u00a0", " ")
        self.tap.point(name, run.returncode == status and all(word in said for word in words),
                       f"status {run.returncode}, wanted {status}: {words}", said[-2000:])
        return run

    def project(self, name, *replacements):
        """A sample of one's own, with its data beside it."""
        folder = self.folder / name
        shutil.copytree(self.mlp, folder / "project")
        shutil.copytree(self.samples / "data", folder / "data")
        ini = folder / "project" / "project.ini"
        text = ini.read_text()
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new, 1)
        ini.write_text(text)
        return folder / "project"

    # -- sizes and counts --

    def sizes(self):
        huge = self.project("huge", ("batch=64", "batch=4000000000"))
        train = ("train", "--workspace", self.workspace)
        self.fails("a batch that no memory holds", ["batch=4000000000", "does not fit"], *train,
                   huge)
        self.fails("check says so too", ["batch=4000000000", "does not fit"], "check", huge)
        more = self.project("more", ("batch=64", "batch=4000000000000000000"))
        self.fails("a batch beyond all numbers", ["batch=4000000000000000000", "at most"], "check",
                   more)
        evaluate = self.project("evaluate", ("batch=120", "batch=9000000000"))
        run = self.call(*train, evaluate, "--steps", 1)
        self.tap.point("an evaluation of fewer than a batch needs no more memory",
                       run.returncode == 0, run.stderr)
        wide = self.folder / "wide.pbtxt"
        wide.write_text('node { name: "v" op: "VariableV2" attr { key: "dtype" value '
                        '{ type: DT_FLOAT } } attr { key: "shape" value { shape '
                        '{ dim { size: 4000000 } dim { size: 4000000 } } } } }')
        self.fails("variables that no memory holds", ["variables take", "TiB"], "check", wide)

    def counts(self):
        graph = self.mlp / "model.pbtxt"
        train = ("train", self.mlp, "--workspace", self.workspace)
        run = ("run", graph, "--target", "init")
        for verb, option in ((train, "--cpus"), (train, "--threads"), (run, "--cpus"),
                             (run, "--threads"), (("place", graph), "--cpus"),
                             (("place", graph), "--nulls"), (("compare", graph), "--cpus"),
                             (("bench", self.mlp), "--threads"),
                             (("trace", self.mlp, "--out", "t.json"), "--cpus")):
            for number in (1000000, 2 ** 32 + 1, -1):
                self.fails(f"{verb[0]} {option} {number}", [option, str(number), "at most 1024"],
                           *verb, option, number, status=2)
        for key, value in (("cpus", 100000000), ("steps", 2 ** 62), ("checkpoint-every", 2 ** 62)):
            self.fails(f"{key}={value} in a project", [f"{key}={value}", "at most"], *train,
                       "--set", f"{key}={value}")
        place = self.call("place", graph, "--cpus", 1024)
        self.tap.point("the most devices that there may be can be had", place.returncode == 0,
                       place.stderr)

    # -- files that are no files, and bombs --

    def special(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        images = "train-x=../data/digits/train-images-idx3-ubyte.gz"
        for path, kind in ((pipe, "a pipe"), ("/dev/zero", "character device")):
            for verb in ("check", "info", "place"):
                self.fails(f"{verb} of {kind}", [str(path), kind, "--special-files"], verb, path)
            name = pathlib.Path(path).name
            project = self.project(f"graph-{name}", ("graph=model.pbtxt", f"graph={path}"))
            self.fails(f"{kind} as a project's graph", [kind, "--special-files"], "check", project)
            project = self.project(f"data-{name}", (images, f"train-x={path}"))
            self.fails(f"{kind} as data", [kind, "--special-files"], "check", project)
        graph = (self.mlp / "model.pbtxt").read_bytes()
        run = subprocess.run([self.sluice, "check", "/dev/stdin", "--special-files"], input=graph,
                             capture_output=True, check=False, timeout=TIMEOUT)
        self.tap.point("a graph through a pipe, where it is asked for", run.returncode == 0,
                       run.stdout, run.stderr)
        shutil.copytree(self.mlp, self.folder / "ini")
        (self.folder / "ini" / "project.ini").unlink()
        os.mkfifo(self.folder / "ini" / "project.ini")
        self.fails("a pipe as project.ini", ["a pipe"], "check", self.folder / "ini")

    def bombs(self):
        bomb = self.folder / "bomb.gz"
        with gzip.open(bomb, "wb", 1) as out:
            for _ in range(300):
                out.write(bytes(1 << 20))

        def little_memory():
            if "ASAN_OPTIONS" not in os.environ:  # its shadow memory is terabytes of addresses
                resource.setrlimit(resource.RLIMIT_AS, (2 * GIB, 2 * GIB))

        self.fails("a graph that unpacks to 300 MiB of nothing",
                   ["bomb.gz", "256.0 MiB", "--unpack-limit"], "check", bomb)
        images = "train-x=../data/digits/train-images-idx3-ubyte.gz"
        project = self.project("bombs", (images, f"train-x={bomb}"))
        self.fails("data that do", ["bomb.gz", "--unpack-limit"], "check", project,
                   preexec_fn=little_memory)
        self.fails("they are read where it is allowed", ["no IDX file"], "check", project,
                   "--unpack-limit", "1G")
        self.fails("a limit that is none", ["--unpack-limit 'much'"], "check", project,
                   "--unpack-limit", "much", status=2)
        npz = self.project("npz", ("source=idx", "source=npy"), (images, "train-x=bomb.npz:x"))
        with zipfile.ZipFile(npz / "bomb.npz", "w", zipfile.ZIP_DEFLATED,
                             compresslevel=1) as archive:
            archive.writestr("x.npy", bytes(300 << 20))
        self.fails("an archive that does", ["bomb.npz", "'x'", "--unpack-limit"], "check", npz)

    # -- files that a graph touches --

    def confinement(self):
        inside, outside = self.folder / "inside", self.folder / "outside"
        inside.mkdir()
        graph = self.folder / "files.pbtxt"
        graph.write_text(files_graph(outside))
        run = ("run", graph, "--target", "write")
        said = self.fails("a graph may write no file that is not allowed",
                          [str(outside), "--allow-files"], *run)
        self.tap.point("what it wants is told first",
                       said.stderr.startswith(
                           "sluice run: ops of the graph may touch files: "
                           "'write' (WriteFile writes), 'read' (ReadFile reads)"),
                       said.stderr)
        self.tap.point("and nothing is there", not outside.exists())
        self.fails("it may not read one", [str(outside), "--allow-files"], "run", graph, "--fetch",
                   "read:0")
        self.fails("another folder allows nothing", [str(outside), str(inside)], *run,
                   "--allow-files", inside)
        allowed = self.call(*run, "--allow-files", self.folder)
        self.tap.point("it may where it is allowed",
                       allowed.returncode == 0 and outside.read_text() == "written", allowed.stderr)
        (inside / "link").symlink_to(outside)
        graph.write_text(files_graph(inside / "link"))
        self.fails("a link does not lead out", ["may not write"], *run, "--allow-files", inside)
        told = self.call("check", graph)
        self.tap.point("check lists them", told.returncode == 0
                       and "write: WriteFile may write files" in told.stdout
                       and "read: ReadFile may read files" in told.stdout, told.stdout)

    def train_confined(self):
        """The initialiser of a project writes a file."""
        outcomes = {}
        for name, target in (("out", self.folder / "out.txt"),
                             ("in", self.workspace / "in.txt"),
                             ("database", self.workspace / "sluice.db"),
                             ("run", self.workspace / "runs" / "1" / "project.ini")):
            project = self.project(f"writes-{name}", ("init=init", "init=init;write"))
            model = project / "model.pbtxt"
            model.write_text(model.read_text() + files_graph(target))
            run = self.call("train", project, "--workspace", self.workspace, "--steps", 1, "--run",
                            f"writes-{name}")
            outcomes[name] = (run.returncode, run.stderr)
        self.tap.point("training may not write outside of its workspace",
                       outcomes["out"][0] == 1 and "--allow-files" in outcomes["out"][1]
                       and not (self.folder / "out.txt").exists(), outcomes["out"])
        self.tap.point("it may inside", outcomes["in"][0] == 0
                       and (self.workspace / "in.txt").read_text() == "written", outcomes["in"])
        for name in ("database", "run"):
            self.tap.point(f"but not over the {name}", outcomes[name][0] == 1
                           and "own files" in outcomes[name][1], outcomes[name])
        runs = self.call("info", "--workspace", self.workspace, "--json").stdout.splitlines()
        self.tap.point("the store is whole", len([json.loads(line) for line in runs]) >= 1, runs)

    # -- what check must find --

    def checks(self):
        weights = "hidden/weights/Read/ReadVariableOp:0"
        for name, replacement, words in (
                ("an init target that is not there", ("init=init", "init=innit"), ["innit"]),
                ("a loss that is no float",
                 ("loss=loss/value:0", "loss=global_step/Read/ReadVariableOp:0"),
                 ["global_step", "int64", "a float"]),
                ("a loss that is a matrix", ("loss=loss/value:0", f"loss={weights}"),
                 ["hidden/weights", "[64,128]", "no scalar"]),
                ("a fetch that is a matrix",
                 ("fetches=accuracy:accuracy/value:0", f"fetches=w:{weights}"),
                 ["hidden/weights", "no scalar"])):
            project = self.project(name.replace(" ", "-"), replacement)
            self.fails(f"check: {name}", words, "check", project)
            self.fails(f"train: {name}", words, "train", project, "--workspace", self.workspace)
        gone = self.project("gone", ("[train]", "[parameters]\nrate=train/learning_rate:0\n"
                                     "lost=dropout/keep:0\npad=pool9:padding\n\n[train]"))
        self.fails("check: parameters that the graph has no more",
                   ["[parameters] lost is dropout/keep:0", "[parameters] pad is pool9:padding",
                    "take it out"], "check", gone, status=0)
        fraction = self.project("fraction", ("x=input/x:0", "x=input/y:0"), ("y=input/y:0", "y="),
                                ("shape=8;8;1", "shape=64"))
        self.fails("check: fractions fed to integers", ["input/y:0 is int", "feed a float"],
                   "check", fraction)

    def names(self):
        train = ("train", self.mlp, "--workspace", self.workspace, "--steps", 1, "--run")
        for name in ("", " a", "a\n", "\033[31mred", "#12", "a" * 300):
            said = self.fails(f"a run may not be called {name[:20]!r}", ["the name of the run"],
                              *train, name)
            self.tap.point("which is said without control characters",
                           "\033" not in said.stderr, repr(said.stderr))
        project = self.project("red", ("name=", "name=\033[31m"))
        said = self.fails("nor a project", ["[project] name=", "control characters"], "check",
                          project)
        self.tap.point("nor is that shown raw", "\033" not in said.stdout + said.stderr)
        said = self.fails("names out of the command line are escaped", ["no\\x1b[31m"], "check",
                          self.folder / "no\033[31m")
        self.tap.point("all of them", "\033" not in said.stderr)

    # -- output --

    def full_output(self):
        graph = self.mlp / "model.pbtxt"
        for arguments in (["--help"], ["--version"], ["--man"], ["--schemas"], ["train", "--help"],
                          ["info"], ["info", "--json"], ["info", graph], ["ops"],
                          ["ops", "--json"], ["ops", "MatMul"], ["ops", "--tiers"],
                          ["check", self.mlp], ["check", self.mlp, "--json"], ["place", graph],
                          ["info", "--parameters", graph],
                          ["draw", graph, "--out", self.folder / "g.dot"],
                          ["trace", self.mlp, "--out", self.folder / "t.json"],
                          ["compare", graph, "--plain", "--fetch", "init"],
                          ["bench", self.mlp, "--seconds", "0.1"],
                          ["run", "--explain", "list"], ["run", "--explain", "list", "--json"],
                          ["sql", "SELECT 1", "--workspace", self.workspace],
                          ["log", "--json", "--workspace", self.workspace],
                          ["train", self.mlp, "--steps", 1, "--workspace", self.workspace],
                          ["train", self.mlp, "--steps", 1, "--json", "--workspace",
                           self.workspace]):
            expected = self.call(*arguments)
            with open("/dev/full", "w", encoding="utf-8") as full:
                run = self.call(*arguments, stdout=full)
            shown = " ".join(str(one) for one in arguments if "/" not in str(one))
            self.tap.point(f"{shown}: output that is lost is a failure",
                           expected.returncode == 0 and expected.stdout and run.returncode == 1
                           and "standard output cannot be written" in run.stderr,
                           expected.stderr[-300:], run.returncode, run.stderr[-500:])
        closed = subprocess.run(["sh", "-c", 'exec "$0" info >&-', self.sluice], check=False,
                                stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
        self.tap.point("so is output that is closed", closed.returncode == 1, closed.stderr)

    def conflicts(self):
        picture = ("draw", self.mlp, "--out", "a.png")
        for name, arguments in (
                ("--run with --resume", ["train", "--resume", "a", "--run", "b"]),
                ("--charts with --open", [*picture, "--charts", "--open", "x"]),
                ("--run without --charts", [*picture, "--run", "x"]),
                ("--parameters with --workspace", ["info", "--parameters", "--workspace", "x"]),
                ("a size that is none", [*picture, "--size", "big"])):
            self.fails(name, ["sluice "], *arguments, status=2)

    def comma_locale(self):
        """A locale that writes 1,5, where there is one."""
        listed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False)
        return next((name for name in listed.stdout.split()
                     if name.startswith(("de_", "fr_", "es_", "it_", "pl_", "ru_"))), "C.UTF-8")

    def schemas(self):
        lines = [json.loads(line) for line in self.call("--schemas").stdout.splitlines()]
        shapes = {line["verb"]: [json.loads(one) for one in line["lines"] or []] for line in lines}
        self.tap.point("every verb tells the shape of its JSON",
                       len(shapes) >= 11 and all(shapes.values()),
                       [verb for verb, known in shapes.items() if not known])
        man = self.call("--man").stdout
        self.tap.point("the man page has them", man.count("lines of this shape") == len(shapes))
        graph = self.folder / "values.pbtxt"
        graph.write_text(
            'node { name: "x" op: "Placeholder" '
            'attr { key: "dtype" value { type: DT_FLOAT } } }\n'
            'node { name: "log" op: "Log" input: "x" '
            'attr { key: "T" value { type: DT_FLOAT } } }\n'
            + string_const("word", 'a\\"b'))
        script = self.folder / "debug.txt"
        script.write_text("break log if |x| > 0.5\nbreak word\nrun\nvalues\nready\nwhy\n"
                          "step\nbreaks\nstep\nquit\n")
        corpus = self.source / "tests" / "engine" / "store" / "corpus"
        models = self.source / "tests" / "app" / "saved-models"
        with zipfile.ZipFile(models / "module_tables.zip") as packed:
            packed.extractall(self.folder / "models")
        model = self.folder / "models" / "module_tables"
        mlp, workspace = self.mlp, ("--workspace", self.workspace)
        lost = self.folder / "lost"
        run = self.call("train", mlp, "--workspace", lost, "--steps", 2)
        self.tap.point("a workspace", run.returncode == 0, run.stderr)
        for path in lost.glob("sluice.db*"):
            path.unlink()
        cases = (
            ["train", mlp, *workspace, "--steps", 500, "--memory", "--run", "told"],
            ["log", *workspace], ["sql", *workspace], ["checkpoints", "told", *workspace],
            ["sql", "SELECT * FROM points, image_points LIMIT 3", *workspace],
            ["sql", "SELECT 1, 1.5, 'a', NULL, 9e999", *workspace],
            ["export", "--run", "told", "--out", self.folder / "told.csv", "--format", "csv",
             *workspace],
            ["reindex", "--workspace", lost],
            ["run", "--explain", "list"],
            ["run", self.mlp / "model.pbtxt", "--target", "init", "--explain", "prune"],
            ["info", model], ["check", model], ["place", model],
            ["check", mlp], ["check", self.mlp / "model.pbtxt"], ["place", mlp],
            ["draw", mlp, "--out", self.folder / "a.svg"],
            ["draw", mlp, "--charts", "--workspace", self.workspace, "--out",
             self.folder / "b.svg"],
            ["run", graph, "--feed", "x:0=[1,0,-1]", "--fetch", "log:0", "--fetch", "word:0",
             "--memory"],
            ["debug", graph, "--feed", "x:0=[1,0,-1]", "--fetch", "log:0", "--fetch", "word:0",
             "--script", script],
            ["compare", graph, "--plain", "--feed", "x:0=[1,0,-1]", "--fetch", "log"],
            ["trace", mlp, "--out", self.folder / "t.json"],
            ["info"], ["info", mlp], ["info", "--parameters", mlp],
            ["info", "--workspace", self.workspace], ["info", corpus / "v2" / "model.ckpt-20000"],
            ["ops"], ["ops", "MatMul"], ["ops", "--tiers"],
            ["convert", corpus / "v2" / "model.ckpt-20000", self.folder / "c.safetensors",
             "--leave-out"],
            ["bench", mlp, "--seconds", 0.2],
            ["launch", mlp, "steps=5", *workspace],
            ["launch", mlp, "steps=5", "--queue", "--threads", 1, *workspace],
            ["launch", mlp, "--check", *workspace],
            ["queue", *workspace], ["queue", "run", *workspace],
            ["launch", mlp, "steps=5", "batch=32", "--run", "other", *workspace],
            ["runs", "diff", "told", "other", "--which-matters", "--steps", 3, *workspace],
            ["runs", "importance", *workspace],
            ["reproduce", "told", "--steps", 5, *workspace],
            ["fork", "told", "--step", 400, *workspace],
            ["fork", "told", "--step", 400, "--queue", *workspace],
            ["sweep", mlp, "seed=1,2", "--steps", 3, *workspace],
            ["sweep", mlp, "seed=1,2", "--steps", 3, "--queue", *workspace])
        locale = self.comma_locale()
        for arguments in cases:
            run = self.call(*arguments, "--json", env={**os.environ, "LC_ALL": locale})
            wrong = [] if run.stdout else ["nothing was printed"]
            for line in run.stdout.splitlines():
                try:
                    value = json.loads(line, parse_constant=lambda name: f"bare {name}")
                    found = [validate(value, shape) for shape in shapes[arguments[0]]
                             if "--explain" not in arguments or "*" not in shape]
                    wrong += [] if "" in found else [f"{line[:200]}: {found}"]
                except json.JSONDecodeError as error:
                    wrong.append(f"{line[:200]}: {error}")
            self.tap.point(f"{arguments[0]} {pathlib.Path(str((arguments + [''])[1])).name}: JSON "
                           "lines of the told shape", run.returncode == 0 and not wrong, wrong[:3],
                           run.stderr[-500:])

    def values(self):
        graph = self.folder / "values.pbtxt"
        run = self.call("run", graph, "--feed", "x:0=[1,0,-1]", "--fetch", "log:0", "--fetch",
                        "word:0", "--fetch", "x:0", "--memory", "--json")
        told = [json.loads(line) for line in run.stdout.splitlines()]
        self.tap.point("numbers are numbers, and what JSON has not is a string",
                       told and told[0] == {"log:0": [0, "-Infinity", "NaN"], "word:0": 'a"b',
                                            "x:0": [1, 0, -1]} and list(told[1]) == ["memory"],
                       run.stdout, run.stderr)

        def draw(*options):
            return json.loads(self.call("draw", self.mlp, "--out", self.folder / "d.svg", "--json",
                                        *options).stdout)
        figures = draw()
        self.tap.point("draw tells what is seen", figures["boxes"] > 2 and figures["edges"] > 1
                       and 0 < figures["fit"] <= 1 and figures["smallest_text_px"] > 5
                       and figures["nodes"] > figures["boxes"], figures)
        small = draw("--size", "100x80")
        self.tap.point("in a small window less fits", small["fit"] < figures["fit"]
                       and small["boxes"] == figures["boxes"], small)
        opened = draw("--open", "hidden", "--open", "loss")
        self.tap.point("an open scope shows what it holds", opened["boxes"] > figures["boxes"],
                       opened)

    # -- data --

    def data(self):
        folder = self.project("csv", ("source=idx", "source=csv"))
        rows = io.StringIO()
        rows.write('"first, of all","second ""x""",label\n')
        for i in range(8):
            rows.write(f'"{i}", {i}.5 ,"{i % 2}"\r\n')
        path = folder.parent / "table.csv"
        path.write_text(rows.getvalue())
        ini = folder / "project.ini"
        left_out = ("train-y=", "test-x=", "test-y=", "shape=", "scale=")
        ini.write_text("".join("train-x=../table.csv\n" if line.startswith("train-x=") else line
                               for line in ini.read_text().splitlines(keepends=True)
                               if not line.startswith(left_out)))
        # The table is read: only the graph does not want two columns.
        self.fails("quoted fields with commas in them", ["batches of", "[64,2]"], "check", folder)
        path.write_text(rows.getvalue() + '"open\n')
        self.fails("a quote that does not end", ["table.csv", "line 10", "quote"], "check", folder)

    def zip64(self):
        """An archive as it is where members or it are over 4 GiB."""
        def npy(descr, shape, data):
            header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
            header += " " * (63 - (len(header) + 10) % 64) + "\n"
            return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data
        digits = "../data/digits/train-"
        folder = self.project("zip64", ("source=idx", "source=npy"),
                              (f"train-x={digits}images-idx3-ubyte.gz", "train-x=a.npz:x"),
                              (f"train-y={digits}labels-idx1-ubyte.gz", "train-y=a.npz:y"))
        ini = folder / "project.ini"
        ini.write_text("".join(line for line in ini.read_text().splitlines(keepends=True)
                               if not line.startswith(("test-x=", "test-y="))))
        limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 16
        with zipfile.ZipFile(folder / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.npy", npy("|u1", (100, 8, 8), bytes(range(100)) * 64))
            archive.writestr("y.npy", npy("|u1", (100,), bytes(100)))
        zipfile.ZIP64_LIMIT = limit
        run = self.call("check", folder)
        self.tap.point("an archive in ZIP64 is read", run.returncode == 0, run.stdout, run.stderr)
        data = bytearray((folder / "a.npz").read_bytes())
        data[data.index(b"x.npy") + 100] ^= 1
        (folder / "a.npz").write_bytes(data)
        self.fails("one with a flipped bit is refused", ["a.npz", "'x'"], "check", folder)

    def run(self):
        began = time.monotonic()
        for part in (self.sizes, self.counts, self.special, self.bombs, self.confinement,
                     self.train_confined, self.checks, self.names, self.full_output,
                     self.conflicts, self.schemas, self.values, self.data, self.zip64):
            part()
            print(f"# {part.__name__}: {time.monotonic() - began:.1f} s", flush=True)
        self.temporary.cleanup()
        self.tap.end()


BadInput(*sys.argv[1:]).run()
