# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""gaps.py TRACE: of a Chrome trace of `sluice trace`: a step's nodes on CUDA devices, their time, the gaps between them, and the
slowest kinds."""
import collections
import json
import os
import sys

trace = json.load(open(sys.argv[1]))
events = trace["traceEvents"] if isinstance(trace, dict) else trace
names = {(e["pid"], e.get("tid")): str(e.get("args", {}).get("name", "")) for e in events if e.get("ph") == "M"}
spans = sorted((e for e in events if e.get("ph") == "X"), key=lambda e: e["ts"])
device = [e for e in spans if "CUDA" in json.dumps(e.get("args", {})) or "CUDA" in names.get((e["pid"], e.get("tid")), "")
          or "CUDA" in names.get((e["pid"], None), "")]
print(os.path.basename(sys.argv[1]), len(spans), "spans,", len(device), "on CUDA")
if device:
    gaps = [max(0, b["ts"] - a["ts"] - a["dur"]) for a, b in zip(device, device[1:])]
    short = sorted(g for g in gaps if g < 1000)
    kinds = collections.Counter()
    for e in device:
        kinds[str(e.get("args", {}).get("op", e["name"]))] += e["dur"]
    print("  node %.1f us in the mean, gap %.1f us in the median of %d, slowest: %s" % (
        sum(e["dur"] for e in device) / len(device), short[len(short) // 2] if short else 0, len(short),
        ", ".join("%s %.0f" % k for k in kinds.most_common(8))))
