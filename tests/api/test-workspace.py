#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Runs and sweeps from Python, as TAP.

usage: test-workspace.py SLUICE SOURCE-FOLDER
"""
import contextlib
import io
import json
import math
import os
import pathlib
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import threading

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
LONG = 100_000_000


def as_json(value):
    """What a value is in JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list) else value


class Tests:
    def __init__(self, sluice, source, folder):
        self.tap, self.sluice, self.folder = Tap(), os.path.abspath(sluice), folder
        self.source = pathlib.Path(source).resolve()
        self.samples = self.source / "data" / "samples"
        self.mlp = self.samples / "digits-mlp"
        self.workspace = Sluice.Workspace(folder / "w")

    def fails(self, name, call, code, *words):
        """The call raises GLib.Error with this code, and the message has these words."""
        try:
            call()
        except GLib.Error as error:
            missing = [word for word in words if word not in error.message]
            good = error.matches(Sluice.error_quark(), code) and not missing
            return self.tap.point(name, good, error.code, error.message, missing)
        return self.tap.point(name, False, "no error")

    def lines(self, *words, check=True):
        ended = subprocess.run([self.sluice, *words, "--json", "--workspace", self.workspace.path],
                               capture_output=True, text=True, check=check)
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def state(self, run):
        return next(row["state"] for row in self.workspace.runs() if row["run"] == run)

    def sweeps(self):
        w = self.workspace
        self.tap.point("an empty workspace has an empty table", w.runs() == [] and w.table() == {})
        names = w.sweep(self.mlp, {"learning-rate": [0.1, 0.01], "batch": (32, 64)}, steps=40,
                        group="g")
        self.tap.point("a sweep is runs that wait", names == [f"g-{i}" for i in range(1, 5)]
                       and {row["state"] for row in w.runs()} == {"waiting"}, names)
        after = w.launch(str(self.mlp), {"seed": 7}, steps=20, name="then", after="g-1")
        self.tap.point("a group is trained alone", w.train("g") == 0
                       and self.state("g-4") == "finished" and self.state(after) == "waiting")
        self.tap.point("and then the rest", w.train(jobs=2) == 0
                       and self.state("then") == "finished")
        self.tap.point("where nothing waits nothing is trained", w.train() == 0)
        drawn = w.sweep(self.mlp, {"learning-rate": "0.001..0.1:log"}, {"batch": np.int32(16)},
                        steps=30, method="random", trials=3, seed=3, group="drawn")
        rates = [row["settings"]["learning-rate"] for row in w.runs("group:drawn")]
        self.tap.point("values are drawn", len(drawn) == 3 and len(set(rates)) == 3
                       and all(0.001 <= rate <= 0.1 for rate in rates), rates)
        halves = w.sweep(self.mlp, {"learning-rate": np.array([0.1, 0.01, 0.001])}, steps=30,
                         method="asha", group="asha", direction="max",
                         metric="evaluate/accuracy")
        self.tap.point("both are trained, worse ones up to a rung", w.train() == 0
                       and sorted(map(self.state, halves)) == ["finished", "stopped", "stopped"],
                       [self.state(name) for name in halves])

    def tables(self):
        w = self.workspace
        here, there = as_json(w.runs()), self.lines("runs")
        self.tap.point("runs are those of the command, key by key", here == there
                       and [list(row) for row in here] == [list(row) for row in there],
                       here[:1], there[:1])
        few = w.runs('group:g learning-rate<0.05')
        self.tap.point("a filter chooses", sorted(row["run"] for row in few) == ["g-3", "g-4"], few)
        table = w.table("group:g")
        row = next(row for row in w.runs() if row["run"] == table["run"][0])
        self.tap.point("a column of each result and setting", table["loss"].dtype == np.float64
                       and table["loss"][0] == row["results"]["loss"]["last"]
                       and table["loss/best"][0] == row["results"]["loss"]["best"]
                       and sorted(table["learning-rate"]) == [0.01, 0.01, 0.1, 0.1]
                       and table["steps"].dtype == np.int64 and table["starred"].dtype == bool,
                       {name: column.dtype for name, column in table.items()})
        self.tap.point("of equal length", {len(column) for column in table.values()} == {4})
        rows = np.rec.fromarrays(list(table.values()), names=list(table))
        self.tap.point("which are a structured array", rows["batch"].tolist()
                       == table["batch"].tolist() and rows[0]["run"] == table["run"][0])
        waits = w.launch(str(self.mlp), name="waits")
        whole = w.table()
        row = list(whole["run"]).index(waits)
        self.tap.point("what a run lacks is NaN", math.isnan(whole["loss"][row]), whole["loss"])
        self.tap.point("what it leaves to the graph is the graph's",
                       whole["learning-rate"][row] == 0.003, whole["learning-rate"])
        self.lines("runs", "delete", waits)
        groups = dict(zip(whole["run"], whole["group"]))
        self.tap.point("and None among texts", groups["then"] is None and groups["g-1"] == "g"
                       and whole["run"].dtype == object, groups)
        self.tap.point("columns are one's own", whole["steps"].flags.writeable)
        # What pandas.DataFrame() makes a frame of: one-dimensional columns of one length.
        self.tap.point("it is columns of one length by their names", all(
            isinstance(name, str) and column.shape == whole["run"].shape
            for name, column in whole.items()), whole)

    def series(self):
        w = self.workspace
        logged, = self.lines("log", "--run=g-1", "--tag=^loss$")
        points = w.points("g-1", "loss")
        self.tap.point("points are those of the log", points.steps.tolist() == logged["steps"]
                       and points.values.tolist() == logged["values"]
                       and points.walls.tolist() == logged["wall_times"], points)
        self.tap.point("in arrays over the library's memory", points.steps.dtype == np.int64
                       and points.values.dtype == np.float64
                       and not points.values.flags.owndata)
        self.tap.point("tags are listed", {"loss", "evaluate/accuracy"} <= set(w.tags("g-1"))
                       and w.tags("g-1") == sorted(w.tags("g-1")), w.tags("g-1"))
        diff = w.diff("g-1", "g-4")
        told, = self.lines("runs", "diff", "g-1", "g-4")
        self.tap.point("what differs is what the command says", as_json(diff) == told
                       and {item["name"] for item in diff["differs"]} >= {"batch", "learning-rate"},
                       diff, told)
        name = w.fork("g-1", 20, {"learning-rate": 0.05}, name="forked")
        self.tap.point("a fork waits and goes on from there", w.train() == 0
                       and next(row for row in w.runs("is:forked"))["parent"] == "g-1"
                       and w.points(name, "loss").steps[0] > 20, w.runs("is:forked"))

    def errors(self):
        w = self.workspace
        before = len(w.runs())
        self.fails("a setting that there is not", lambda: w.launch(self.mlp, {"lerning-rate": 1}),
                   Code.NOT_FOUND, "learning-rate")
        self.fails("a value that is none", lambda: w.launch(self.mlp, steps="x"),
                   Code.INVALID_ARGUMENT, "steps")
        self.fails("an option that there is not", lambda: w.sweep(
            self.mlp, {"batch": [1, 2]}, trails=1), Code.INVALID_ARGUMENT, "'trails'", "'trials'")
        self.fails("an option of another call", lambda: w.launch(self.mlp, trials=1),
                   Code.INVALID_ARGUMENT, "'trials'")
        self.fails("an option of another kind", lambda: w.sweep(
            self.mlp, {"batch": [1, 2]}, trials="two"), Code.INVALID_ARGUMENT, "trials", "whole")
        self.fails("an option out of range", lambda: w.sweep(
            self.mlp, {"batch": [1, 2]}, one_of=1), Code.INVALID_ARGUMENT, "one-of", "2 to")
        self.fails("a sweep of nothing", lambda: w.sweep(self.mlp, {"batch": []}),
                   Code.INVALID_ARGUMENT, "batch")
        self.fails("a method that there is not", lambda: w.sweep(
            self.mlp, {"batch": [1, 2]}, method="gird"), Code.INVALID_ARGUMENT, "gird", "grid")
        self.fails("a million combinations", lambda: w.sweep(
            self.mlp, {"batch": range(1, 1001), "seed": range(1000)}), Code.INVALID_ARGUMENT,
            "1000000")
        self.fails("a project that there is not", lambda: w.launch(self.folder / "none"),
                   Code.NOT_FOUND, "none")
        self.fails("a run to come after that there is not", lambda: w.launch(
            self.mlp, after="nobody"), Code.NOT_FOUND, "after", "nobody")
        self.fails("a run that there is not", lambda: w.points("nobody", "loss"), Code.NOT_FOUND,
                   "nobody")
        self.fails("a tag that there is not", lambda: w.points("g-1", "lossy"), Code.NOT_FOUND,
                   "'g-1'", "'loss'")
        self.fails("a filter that is none", lambda: w.runs("loss<<"), Code.INVALID_ARGUMENT)
        self.fails("a run by itself differs from nothing", lambda: w.diff("g-1"),
                   Code.INVALID_ARGUMENT, "two")
        self.fails("a fork behind the end", lambda: w.fork("g-1", 41), Code.OUT_OF_RANGE, "41")
        self.tap.point("nothing was made", len(w.runs()) == before)
        self.fails("a workspace that there is not", lambda: Sluice.Workspace(
            self.folder / "none", read_only=True), Code.NOT_FOUND)
        reader = Sluice.Workspace(self.folder / "w", read_only=True)
        self.tap.point("one may only be read", as_json(reader.runs()) == as_json(w.runs()))
        self.fails("and then not changed", lambda: reader.launch(self.mlp),
                   Code.FAILED_PRECONDITION, "to be read")

    def controls(self):
        """A run at work in a thread of this program is paused, changed, saved and ended."""
        w, failed = self.workspace, []
        name = w.launch(self.mlp, {"summary-every": 1, "checkpoint-every": 0}, steps=LONG,
                        name="live")
        thread = threading.Thread(target=lambda: failed.append(w.train()))
        thread.start()
        while "loss" not in w.tags(name) or not w.points(name, "loss").steps.size:
            pass
        paused = w.control(name, "pause")
        self.tap.point("a pause is answered", paused["command"] == "pause" and paused["step"] > 0
                       and paused["argument"] is None and self.state(name) == "paused", paused)
        stepped = w.control(name, "step", "2")
        saved = w.control(name, "checkpoint")
        self.tap.point("two steps, and then it is saved", stepped["step"] == paused["step"]
                       and saved["step"] == paused["step"] + 2, stepped, saved)
        end = saved["step"] + 8
        steps = w.set(name, {"learning-rate": 0.001, "steps": end})
        self.tap.point("settings are changed at that step", steps == 2 * [saved["step"]], steps)
        self.fails("one that there is not", lambda: w.set(name, {"lerning-rate": 1}),
                   Code.FAILED_PRECONDITION, "'live'", "learning-rate")
        self.fails("a verb that there is not", lambda: w.control(name, "dance"),
                   Code.FAILED_PRECONDITION, "dance")
        w.control(name, "go")
        thread.join()
        self.tap.point("and it comes to its new end", failed == [0] and self.state(name)
                       == "finished" and w.points(name, "loss").steps[-1] == end, failed)
        self.fails("a run that is not at work", lambda: w.control(name, "pause"),
                   Code.FAILED_PRECONDITION, "not at work")
        proof = w.reproduce(name, saved["step"])
        self.tap.point("it is made again, change and all", proof["equal"]
                       and proof["first_difference"] is None and proof["from"] == saved["step"]
                       and proof["to_step"] == end and proof["values"] > 0, proof)
        # NumPy may have loaded OpenBLAS for another core than the command takes: another build.
        told, = self.lines("reproduce", name, f"--from={saved['step']}", check=False)
        self.tap.point("as the command says, if it is the same build", list(proof) == list(told)
                       and (as_json(proof) == told
                            or told["first_difference"]["cause"] == "build"), proof, told)
        ini = pathlib.Path(w.path, "runs", str(w.runs("name:live")[0]["id"]), "project.ini")
        ini.write_text(ini.read_text(encoding="utf-8").replace("learning-rate=0.001",
                                                               "learning-rate=0.002"),
                       encoding="utf-8")
        parted = w.reproduce(name, saved["step"], 4)
        self.tap.point("and where it parts, step and node are told", not parted["equal"]
                       and parted["first_difference"]["step"] == saved["step"] + 1
                       and parted["first_difference"]["node"] == "train/learning_rate"
                       and parted["first_difference"]["cause"] == "option", parted)
        self.fails("from a step without a checkpoint", lambda: w.reproduce(name, 1),
                   Code.NOT_FOUND, "checkpoint")

    def interrupts(self):
        """A run that would go on for long is stopped and saved, and goes on afterwards."""
        w, main = self.workspace, threading.main_thread().ident
        name = w.launch(self.mlp, {"summary-every": 1}, steps=LONG, name="long")

        def begin(end):
            reader = Sluice.Workspace(w.path, read_only=True)
            while "loss" not in reader.tags(name) or not reader.points(name, "loss").steps.size:
                pass
            end()
        thread = threading.Thread(target=begin, args=(
            lambda: signal.pthread_kill(main, signal.SIGINT),))
        thread.start()
        try:
            w.train()
            self.tap.point("Ctrl-C ends training", False)
        except KeyboardInterrupt:
            self.tap.point("Ctrl-C ends training", True)
        thread.join()
        step = w.runs("name:long")[0]["step"]
        self.tap.point("what was under way is saved and waits", self.state(name) == "waiting"
                       and step > 0, self.state(name), step)
        cancellable = Gio.Cancellable()
        cancellable.cancel()
        self.fails("cancelled before it begins", lambda: w.train(cancellable=cancellable),
                   Code.CANCELLED, "wait again")
        subprocess.run([self.sluice, "queue", "drop", name, "--workspace", w.path], check=True,
                       capture_output=True)
        subprocess.run([self.sluice, "queue", "pause", "--workspace", w.path], check=True,
                       capture_output=True)
        w.launch(self.mlp, steps=5, name="paused")
        self.fails("a queue that is paused", w.train, Code.FAILED_PRECONDITION, "resume")
        subprocess.run([self.sluice, "queue", "resume", "--workspace", w.path], check=True,
                       capture_output=True)
        self.tap.point("goes on", w.train() == 0 and self.state("paused") == "finished")

    def failures(self):
        """A run whose data are gone fails, and others are trained."""
        project = self.folder / "gone"
        project.mkdir()
        for name in ("project.ini", "model.pbtxt"):
            text = (self.mlp / name).read_text(encoding="utf-8")
            (project / name).write_text(text.replace("../data/digits", "data"), encoding="utf-8")
        (project / "data").symlink_to(self.samples / "data/digits")
        w = self.workspace
        bad, good = w.launch(project, steps=5), w.launch(self.mlp, steps=5)
        os.unlink(project / "data")
        self.tap.point("runs that fail are counted", w.train() == 1 and self.state(bad) == "failed"
                       and self.state(good) == "finished")

    def sample(self):
        output, script = io.StringIO(), self.samples / "python" / "sweep.py"
        given, sys.argv = sys.argv, [str(script), str(self.folder / "sample")]
        with contextlib.redirect_stdout(output):
            here = runpy.run_path(str(script))
        sys.argv = given
        lines = output.getvalue().splitlines()
        self.tap.point("the sample sweeps, and tells the best first", here["failed"] == 0
                       and len(lines) == 7 and lines[0].split()[0] == here["best"]
                       and max(here["table"]["evaluate/accuracy"]) > 0.9, *lines)
        text = script.read_text(encoding="utf-8")
        self.tap.point("in less than 30 lines", len(text.splitlines()) < 30)

    def manual(self):
        """What the manual's page shows, as a script of one's own: the second block at a run that
        another program trains."""
        page = (self.source / "data/help/runs.md").read_text(encoding="utf-8")
        blocks = re.findall("```python\n(.*?)```", page, re.DOTALL)
        given, here = os.getcwd(), {}
        folder = self.folder / "manual"
        (folder / "data").mkdir(parents=True)
        (folder / "data/samples").symlink_to(self.samples)
        os.chdir(folder)
        try:
            exec(blocks[0], here)  # pylint: disable=exec-used
            table, losses = here["table"], here["losses"]
            self.tap.point("the manual's sweep: four runs as columns, one as an array",
                           sorted(table["learning-rate"]) == [0.01, 0.01, 0.1, 0.1]
                           and len(here["cheap"]) == 2 and losses.shape == (100,)
                           and losses.dtype.kind == "f" and here["steps"][-1] == 100, table)
            here["w"].launch(self.mlp, steps=10**6, name="digits-mlp")
            trainer = subprocess.Popen([self.sluice, "queue", "run", "--workspace", "digits"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while here["w"].runs("name:digits-mlp step>5 state:running") == []:
                pass
            exec(blocks[1].replace("w.reproduce", "again = w.reproduce"), here)
            trainer.send_signal(signal.SIGINT)
            trainer.wait()
            self.tap.point("and its control of a run at work", here["again"] is True)
        finally:
            os.chdir(given)

    def run(self):
        for part in (self.sweeps, self.tables, self.series, self.errors, self.controls,
                     self.interrupts, self.failures, self.sample, self.manual):
            part()
        self.tap.end()


with tempfile.TemporaryDirectory() as scratch:
    Tests(*sys.argv[1:], pathlib.Path(scratch)).run()
