#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The samples train, as TAP: a few steps each, or with --whole all of them to what they promise.

usage: test-samples.py SLUICE SOURCE-FOLDER [--whole] [--only NAME,NAME] [--device TYPE:N]
                       [--window WORKBENCH [--pictures FOLDER]]

With --window they train in the workbench instead, where loops, their iterations and the devices are
looked for in the graph and the figures among the charts; that needs a display and a session bus
(tests/lib/xvfb-test.sh) and Debian's python3. --pictures draws the display at each stage.
"""
import argparse
import configparser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

# Steps of the short form, and whether what is evaluated (or the loss) is good after all of them.
SAMPLES = {
    "cart-pole": (3, lambda end: end["evaluation"] >= 150),
    "digits-lenet": (5, lambda end: end["evaluation"] >= 0.98),
    "digits-mlp": (5, lambda end: end["evaluation"] >= 0.95),
    "hogwild": (8, lambda end: end["evaluation"] >= 0.98),
    "lstm": (2, lambda end: end["evaluation"] <= 2.5),
    "moe": (5, lambda end: end["evaluation"] >= 0.97),
    "towers": (5, lambda end: end["evaluation"] >= 0.98),
    "word2vec": (5, lambda end: end["loss"] < 0.6 * end["first loss"]),
}
# What the graph of some shows: the scope of a loop, and how often it goes round in a step where
# that is fixed; devices.
LOOPS = {"cart-pole": ("episode/steps", None), "lstm": ("lstm/steps", 64)}
DEVICES = {"hogwild": 4, "towers": 4}


def train(options, folder, workspace):
    """What the last line of its JSON says, and the loss of the first."""
    command = [options.sluice, "train", folder, "--workspace", workspace, "--run", "run", "--json",
               "--device", options.device]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    print(f"# {folder.name}: {time.monotonic() - begun:.1f} s", flush=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        return {}, done.stderr
    # Where a first step takes long there is a line before it, which has no loss yet.
    first = next(line["loss"] for line in lines if line["step"] > 0)
    return {**lines[-1], "first loss": first}, done.stderr


def read_number(text):
    """"98.3 %", "1 234" and "−1.2e−6" as the window writes them."""
    match = re.search(r"([−\d][\d.\s]*(?:e−?\d+)?)\s*(%?)", text)
    number = float(re.sub(r"\s", "", match[1]).replace("−", "-"))
    return number / 100 if match[2] else number


class Window:
    """A sample in the workbench."""

    def __init__(self, tap, program, folder, workspace, pictures):
        import workbench  # which needs gi, that not every python3 has
        self.tap, self.name, self.pictures = tap, folder.name, pictures
        self.take_picture = workbench.take_picture
        self.application = workbench.APPLICATION
        self.project = configparser.ConfigParser(interpolation=None)
        self.project.read(folder / "project.ini")
        self.workbench = workbench.Workbench(program, str(folder), workspace)
        self.workbench.wait(lambda s: s["settled"])

    def act(self, action, argument=None):
        from gi.repository import GLib
        self.workbench.act(action, *([GLib.Variant("s", argument)] if argument is not None else []))

    def picture(self, stage):
        if self.pictures:
            self.take_picture(os.path.join(self.pictures, f"{self.name}-{stage}.png"))

    def first_step(self):
        """The loss of the first step, after which the run is paused."""
        self.act("step")
        # What the step was saved with is shown a moment after the step.
        state = self.workbench.wait(lambda s: s["control"] == "paused" and s["step"] == 1
                                    and "loss " in s["status"])
        return read_number(re.search(r"loss (\S+)", state["status"])[1])

    def look_at_loop(self, scope, rounds):
        w = self.workbench
        self.act("select", scope)
        # The trace is read while the step runs: for a moment its loop has not come to its end.
        wanted = rf"Iterations in a step: ({rounds or '[1-9][0-9]*'})\n"
        w.wait(lambda s: re.search(wanted, s["inspector"]) and s["settled"])
        self.tap.point(f"{self.name}'s loop says how often it went round", True)
        label = rf"scope {scope.split('/')[-1]}, loop · {rounds or '[1-9][0-9]*'} iterations,"
        w.until(lambda: any(re.match(label, o.label()) for o in w.accessible().tree()
                            if o.role() == "tree item"))
        self.act("graph", "open")
        w.wait(lambda s: scope in s["graph"]["open"] and s["settled"])
        self.act("graph", "fit-selection")
        state = w.wait(lambda s: s["settled"])
        body = [i["name"] for i in state["graph"]["items"] if i["name"].startswith(scope + "/")]
        self.tap.point("and shows its body", any("NextIteration" in name for name in body), body)

    def look_at_devices(self, n_devices):
        w = self.workbench
        w.find_in("Graph", "button", "device").act()
        names = [f"CPU:{i}" for i in range(n_devices)]
        shown = w.until(lambda: [o.label() for o in w.accessible().tree() if o.role() == "label"
                                 and o.label().startswith("● CPU:")])
        self.tap.point(f"{self.name}'s devices have their colours",
                       [s.split()[1] for s in shown] == names, shown)

    def finish(self):
        """Trains on until the end, which comes when it comes; the last state."""
        self.act("start")
        state = self.workbench.wait(lambda s: s["step"] > 1)
        self.picture("running")
        while state["control"] != "idle":
            step = state["step"]
            state = self.workbench.wait(lambda s, step=step: s["step"] > step
                                        or s["control"] == "idle")
            time.sleep(0.2)  # looking is work for the window as well
        return self.workbench.wait(lambda s: s["settled"])

    def read_figures(self, state, first_loss):
        """What is shown at the end, as train() tells it."""
        end = {"first loss": first_loss}
        n_steps = int(self.project["train"]["steps"])
        at = rf"at step {n_steps:,}$".replace(",", "\\s")

        def shows(s):
            end.update({tag: read_number(text.split(self.name, 1)[1])
                        for tag, text in s["charts"]["cards"].items()
                        if tag in wanted and re.search(at, text)})
            return set(wanted) <= set(end)

        wanted = {"loss"}
        evaluation = self.project["evaluate"].get("fetches", "").split(":")[0]
        if evaluation:
            wanted.add("evaluate/" + evaluation)
        self.act("show-page", "charts")
        self.workbench.wait(shows)
        if evaluation:
            end["evaluation"] = end["evaluate/" + evaluation]
            shown = read_number(state["status"].split(" · test ")[1])
            self.tap.point(f"{self.name}'s figure is in the status line",
                           abs(shown - end["evaluation"]) <= 1e-3 * abs(shown), state["status"])
        return end

    def train(self):
        loss = self.first_step()
        if self.name in LOOPS:
            self.look_at_loop(*LOOPS[self.name])
        if self.name in DEVICES:
            self.look_at_devices(DEVICES[self.name])
        begun = time.monotonic()
        state = self.finish()
        print(f"# {self.name}: {time.monotonic() - begun:.1f} s", flush=True)
        if state["failure"] != "" or state["step"] != int(self.project["train"]["steps"]):
            return {}, state["failure"]
        self.picture("graph")
        end = self.read_figures(state, loss)
        row = self.workbench.until(lambda: next(
            (o.label() for o in self.workbench.accessible().tree()
             if o.role() == "label" and o.label().startswith("finished")), None))
        self.picture("charts")
        self.workbench.act("toggle-dark", path=self.application)
        self.workbench.wait(lambda s: s["settled"])
        self.picture("charts-dark")
        return {**end, "state": "finished"}, row

    def texts(self, name):
        """The lines of a text among the charts."""
        state = self.workbench.wait(lambda s: s["charts"]["cards"].get(name))
        return state["charts"]["cards"][name].split("\n")


def shorten(folder, steps):
    """A project of few steps, evaluated once."""
    path = folder / "project.ini"
    text = path.read_text()
    for key, value in (("steps", steps), ("evaluate-every", steps), ("summary-every", 2)):
        text = re.sub(rf"^{key}=.*$", f"{key}={value}", text, flags=re.MULTILINE)
    path.write_text(text)


def test_sample(tap, options, folder, workspace):
    """Trains it and looks at what it promises."""
    if options.window:
        window = Window(tap, options.window, folder, workspace, options.pictures)
        end, errors = window.train()
    else:
        end, errors = train(options, folder, workspace)
    is_good = SAMPLES[folder.name][1]
    good = end.get("state") == "finished" and (not options.whole or is_good(end))
    if tap.point(f"{folder.name} trains", good, end, errors):
        print(f"# {end}", flush=True)
    if folder.name == "word2vec":
        lines = window.texts("neighbours.txt") if options.window else \
            (pathlib.Path(workspace) / "runs/1/neighbours.txt").read_text().split("\n")
        tap.point("its words have neighbours", lines[0].startswith("mr: "), lines)
        if options.whole:
            tap.point("sensible ones", "mrs" in lines[0].split(), lines)
    if options.window:
        tap.point("and the window closes", window.workbench.quit() == 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("source")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--device", default="CPU:0")
    parser.add_argument("--window")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    tap = Tap()
    samples = pathlib.Path(options.source) / "data" / "samples"
    found = {path.parent.name for path in samples.glob("*/project.ini")}
    tap.point("every sample is tested", found == set(SAMPLES), found ^ set(SAMPLES))
    with tempfile.TemporaryDirectory() as temporary:
        # A copy: what is opened in the window is saved beside the graph.
        copy = pathlib.Path(temporary) / "samples"
        shutil.copytree(samples, copy)
        for name in options.only.split(",") if options.only else SAMPLES:
            checked = subprocess.run([options.sluice, "check", copy / name], capture_output=True,
                                     text=True, check=False, timeout=300)
            tap.point(f"{name} has no problems", checked.returncode == 0, checked.stdout)
            if not options.whole:
                shorten(copy / name, SAMPLES[name][0])
            workspace = os.path.join(temporary, "runs of " + name)
            try:
                test_sample(tap, options, copy / name, workspace)
            except RuntimeError as error:  # of the window
                tap.point(f"{name} goes on to its end", False, error)
    tap.end()


main()
