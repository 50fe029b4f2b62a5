# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""losses.py LOG...: the losses that `sluice log --json` wrote, side by side."""
import json
import os
import sys

for path in sys.argv[1:]:
    for line in open(path):
        try:
            series = json.loads(line)
        except ValueError:
            continue
        if "loss" in str(series.get("tag")) and isinstance(series.get("values", [None])[0], float):
            steps = series["steps"]
            pick = [i for i in range(len(steps)) if i % max(1, len(steps) // 6) == 0 or i == len(steps) - 1]
            print(os.path.basename(path), series["tag"], " ".join("%d:%.6g" % (steps[i], series["values"][i]) for i in pick))
