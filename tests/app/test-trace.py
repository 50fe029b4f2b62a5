#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Traces that the command reads and asks in SQL, as TAP.

usage: test-trace.py COMMAND SAMPLES
"""
import gzip
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "twice" op: "Add" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
"""
FEED = ("--feed", "x:0=3", "--fetch", "twice:0")
SUMS = ("SELECT (SELECT COUNT(*) FROM events) AS events, "
        "(SELECT SUM(busy) FROM lanes WHERE kind != 'wait') AS busy, "
        "(SELECT SUM(dur) FROM waits WHERE cause != 'lock') AS idle, "
        "(SELECT COUNT(*) FROM lanes WHERE kind != 'wait') "
        "* (SELECT MAX(end) - MIN(start) FROM events) AS time")


class Traces:
    def __init__(self, command, samples):
        self.command, self.tap = command, Tap()
        self.folder = pathlib.Path(tempfile.mkdtemp())
        shutil.copytree(samples, self.folder / "samples")
        self.mlp = self.folder / "samples" / "digits-mlp"
        self.graph = self.folder / "graph.pbtxt"
        self.graph.write_text(GRAPH)

    def call(self, *arguments):
        return subprocess.run([self.command, "trace", *arguments], capture_output=True, text=True,
                              check=False, cwd=self.folder,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": ""})

    def check(self, name, status, words, *arguments):
        done = self.call(*arguments)
        text = done.stdout + done.stderr
        self.tap.point(name, done.returncode == status and all(word in text for word in words),
                       f"status {done.returncode}", text)

    def lines(self, *arguments):
        done = self.call(*arguments, "--json")
        return [json.loads(line) for line in done.stdout.splitlines()] or [done.stderr]

    # What is written is what is read, in each format.
    def read(self):
        for name, form in (("t.json", "chrome"), ("t.pftrace", "perfetto"),
                           ("t.pb", "run-metadata"), ("t.sltrace", "sltrace")):
            self.check(f"{name} is written", 0, ["2 steps"], self.mlp, "--threads", "1", "--steps",
                       "2", "--out", name)
            told = self.lines("--read", name)
            lanes = [line for line in told if "lane" in line]
            self.tap.point(f"{name} is {form}", told[0]["format"] == form
                           and told[0]["spans"] == sum(lane["spans"] for lane in lanes) > 50
                           and told[0]["end_ns"] > told[0]["begin_ns"]
                           and all(lane["rows"] == 1 for lane in lanes)
                           and not any("not_understood" in line for line in told), told)
        packed = self.folder / "t.json.gz"
        packed.write_bytes(gzip.compress((self.folder / "t.json").read_bytes()))
        self.tap.point("it is the same packed", self.lines("--read", packed)[1:]
                       == self.lines("--read", "t.json")[1:])
        self.check("as text", 0, ["spans in", "busy", "2 steps"], "--read", "t.json")

    def again(self):
        self.check("what was read is written", 0, [], "--read", "t.json", "--out", "again.sltrace")
        told = self.lines("--read", "again.sltrace")
        self.tap.point("it has the same spans", told[0]["spans"] > 50 and told[0]["counters"] == 1,
                       told)
        self.check("not into another's format", 2, [".sltrace"], "--read", "t.json", "--out",
                   "x.pb")

    # Cut short it is what came before, and says so; what is no trace is an error.
    def bad(self):
        self.call(self.mlp, "--steps", "200", "--out", "long.sltrace")  # more than one page
        whole = self.lines("--read", "long.sltrace")[0]["spans"]
        for name in ("t.json", "t.pftrace", "t.pb", "long.sltrace"):
            bytes_ = (self.folder / name).read_bytes()
            (self.folder / f"cut-{name}").write_bytes(bytes_[:len(bytes_) * 3 // 4])
            told = self.lines("--read", f"cut-{name}")
            self.tap.point(f"{name} cut short", 0 < told[0]["spans"] <= whole
                           and any("not_understood" in line for line in told), told)
        self.check("of no trace", 1, ["no trace"], "--read", self.mlp / "project.ini")
        self.check("of nothing", 1, ["none"], "--read", "none")
        self.check("with a project", 2, ["runs nothing"], "--read", "t.json", self.mlp)

    def sql(self):
        told = self.lines("--read", "t.sltrace", "--sql", SUMS)[0]
        self.tap.point("busy and idle are the time", told["events"] > 50
                       and told["busy"] + told["idle"] == told["time"], told)
        told = self.lines(self.mlp, "--device", "SIM:0", "--sql",
                          "SELECT DISTINCT cause FROM waits WHERE maker IS NOT NULL")
        self.tap.point("waits know their makers", {"cause": "input"} in told, told)
        self.check("of a graph", 0, ["name\top", "twice\tAdd"], self.graph, *FEED, "--sql",
                   "SELECT name, op FROM events;")
        for name, query, words in (("that is none", "SELEC", "syntax error"),
                                   ("that writes", "DELETE FROM events", "a SELECT"),
                                   ("of two", "SELECT 1; SELECT 2", "a SELECT")):
            self.check(f"a query {name}", 1, [words], self.graph, *FEED, "--sql", query)
        self.check("a database is written", 0, ["events of"], self.mlp, "--steps", "2",
                   "--out", "t.db")
        with sqlite3.connect(self.folder / "t.db") as db:
            told = db.execute(SUMS).fetchone()
            self.tap.point("others read it", told[0] > 50 and told[1] + told[2] == told[3], told)

    # What makes steps slow: of a project, of a graph, of a file of ours and of others.
    def why(self):
        head, *found = self.lines(self.mlp, "--why", "--steps", "5")
        self.tap.point("why: steps and findings", head["steps"] == 5 and head["median_ns"] > 0
                       and head["findings"] == len(found) > 0, head, found)
        self.tap.point("why: the worst first, each with its figure",
                       all(0.03 <= one["share"] and any(c.isdigit() for c in one["words"])
                           and one["remedy"] for one in found), found)
        self.check("why: in words", 0, ["by their median", "1. "], self.mlp, "--why")
        self.check("why: of a graph", 0, ["9 steps"], self.graph, *FEED, "--why")
        head = self.lines("--read", "t.sltrace", "--why")[0]
        self.tap.point("why: of a file", head["steps"] == 2, head)
        (self.folder / "foreign.json").write_text(json.dumps([
            {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "name": "main"},
            {"ph": "X", "pid": 1, "tid": 1, "ts": 2, "dur": 7, "name": "decode"}]))
        head, one = self.lines("--read", "foreign.json", "--why")
        self.tap.point("why: of another program's", head["steps"] == 0 and one["node"] == "decode"
                       and abs(one["share"] - 0.7) < 1e-9 and one["step"] is None, one)
        self.check("why: of nothing", 2, ["PROJECT or GRAPH"], "--why")
        self.check("why: with a project and a file", 2, ["runs nothing"], "--read", "t.json",
                   self.mlp, "--why")

    def run(self):
        self.read()
        self.again()
        self.bad()
        self.sql()
        self.why()
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Traces(*map(os.path.abspath, sys.argv[1:3])).run()
