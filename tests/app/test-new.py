#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Projects are made from data, as TAP.

usage: test-new.py COMMAND SAMPLES
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap


class New:
    def __init__(self, tap, command, samples, folder):
        self.tap, self.command, self.folder = tap, command, folder
        self.digits = os.path.join(samples, "data", "digits")

    def run(self, *arguments):
        return subprocess.run([self.command, *arguments], capture_output=True, text=True,
                              check=False)

    def place(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.place(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.place(name)

    def of_digits(self, name, *more):
        def split(kind):
            return [os.path.join(self.digits, f"{kind}-{what}-ubyte.gz")
                    for what in ("images-idx3", "labels-idx1")]
        (x, y), (test_x, test_y) = split("train"), split("t10k")
        return self.run("new", self.place(name), "--data", x, "--labels", y, "--test-data", test_x,
                        "--test-labels", test_y, *more)

    def accuracy(self, name, steps):
        done = self.run("train", self.place(name), "--workspace", self.place("runs"), "--steps",
                        str(steps), "--json")
        ends = [json.loads(line) for line in done.stdout.splitlines()]
        return ends[-1]["evaluation"] if ends else done.stderr

    def digits_are_learnt(self):
        for model, steps in (("dense", 600), ("convolution", 150)):
            done = self.of_digits(model, "--model", model)
            self.tap.point(f"a project with a model, {model}", done.returncode == 0
                           and "10 classes" in done.stdout, done.stdout, done.stderr)
            accuracy = self.accuracy(model, steps)
            self.tap.point("which learns", isinstance(accuracy, float) and accuracy > 0.95,
                           accuracy)

    def columns_alone(self):
        done = self.of_digits("columns", "--model", "none", "--json")
        about = json.loads(done.stdout)
        self.tap.point("the columns alone", (about["examples"], about["test"], about["classes"],
                                             about["shape"]) == (1437, 360, 10, "[8,8,1]"), about)
        done = self.run("train", self.place("columns"), "--workspace", self.place("runs"))
        self.tap.point("which cannot be trained, and says what is wanted", done.returncode == 1
                       and "nothing to train yet" in done.stderr, done.stderr)

    def tables(self):
        rows = "".join(f"{i % 7},{i % 3},{(i % 7 + i % 3) % 2}\n" for i in range(210))
        table = self.write("table.csv", "a,b,class\n" + rows)
        done = self.run("new", self.place("table"), "--data", table)
        self.tap.point("a table whose last column is the class", done.returncode == 0
                       and "2 classes" in done.stdout, done.stdout, done.stderr)
        prices = self.write("prices.csv", "".join(f"{i},{i * 0.5}\n" for i in range(50)))
        done = self.run("new", self.place("prices"), "--data", prices)
        self.tap.point("of a quantity no model is proposed", done.returncode == 1
                       and "classes alone" in done.stderr, done.stderr)
        self.tap.point("and nothing is left of it", not os.path.exists(self.place("prices")))
        done = self.run("new", self.place("prices"), "--data", prices, "--model", "none")
        self.tap.point("its columns can be had", done.returncode == 0, done.stderr)
        self.tap.point("without a model nothing is to be trained", "train it" not in done.stdout
                       and "sluice edit" in done.stdout, done.stdout)

    def refusals(self):
        done = self.of_digits("dense")
        self.tap.point("what is there is not written over", done.returncode == 1
                       and "already" in done.stderr, done.stderr)
        done = self.run("new", self.place("no"), "--data", self.place("nothing.gz"))
        self.tap.point("files that are not there", done.returncode == 1
                       and "nothing.gz" in done.stderr, done.stderr)
        done = self.run("new", self.place("no"), "--data", self.write("bad.csv", "a,b\n1,x\n"))
        self.tap.point("files that cannot be read", done.returncode == 1
                       and "bad.csv" in done.stderr, done.stderr)
        left = [name for name in os.listdir(self.folder) if name.startswith(".")]
        self.tap.point("leave nothing behind", not left and not os.path.exists(self.place("no")),
                       left)
        done = self.run("new", self.place("no"), "--model", "none")
        self.tap.point("no data is a wrong command line", done.returncode == 2, done.stderr)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        new = New(tap, *map(os.path.abspath, sys.argv[1:3]), folder)
        new.digits_are_learnt()
        new.columns_alone()
        new.tables()
        new.refusals()
    tap.end()


if __name__ == "__main__":
    main()
