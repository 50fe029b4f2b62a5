#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice import`: what it says, what it refuses, and files that grow while they are followed. As
TAP. What of TensorFlow's own logs comes in is in tests/conformance/test-logs.py.

usage: test-import.py SLUICE
"""
import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from event_logs import restart, scalar, version
from tap import Tap

PATIENCE = 60  # seconds; what is not said in this time is a failure


class Import:
    def __init__(self, sluice):
        self.tap = Tap()
        self.sluice = sluice
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.logs = self.folder / "logs"
        self.workspace = self.folder / "workspace"

    def write(self, name, *parts, mode="wb"):
        path = self.logs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, mode) as file:
            file.write(b"".join(parts))

    def call(self, verb, *arguments, status=0):
        run = subprocess.run([self.sluice, verb, "--workspace", self.workspace, *arguments],
                             capture_output=True, text=True, check=False, timeout=PATIENCE)
        if run.returncode != status:
            raise ValueError(f"{verb} {arguments}: {run.returncode}, not {status}: {run.stderr}")
        return run

    def lines(self, verb, *arguments):
        out = self.call(verb, "--json", *arguments).stdout
        return [json.loads(line) for line in out.splitlines()]

    def values(self, run, tag="loss"):
        series = [line for line in self.lines("log", "--run", run) if line["tag"] == tag]
        return series[0]["values"] if series else []

    def check_lines(self):
        self.write("train/events.out.tfevents.1.host", version(),
                   *(scalar("loss", step, step / 2) for step in range(4)))
        self.write("eval/x/events.out.tfevents.1.host", version(), scalar("loss", 0, 1)[:-3])
        out = self.lines("import", str(self.logs))
        evaluation, train, last = out
        self.tap.point("a line a run, and one for all",
                       (train["run"], train["files"], train["records"], train["scalars"])
                       == ("train", 1, 5, 4) and last["runs"] == 2 and last["seconds"] >= 0, out)
        damaged, = evaluation["damaged"]
        self.tap.point("a folder is named by its path", evaluation["run"] == "eval/x", out)
        self.tap.point("damage names file, byte and what is wrong",
                       damaged["file"].endswith("eval/x/events.out.tfevents.1.host")
                       and damaged["offset"] == len(version())
                       and damaged["what"] == "the file ends within a record", damaged)
        again = self.lines("import", str(self.logs))
        self.tap.point("importing again adds nothing",
                       [line["records"] for line in again[:-1]] == [0, 0]
                       and self.values("train") == [0, 0.5, 1, 1.5], again)
        words = self.call("import", str(self.logs))
        self.tap.point("the same in words", "run train: nothing new" in words.stdout
                       and "2 runs, " in words.stdout
                       and f"byte {len(version())}: the file ends within a record" in words.stderr,
                       words.stdout, words.stderr)

    def check_names(self):
        packed = self.folder / "events.out.tfevents.7.host.gz"
        packed.write_bytes(gzip.compress(version() + scalar("loss", 3, 7)))
        run = self.lines("import", str(packed))[0]
        self.tap.point("a file by itself, packed, is named after the file", run["run"] == "7.host"
                       and self.values("7.host") == [7], run)
        other = self.folder / "other" / "train"
        other.mkdir(parents=True)
        (other / "events.out.tfevents.1.host").write_bytes(version() + scalar("loss", 0, 9))
        run = self.lines("import", str(other))[0]
        self.tap.point("a name that is taken gets a number", run["run"] == "train-2"
                       and self.values("train-2") == [9], run)

    def check_overlaps(self):
        self.write("again/events.out.tfevents.1.host", version(),
                   *(scalar("loss", step, step) for step in range(4)), restart(2),
                   scalar("loss", 2, 20), scalar("loss", 3, 30))
        self.lines("import", str(self.logs / "again"))
        self.tap.point("what a restart repeats is dropped", self.values("again") == [0, 1, 20, 30])
        copy = self.folder / "kept"
        shutil.copytree(self.logs / "again", copy)
        self.lines("import", "--overlaps", "keep", str(copy))
        self.tap.point("or kept", self.values("kept") == [0, 1, 2, 3, 20, 30])
        points = self.lines("sql", "SELECT step, value FROM points WHERE run = 'kept' "
                                   "ORDER BY step, value")
        self.tap.point("SQL has all of it", [(p["step"], p["value"]) for p in points]
                       == [(0, 0), (1, 1), (2, 2), (2, 20), (3, 3), (3, 30)], points)
        out = self.folder / "exported"
        self.call("export", "--run", "kept", "--format", "tfevents", "--out", str(out))
        self.lines("import", "--overlaps", "keep", str(out))
        self.tap.point("and so has what is exported",
                       self.values("exported") == [0, 1, 2, 3, 20, 30])

    def check_refused(self):
        notes = self.folder / "notes.txt"
        notes.write_text("These are notes.")
        empty = self.folder / "empty"
        empty.mkdir()
        for name, status, words, arguments in (
                ("nothing is there", 1, "cannot be imported", [str(self.folder / "nowhere")]),
                ("a folder without event files", 1, "there is no event file", [str(empty)]),
                ("a file of something else", 1, "holds no logs", [str(notes)]),
                ("no path", 2, "give event files", []),
                ("another rule", 2, "it is drop or keep", ["--overlaps", "mix", str(empty)])):
            said = self.call("import", *arguments, status=status).stderr
            self.tap.point(f"refused: {name}", words in said.replace("\u00a0", " "), said)
        self.tap.point("no run is made of them", all(line["run"] != "notes.txt"
                                                     for line in self.lines("log")))

    def check_tables(self):
        self.write("sheets/a.csv", b"step,loss,note\n1,0.5,x\n2,oops,y\n3,0.25,z\n")
        self.write("sheets/data.csv", b"x,y\n1,2\n")
        ended = self.call("import", str(self.logs / "sheets"))
        self.tap.point("a table is a run, and damage has line and column",
                       "run a: 2 scalars" in ended.stdout and "1 run," in ended.stdout
                       and "line 3, column “loss”" in ended.stderr, ended.stdout, ended.stderr)
        again = self.call("import", str(self.logs / "sheets")).stdout
        self.tap.point("again, nothing is new", "run a: nothing new" in again, again)
        said = self.call("import", str(self.logs / "sheets/data.csv"), status=1).stderr
        self.tap.point("one without steps is refused, and told why", "called step" in said, said)
        out = self.folder / "exported.csv"
        self.call("export", "--run", "a", "--format", "csv", "--out", str(out))
        text = out.read_text(encoding="utf-8").replace("\na,", "\nround,")
        out.write_text(text, encoding="utf-8")
        self.lines("import", str(out))
        self.tap.point("what is exported as a table comes back",
                       self.values("round") == self.values("a") == [0.5, 0.25])

    def check_trackers(self):
        self.write("other/mlruns/1/r/meta.yaml", b"run_id: r\nrun_name: flow\nstatus: 4\n")
        self.write("other/mlruns/1/r/params/lr", b"0.1")
        self.write("other/mlruns/1/r/metrics/loss",
                   b"1600000000000 0.5 0\n1600000001000 0.25 1\n")
        self.write("other/wandb/run-1-i/files/wandb-history.jsonl", b'{"loss": 2, "_step": 7}\n')
        self.write("other/wandb/run-1-i/files/wandb-metadata.json", b"{}")
        names = [line.get("run") for line in self.lines("import", str(self.logs / "other"))]
        self.tap.point("folders of MLflow and W&B are runs",
                       names == ["flow", "wandb/run-1-i", None], names)
        run = next(row for row in self.lines("runs") if row["run"] == "flow")
        self.tap.point("with settings and state", run["state"] == "failed"
                       and run["settings"] == {"lr": 0.1} and self.values("flow") == [0.5, 0.25],
                       run)

    def check_follow(self):
        self.write("live/events.out.tfevents.1.host", version(), scalar("loss", 0, 1))
        follower = subprocess.Popen(
            [self.sluice, "import", "--follow", "--json", "--workspace", self.workspace,
             self.logs / "live"], stdout=subprocess.PIPE, text=True)

        def said():
            return json.loads(follower.stdout.readline())

        self.tap.point("what is there is read at once", said()["scalars"] == 1)
        whole = scalar("loss", 1, 2)
        self.write("live/events.out.tfevents.1.host", whole, whole[:9], mode="ab")
        line = said()
        self.tap.point("what is added is read, and a torn record waited for",
                       line["scalars"] == 1 and line["damaged"] == [], line)
        self.write("live/events.out.tfevents.1.host", scalar("loss", 1, 2)[9:], mode="ab")
        self.tap.point("until it is whole", said()["scalars"] == 1)
        self.write("live/events.out.tfevents.2.host", version(), restart(1), scalar("loss", 1, 5))
        self.tap.point("a restart in a new file", said()["scalars"] == 1
                       and self.values("live") == [1, 5])
        self.write("live/deeper/events.out.tfevents.1.host", version(), scalar("loss", 0, 8))
        line = said()
        self.tap.point("a new folder is a new run", line["run"] == "deeper", line)
        shutil.rmtree(self.logs / "live" / "deeper")
        self.write("live/events.out.tfevents.1.host", version(), scalar("other", 0, 4))
        line = said()
        self.tap.point("a file that is another one now has its run read anew", line["reread"]
                       and self.values("live", "other") == [4]
                       and self.values("deeper") == [8], line)
        follower.send_signal(signal.SIGINT)
        last = said()
        self.tap.point("it ends well when it is interrupted",
                       follower.wait(PATIENCE) == 0 and "seconds" in last, last)

    def run(self):
        for part in (self.check_lines, self.check_names, self.check_overlaps, self.check_refused,
                     self.check_tables, self.check_trackers, self.check_follow):
            try:
                part()
            except (ValueError, KeyError, IndexError, OSError, subprocess.SubprocessError) as error:
                self.tap.point(f"{part.__name__} goes on to its end", False, repr(error))
        self.tap.end()


if __name__ == "__main__":
    Import(os.path.abspath(sys.argv[1])).run()
