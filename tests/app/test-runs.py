#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice runs`: the table, the filter, and what is said of runs. As TAP.

usage: test-runs.py SLUICE PROJECT
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

STEPS = 40


class Runs:
    """The command on one workspace."""

    def __init__(self, sluice, folder):
        self.sluice, self.folder = sluice, folder

    def call(self, verb, *words, given=None):
        return subprocess.run([self.sluice, verb, *words, "--workspace", self.folder], input=given,
                              capture_output=True, text=True, timeout=120)

    def rows(self, *words, given=None):
        ended = self.call("runs", *words, "--json", given=given)
        assert ended.returncode == 0, ended.stderr
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def names(self, text, *words):
        return sorted(row["run"] for row in self.rows("--filter", text, *words))


def train(runs, project):
    for name, rate in (("slow", "0.001"), ("quick", "0.05"), ("other", None)):
        setting = [f"--set=learning-rate={rate}"] if rate else []
        ended = runs.call("train", project, f"--steps={STEPS}", f"--run={name}", *setting)
        assert ended.returncode == 0, ended.stderr


def check_table(tap, runs):
    rows = runs.rows()
    tap.point("the newest run is first",
              [row["run"] for row in rows] == ["other", "quick", "slow"], rows)
    slow = rows[2]
    loss = slow["results"]["loss"]
    logged = [json.loads(line) for line in
              runs.call("log", "--run=slow", "--tag=^loss$", "--json").stdout.splitlines()][0]
    values = logged["values"]
    tap.point("results are those of the log",
              loss["first"] == values[0] and loss["last"] == values[-1]
              and loss["best"] == min(values)
              and loss["best_step"] == logged["steps"][values.index(min(values))], loss, values)
    accuracy = slow["results"]["evaluate/accuracy"]
    tap.point("the best accuracy is the greatest", accuracy["best"] >= accuracy["last"], accuracy)
    tap.point("settings are what was set, or what the graph has",
              slow["settings"]["learning-rate"] == 0.001 and slow["settings"]["steps"] == STEPS
              and rows[0]["settings"]["learning-rate"] == 0.003, slow["settings"])
    tap.point("a run begins without a word said of it",
              slow["tags"] == [] and slow["notes"] is None and slow["group"] is None
              and not slow["starred"] and slow["parent"] is None, slow)
    text = runs.call("runs").stdout
    tap.point("the text has a line a run", len(text.splitlines()) == 3 and "finished" in text, text)


def check_words(tap, runs):
    row = runs.rows("rename", "quick", "quick one")[0]
    tap.point("a run is renamed", row["run"] == "quick one", row)
    row = runs.rows("tag", "quick one", "+paper", "+lenet", "-never")[0]
    row = runs.rows("tag", "quick one", "-lenet", "+a b")[0]
    tap.point("tags are given and taken away", row["tags"] == ["a b", "paper"], row)
    row = runs.rows("note", "quick one", "-", given="# Why\n\nΔ learns")[0]
    tap.point("notes come from standard input", row["notes"] == "# Why\n\nΔ learns", row)
    row = runs.rows("star", f"#{row['id']}", "on")[0]
    tap.point("a run is named by its number, too", row["run"] == "quick one" and row["starred"],
              row)


def check_color(tap, runs):
    row = runs.rows("color", "quick one", "#2EC27E")[0]
    tap.point("a run gets a colour", row["color"] == "#2ec27e", row)
    row = runs.rows("color", "quick one", "none")[0]
    tap.point("and goes by its number again", row["color"] is None, row)
    ended = runs.call("runs", "color", "quick one", "greenish")
    tap.point("what is no colour is refused, with one that is",
              ended.returncode == 1 and "write red, green and blue as #3584e4" in ended.stderr,
              ended.returncode, ended.stderr)


def check_filter(tap, runs):
    for text, want in (("", ["other", "quick one", "slow"]), ("tag:paper", ["quick one"]),
                       ("learning-rate<0.01", ["other", "slow"]),
                       ("learning-rate > 0.01", ["quick one"]),
                       ("is:starred", ["quick one"]), ("-is:starred state:fin", ["other", "slow"]),
                       ("learns", ["quick one"]), ("loss<100 -slow", ["other", "quick one"]),
                       ("nothing<1", [])):
        found = runs.names(text)
        tap.point(f"filter '{text}'", found == want, found)
    ended = runs.call("runs", "--filter", "tagg:x")
    tap.point("a filter that is none is refused",
              ended.returncode == 2 and "did you mean 'tag:'?" in ended.stderr, ended.stderr)


