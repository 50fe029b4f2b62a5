#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What `sluice launch --check` says of a step's time and of the memory's peak, beside what a run
then takes: every sample at three batch sizes.

usage: bench-preflight.py SLUICE SAMPLES [--seconds S]

A line a case, then in how many of them what was measured lies within what was said, ±, and how
wide that is in the median; the same of what was modelled before a step was taken, where that has a
±. Exit status 1 where a prediction holds in less than nine of ten. Some two and a half minutes. No
part of the tests: a busy machine decides it.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

SAMPLES = ["digits-mlp", "digits-lenet", "moe", "lstm", "word2vec", "towers", "cart-pole",
           "hogwild"]
QUIET = ["checkpoint-every=0"]


def lines(command):
    ended = subprocess.run(list(map(str, command)), text=True, capture_output=True, timeout=600)
    if ended.returncode != 0:
        sys.exit(f"{command}: {ended.stderr}")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def batches_of(project):
    for line in (project / "project.ini").read_text().splitlines():
        if line.startswith("batch="):
            batch = int(line[len("batch="):])
            return [batch // 2, batch, 2 * batch]
    return [None] * 3


def say(sluice, project, settings, workspace):
    card, = lines([sluice, "launch", project, *settings, "--check", "--json", "--workspace",
                   workspace])
    step = next(item for item in card["items"] if item["what"] == "step_us")
    model = next(item for item in card["items"] if item["what"] == "model_us")
    peaks, plans = ({item["name"]: item for item in card["items"] if item["what"] == what}
                    for what in ("peak_bytes", "plan_bytes"))
    return step, peaks, model, plans


def peaks_of(told):
    memory = next(line["memory"] for line in told if "memory" in line)
    return {entry["device"].split("device:")[-1]: entry["peak_bytes"] for entry in memory}


def take(sluice, project, settings, workspace, seconds, step_us):
    """Runs for so long; microseconds a step by the run's own rate, and peaks of its devices."""
    n = max(20, int(seconds * 1e6 / step_us))
    few = max(20, n // 3)
    command = [sluice, "launch", project, *settings, f"steps={n}", "--json", "--workspace",
               workspace]
    told = lines([*command, "evaluate-every=0"])
    name = next(line["run"] for line in reversed(told) if "run" in line)
    logged = lines([sluice, "log", "--run", name, "--tag", "^system/steps-per-second$", "--json",
                    "--workspace", workspace])
    rates = [value for line in logged for value in line["values"] if value > 0]
    ran, = [line for line in lines([sluice, "runs", "--json", "--workspace", workspace])
            if line["run"] == name]
    # The first steps tell their memory, and those of which there are loops of other lengths.
    peaks = peaks_of(lines([*command, f"steps={few}", f"evaluate-every={max(1, few // 3)}",
                            "summary-every=1", "--memory"]))
    late = peaks_of(lines([sluice, "train", "--resume", name, "--steps", n + 30, "--memory",
                           "--json", "--workspace", workspace]))
    # What is recorded ends after the second step, in which an evaluation may have only begun.
    evaluated = peaks_of(lines([*command, "steps=2", "evaluate-every=1", "summary-every=1",
                                "--memory"]))
    peaks = {device: max(peak, late.get(device, 0), evaluated.get(device, 0))
             for device, peak in peaks.items()}
    mean = statistics.mean(1e6 / rate for rate in rates) if rates else None
    return mean or 1e6 * ran["seconds_active"] / n, peaks


class Score:
    """In how many cases a figure lay within its ±, and how wide that was."""

    def __init__(self, what):
        self.what, self.found, self.widths = what, [], []

    def add(self, said, took):
        """said: items; took: a value each. What has no ± promises nothing."""
        pairs = [(item, value) for item, value in zip(said, took)
                 if item["plus_minus"] is not None]
        if not pairs:
            return " ."
        ok = all(abs(value - item["value"]) <= item["plus_minus"] for item, value in pairs)
        self.found.append(ok)
        self.widths += [item["plus_minus"] / item["value"] for item, _ in pairs]
        return "ok" if ok else "--"

    def tell(self):
        print(f"{self.what}: {sum(self.found)} of {len(self.found)} within ±, which is "
              f"{100 * statistics.median(self.widths):.0f} % in the median")
        return sum(self.found) >= 0.9 * len(self.found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=3)
    args = parser.parse_args()
    scores = {what: Score(what) for what in ("time", "memory", "modelled time", "planned memory")}
    print(f"{'sample':14} {'batch':>5} {'said µs':>11} {'±':>9} {'model':>11} {'took µs':>11}     "
          f"{'said B':>11} {'±':>9} {'plan':>11} {'took':>11}")
    with tempfile.TemporaryDirectory() as workspace:
        for name in SAMPLES:
            project = args.samples / name
            for batch in batches_of(project):
                settings = QUIET + ([f"batch={batch}"] if batch else [])
                step, peaks, model, plans = say(args.sluice, project, settings, workspace)
                took, memory = take(args.sluice, project, settings, workspace, args.seconds,
                                    step["value"])
                device = max(peaks, key=lambda d: peaks[d]["value"])
                used = [memory.get(d, 0) for d in peaks]
                marks = [scores["time"].add([step], [took]),
                         scores["modelled time"].add([model], [took]),
                         scores["memory"].add(peaks.values(), used),
                         scores["planned memory"].add([plans[d] for d in peaks if d in plans],
                                                      [memory.get(d, 0) for d in peaks
                                                       if d in plans])]
                print(f"{name:14} {batch or '-':>5} {step['value']:11.1f} "
                      f"{step['plus_minus']:9.1f} {model['value']:11.1f} {took:11.1f} {marks[0]} "
                      f"{marks[1]} {peaks[device]['value']:11.0f} "
                      f"{peaks[device]['plus_minus']:9.0f} {plans[device]['value']:11.0f} "
                      f"{memory.get(device, 0):11.0f} {marks[2]} {marks[3]}", flush=True)
    held = {what: score.tell() for what, score in scores.items()}
    sys.exit(0 if held["time"] and held["memory"] else 1)


main()
