# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""gaps.py TRACE: of a Chrome trace of `sluice trace`: the nodes on CUDA devices, how long they
take, the gaps between them, and the kinds that take most."""
import collections
import json
import os
import sys


def is_cuda(event):
    return event["name"] == "process_name" and "CUDA" in event["args"]["name"]


trace = json.load(open(sys.argv[1]))["traceEvents"]
pids = {e["pid"] for e in trace if e["ph"] == "M" and is_cuda(e)}
spans = sorted((e for e in trace if e["ph"] == "X"), key=lambda e: e["ts"])
device = [e for e in spans if e["pid"] in pids]
print(os.path.basename(sys.argv[1]), len(spans), "spans,", len(device), "on CUDA")
if device:
    gaps = sorted(max(0, b["ts"] - a["ts"] - a["dur"]) for a, b in zip(device, device[1:]))
    kinds = collections.Counter()
    for e in device:
        kinds[e["args"]["op"]] += e["dur"]
    print("  node %.1f us in the mean, gap %.2f us in the median" % (
        sum(e["dur"] for e in device) / len(device), gaps[len(gaps) // 2] if gaps else 0))
    print("  slowest: " + ", ".join("%s %.0f" % k for k in kinds.most_common(8)))