def check_importance(tap, runs, project):
    """Of three runs nothing can be said; of six, which differ by their rate alone, all of it."""
    few = runs.rows("importance")[0]
    tap.point("too few runs say nothing, and why",
              few["runs"] == 3 and few["result"] == "evaluate/accuracy"
              and all(s["share"] is None and "too few" in s["why"] for s in few["settings"]), few)
    runs.call("sweep", project, "learning-rate=0.1,0.00001", "seed=1,2,3", "--steps", "20",
              "--group", "rates")
    told = runs.rows("importance", "--result", "loss", "--filter", "group:rates")[0]
    rate = told["settings"][0]
    tap.point("what decides is told, with its ±",
              told["runs"] == 6 and [s["name"] for s in told["settings"]] == ["learning-rate"]
              and rate["share"] > 0.5 and rate["plus_minus"] >= 0 and rate["values"] == 2
              and rate["correlation"] < 0, told)
    for words, status, part in ((["--result", "nope"], 1, "none of 9 runs has the result 'nope'"),
                                (["--filter", "name:nobody"], 1, "none of 0 runs"),
                                (["slow"], 2, "--filter says of which runs")):
        ended = runs.call("runs", "importance", *words)
        tap.point("refused: importance " + " ".join(words),
                  ended.returncode == status and part in ended.stderr, ended.stderr)


def check_trash(tap, runs):
    deleted = runs.rows("delete", "slow", "other")
    tap.point("several runs are deleted at once",
              sorted(row["run"] for row in deleted) == ["other", "slow"]
              and [row["run"] for row in runs.rows()] == ["quick one"], deleted)
    tap.point("the trash has them, with all they hold",
              runs.names("loss<100", "--trash") == ["other", "slow"])
    ended = runs.call("runs", "star", "slow", "on")
    tap.point("who asks for one learns where it is", "in the trash" in ended.stderr, ended.stderr)
    ended = runs.call("runs", "rename", "quick one", "slow")
    tap.point("its name stays its own", ended.returncode == 1 and "already" in ended.stderr,
              ended.stderr)
    runs.rows("restore", "slow", "other")
    tap.point("and they are restored", len(runs.rows()) == 3 and runs.rows("--trash") == [])


def check_empty(tap, runs):
    """For good, by name, age and size."""
    for words, status, part in (((), 2, "--older or --larger"),
                                (("slow", "--larger=1"), 2, "--older or --larger"),
                                (("slow",), 1, "slow"), (("--older=-1",), 2, "--older")):
        ended = runs.call("runs", "empty", *words)
        tap.point(f"refused: empty {' '.join(words)}",
                  ended.returncode == status and part in ended.stderr, ended.stderr)
    runs.rows("delete", "slow", "other")
    tap.point("what lies within the limits stays",
              runs.rows("empty", "--older=1") == [] and runs.rows("empty", "--larger=1000") == []
              and len(runs.rows("--trash")) == 2)
    gone = runs.rows("empty", "slow")
    tap.point("a run that is named goes for good", [row["run"] for row in gone] == ["slow"]
              and gone[0]["bytes"] > 0 and len(runs.rows("--trash")) == 1
              and not os.path.exists(os.path.join(runs.folder, "runs", str(gone[0]["id"]))), gone)
    big = os.path.join(runs.folder, "runs", str(runs.rows("--trash")[0]["id"]), "big")
    with open(big, "wb") as file:
        file.write(bytes(3_000_000))
    gone = runs.rows("empty", "--larger=2")
    tap.point("so does what is beyond the size", [row["run"] for row in gone] == ["other"]
              and runs.rows("--trash") == [], gone)


def check_lost(tap, runs):
    """The folders say it, too."""
    for path in pathlib.Path(runs.folder).glob("sluice.db*"):
        path.unlink()
    ended = runs.call("reindex")
    row = [row for row in runs.rows() if row["run"] == "quick one"]
    tap.point("what was said outlives the database",
              ended.returncode == 0 and len(row) == 1 and row[0]["tags"] == ["a b", "paper"]
              and row[0]["starred"] and row[0]["notes"] == "# Why\n\nΔ learns", ended.stderr, row)


def check_refused(tap, runs):
    for words, status, part in ((["rename", "slow"], 2, "give a RUN"),
                                (["rename", "nobody", "x"], 1, "there is no run 'nobody'"),
                                (["rename", "slow", "a\nb"], 1, "the name of the run"),
                                (["tag", "slow", "paper"], 1, "+TAG"),
                                (["star", "slow", "perhaps"], 1, "on or off"),
                                (["delete", "slow", "nobody"], 1, "there is no run 'nobody'"),
                                (["frobnicate", "slow"], 2, "is not known"),
                                (["tag", "slow", "+x", "--trash"], 2, "--trash are of the list")):
        ended = runs.call("runs", *words)
        tap.point("refused: " + " ".join(words).replace("\n", " "),
                  ended.returncode == status and part in ended.stderr, ended.stderr)
    tap.point("and nothing was done by halves", "slow" in runs.names(""))


def main():
    sluice, project = sys.argv[1:]
    tap, folder = Tap(), tempfile.mkdtemp()
    try:
        runs = Runs(sluice, folder)
        train(runs, project)
        check_table(tap, runs)
        check_words(tap, runs)
    check_color(tap, runs)
        check_filter(tap, runs)
        check_trash(tap, runs)
        check_refused(tap, runs)
        check_importance(tap, runs, project)
        check_lost(tap, runs)
        check_empty(tap, runs)
    finally:
        shutil.rmtree(folder)
    tap.end()


main()
