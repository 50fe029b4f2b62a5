#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice debug`: scripts that stop, look and go on, and what fails, as TAP.

usage: test-debug.py SLUICE SOURCE-FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

PATIENCE = 60  # seconds


def node(name, op, *inputs, **attrs):
    return (f'node {{ name: "{name}" op: "{op}" '
            + "".join(f'input: "{one}" ' for one in inputs)
            + "".join(f'attr {{ key: "{key}" value {{ {value} }} }} '
                      for key, value in attrs.items()) + "}\n")


FLOAT = "type: DT_FLOAT"
QUEUE = "list { type: DT_FLOAT }"
GRAPH = (node("x", "Placeholder", dtype=FLOAT) + node("s/y", "Exp", "x", T=FLOAT)
         + node("s/z", "Mul", "s/y", "x", T=FLOAT) + node("out", "Neg", "s/z", T=FLOAT)
         + node("alone", "Neg", "x", T=FLOAT)
         + node("q", "FIFOQueueV2", component_types=QUEUE)
         + node("get", "QueueDequeueV2", "q", component_types=QUEUE)
         + node("wants", "Neg", "get", T=FLOAT))


class Debug:
    def __init__(self, sluice, source, folder):
        self.sluice, self.source, self.folder = sluice, pathlib.Path(source), pathlib.Path(folder)
        self.tap = Tap()
        self.graph = self.folder / "graph.pbtxt"
        self.graph.write_text(GRAPH)

    def run(self, *lines, what=None, options=("--feed", "x=2", "--fetch", "out")):
        script = "".join(line + "\n" for line in lines)
        return subprocess.run([self.sluice, "debug", what or self.graph, *options], input=script,
                              capture_output=True, text=True, check=False, timeout=PATIENCE,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": ""})

    def said(self, *lines, **options):
        done = self.run(*lines, **options)
        return [json.loads(line) for line in done.stdout.splitlines()], done

    def fails(self, name, words, *lines, status=1, **options):
        done = self.run(*lines, **options)
        self.tap.point(name, done.returncode == status
                       and all(word in done.stderr for word in words),
                       done.returncode, done.stdout, done.stderr)

    def walk(self):
        json_options = ("--feed", "x=0", "--fetch", "out", "--json")
        lines, done = self.said("break s/z", "run", "values", "ready", "why out", "put x 5",
                                "step", "step", "step", options=json_options)
        stops = [line for line in lines if "stop" in line]
        self.tap.point("a script walks through a run", done.returncode == 0
                       and [(s["stop"], s["node"]) for s in stops]
                       == [("before", "s/z"), ("before", "out"), ("end", None)], stops, done.stderr)
        values = {(one["of"], one["edge"]): one["value"] for one in lines if "edge" in one}
        self.tap.point("it sees inputs, what ran and what is fetched", values == {
            ("input", "s/y:0"): 1, ("input", "x:0"): 0, ("ran", "s/z:0"): 5, ("ran", "out:0"): -5,
            ("fetch", "out"): -5}, values)
        why = [one for one in lines if "turn" in one]
        self.tap.point("it says why a node waits", why and why[-1]["node"] == "out"
                       and why[-1]["missing"][0]["edge"] == "s/z:0"
                       and why[-1]["missing"][0]["turn"] == "here", why)
        self.tap.point("each command ends with a line", [line["done"] for line in lines
                                                         if "command" in line] == [True] * 9)

    def again(self):
        lines, _ = self.said("break s/ if |x| > 7", "run", "next", "go", "run", "go", "delete 1",
                             "run", options=("--feed", "x=2", "--fetch", "out", "--json"))
        stops = [(one["stop"], one["node"]) for one in lines if "stop" in one]
        self.tap.point("runs follow one another", stops == [
            ("behind", "s/y"), ("behind", "s/z"), ("behind", "s/y")], stops)

    def absent(self):
        done = self.run("break alone", "break x", "break s/y if nonfinite", "run")
        words = ("alone does not run: nothing that is fetched or run needs it",
                 "x does not run: it is fed", "its condition did not hold")
        self.tap.point("breakpoints that do not stop say why", done.returncode == 0
                       and all(word in done.stdout for word in words), done.stdout, done.stderr)

    def queue(self):
        done = self.run("break wants", "run", "why", "quit", options=("--fetch", "wants"))
        self.tap.point("a run that can only wait stops, and says for what",
                       done.returncode == 0 and "nothing is ready" in done.stdout
                       and "'get'" in done.stdout and "'q'" in done.stdout, done.stdout,
                       done.stderr)

    def project(self):
        mlp = self.source / "data" / "samples" / "digits-mlp"
        lines, done = self.said("break logits/matmul if step >= 3", "run 5", "values", "go",
                                what=mlp, options=("--json",))
        stops = [one for one in lines if "stop" in one]
        self.tap.point("a project is trained step by step", done.returncode == 0 and
                       [(s["step"], s["node"]) for s in stops][:2]
                       == [(3, "logits/matmul"), (4, "logits/matmul")], stops, done.stderr)
        shapes = [one["shape"] for one in lines if one.get("of") == "input"]
        self.tap.point("its values are there", shapes == [[64, 128], [128, 10]], shapes)

    def change(self):
        """Each element by a formula, and back as long as the run is stopped."""
        lines, done = self.said("break s/z", "run", "put s/y *0", "put x +1", "put x =7", "unput",
                                "values", "unput", "unput", "values", "put s/y /2", "go",
                                options=("--feed", "x=[1,2]", "--fetch", "out", "--json"))
        values = [(one["edge"], one["value"]) for one in lines if one.get("of") == "input"]
        self.tap.point("a value is changed by a formula, and back", done.returncode == 0
                       and values[:2] == [("s/y:0", [0, 0]), ("x:0", [2, 3])]
                       and values[2][1][0] > 2.7 and values[3] == ("x:0", [1, 2]), values,
                       done.stderr)
        out = [one["value"] for one in lines if one.get("of") == "fetch"]
        self.tap.point("and the run goes on with it", out and abs(out[0][1] + 7.389) < 1e-3, out)
        self.fails("a formula without a number", ["line 3: put: s/y", "must be a number"],
                   "break s/z", "run", "put s/y *x")
        self.fails("nothing was changed", ["line 3: unput", "no value was changed"], "break s/z",
                   "run", "unput")

    def edit(self):
        """The graph is edited at a stop: the step is taken again with it, and all of it undone."""
        mlp = self.source / "data" / "samples" / "digits-mlp"
        lines, done = self.said("run 4", "break logits/matmul", "run",
                                "edit insert Softsign extra logits/bias_add:0", "delete 1", "run",
                                "unedit", "run", what=mlp, options=("--json",))
        losses = [(one["step"], one["loss"]) for one in lines if "loss" in one]
        self.tap.point("an edited graph is trained from the step that was stopped on",
                       [step for step, _ in losses] == [4, 5, 5] and losses[1] != losses[2],
                       losses, done.stderr)
        alone, _ = self.said("run 5", what=mlp, options=("--json",))
        self.tap.point("taken back, it is what it was", losses[-1] == (
            alone[0]["step"], alone[0]["loss"]), alone)
        self.fails("an edit that is wrong", ["line 1: edit", "nowhere"],
                   "edit connect nowhere:0 out:0")
        self.fails("nothing to take back", ["line 1: unedit"], "unedit")
        lines, done = self.said("edit insert Exp more s/z:0", "run", options=(
            "--feed", "x=0", "--fetch", "out", "--json"))
        self.tap.point("a graph is edited between runs", [
            one["value"] for one in lines if one.get("of") == "fetch"] == [-1], lines, done.stderr)

    def failures(self):
        self.fails("an unknown command", ["line 1", "there is no command 'brake'", "break"],
                   "brake x")
        self.fails("an unknown node", ["line 2", "nowhere"], "# comment", "break nowhere")
        self.fails("a wrong condition", ["line 1", "'x > 3' is no condition", "|x| > 10"],
                   "break out if x > 3")
        self.fails("a value that does not fit", ["line 3: put: x", "equally long"], "break s/z",
                   "run", "put x [[1],[2,3]]")
        self.fails("no such input", ["line 3: put", "s/y:0, x:0"], "break s/z", "run", "put w 1")
        for line in ("next", "values", "why", "ready", "put x 1", "unput", "where"):
            self.fails(f"{line} without a run", ["no run is stopped"], line)
        self.fails("two runs at once", ["a run is stopped"], "break s/z", "run", "run")
        self.fails("a run that fails", ["out", "line 1: run"], "run", options=("--fetch", "out"))
        self.fails("nothing to run", ["--fetch"], status=2, options=())
        self.fails("a project takes no feeds", ["--feed"], status=2,
                   what=self.source / "data" / "samples" / "digits-mlp")
        self.fails("no such script", ["gone.txt"], options=(
            "--fetch", "out", "--script", self.folder / "gone.txt"))
        done = self.run("break s/z", "run")
        self.tap.point("the end of the script ends the run", done.returncode == 0, done.stderr)


def main(sluice, source):
    with tempfile.TemporaryDirectory() as folder:
        debug = Debug(sluice, source, folder)
        for part in (debug.walk, debug.again, debug.absent, debug.queue, debug.project,
                     debug.change, debug.edit, debug.failures):
            part()
        debug.tap.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
