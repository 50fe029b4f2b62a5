#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What `sluice launch --check` says of a step's time and of the memory's peak, beside what a run
then takes: every sample at three batch sizes.

usage: bench-preflight.py SLUICE SAMPLES [--seconds S]

A line a case, then in how many of them what was measured lies within what was said, ±. Exit status
1 where that is in less than nine of ten. No part of the tests: a busy machine decides it.
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
    peaks = {item["name"]: item for item in card["items"] if item["what"] == "peak_bytes"}
    return step, peaks


def peaks_of(told):
    memory = next(line["memory"] for line in told if "memory" in line)
    return {entry["device"].split("device:")[-1]: entry["peak_bytes"] for entry in memory}


def take(sluice, project, settings, workspace, seconds, step_us):
    """Runs for so long; microseconds a step by the run's own rate, and peaks of its devices."""
    n = max(20, int(seconds * 1e6 / step_us))
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
    peaks = peaks_of(lines([*command, f"evaluate-every={max(1, n // 3)}", "--memory"]))
    late = peaks_of(lines([sluice, "train", "--resume", name, "--steps", n + 30, "--memory",
                           "--json", "--workspace", workspace]))
    peaks = {device: max(peak, late.get(device, 0)) for device, peak in peaks.items()}
    mean = statistics.mean(1e6 / rate for rate in rates) if rates else None
    return mean or 1e6 * ran["seconds_active"] / n, peaks


def fits(item, value):
    return abs(value - item["value"]) <= item["plus_minus"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=4)
    args = parser.parse_args()
    hits = {"time": [], "memory": []}
    print(f"{'sample':14} {'batch':>5} {'said µs':>12} {'±':>10} {'took µs':>12}      "
          f"{'said bytes':>12} {'±':>10} {'took':>12}")
    with tempfile.TemporaryDirectory() as workspace:
        for name in SAMPLES:
            project = args.samples / name
            for batch in batches_of(project):
                settings = QUIET + ([f"batch={batch}"] if batch else [])
                step, peaks = say(args.sluice, project, settings, workspace)
                took, memory = take(args.sluice, project, settings, workspace, args.seconds,
                                    step["value"])
                device = max(peaks, key=lambda d: peaks[d]["value"])
                peak = peaks[device]
                hits["time"].append(fits(step, took))
                hits["memory"].append(all(fits(peaks[d], memory.get(d, 0)) for d in peaks))
                marks = ["ok" if hits[what][-1] else "--" for what in ("time", "memory")]
                print(f"{name:14} {batch or '-':>5} {step['value']:12.1f} "
                      f"{step['plus_minus']:10.1f} {took:12.1f} {marks[0]}   "
                      f"{peak['value']:12.0f} {peak['plus_minus']:10.0f} "
                      f"{memory.get(device, 0):12.0f} {marks[1]}", flush=True)
    for what, found in hits.items():
        print(f"{what}: {sum(found)} of {len(found)} within ±")
    sys.exit(0 if all(sum(found) >= 0.9 * len(found) for found in hits.values()) else 1)


main()
