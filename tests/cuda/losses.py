# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""losses.py LOG...: the losses that `sluice log --json` wrote, side by side."""
import json
import os
import sys


def show(path, series):
    steps, values = series["steps"], series["values"]
    every = max(1, len(steps) // 6)
    picked = [i for i in range(len(steps)) if i % every == 0 or i == len(steps) - 1]
    text = " ".join("%d:%.6g" % (steps[i], values[i]) for i in picked)
    print(os.path.basename(path), series["tag"], text)


for path in sys.argv[1:]:
    for line in open(path):
        try:
            series = json.loads(line)
        except ValueError:
            continue
        if "loss" in str(series.get("tag")) and isinstance(series.get("values", [0])[0], float):
            show(path, series)
