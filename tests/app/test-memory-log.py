#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What `sluice trace --memory-log` writes, followed event by event, as TAP.

usage: test-memory-log.py COMMAND PROJECT
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap


def follow(lines):
    """What is live at the end, by address, and the events at which the sum over the owners is not
    what the allocator counts."""
    live, sums, wrong = {}, {}, []
    for event in lines:
        if event["event"] == "step":
            live, sums = {}, {}
        if event["event"] not in ("made", "freed", "handed-on"):
            continue
        before = live.pop(event["address"], None)
        if before is not None:
            sums[before["shard"], before["class"]] -= before["bytes"]
        key = event["shard"], event["class"]
        if event["event"] != "freed":
            live[event["address"]] = event
            sums[key] = sums.get(key, 0) + event["bytes"]
        if sums[key] != event["counted"]:
            wrong.append(event)
    return live, wrong


def main(command, project):
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "memory.jsonl")
        run = subprocess.run([command, "trace", project, "--memory-log", path, "--steps", "2",
                              "--json"], capture_output=True, text=True, check=False)
        tap.point("it is written without another file", run.returncode == 0
                  and json.loads(run.stdout)["memory_log"] == path, run.stdout, run.stderr)
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    heads = [event for event in lines if event["event"] == "step"]
    tap.point("it holds both steps", [head["step"] for head in heads] == [3, 4], heads)
    tap.point("as many events as it says", [head["records"] for head in heads]
              == [sum(event["event"] not in ("step", "ran") for event in part)
                  for part in (lines[:lines.index(heads[1])], lines[lines.index(heads[1]):])])
    live, wrong = follow(lines)
    tap.point("at every event each byte has an owner", live and not wrong, wrong[:3])
    names = {event["node"]: event["class"] for event in live.values()}
    tap.point("owners have names and classes", names.get("hidden/weights") == "parameter", names)
    tap.point("it tells what ran", any(event["event"] == "ran" and event["op"] == "MatMul"
                                       for event in lines))
    tap.end()


main(*sys.argv[1:])
