#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What `sluice trace --out F.pftrace` writes, read by Perfetto's own code and compared with the
same events in SQLite: by its trace processor where one is named, which also opens the JSON, else by
its protobuf classes.

usage: check-perfetto.py SLUICE PROJECT [TRACE-PROCESSOR-SHELL]     needs PyPI: perfetto, protobuf
"""
import collections
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

SLICES = "SELECT name, start, dur FROM events ORDER BY start, dur, name"


def read_ours(sluice, folder):
    """What was written to a .sltrace, as rows of a database."""
    path = folder / "t.db"
    subprocess.run([sluice, "trace", "--read", folder / "t.sltrace", "--out", path], check=True,
                   stdout=subprocess.DEVNULL)
    with sqlite3.connect(path) as db:
        slices = db.execute(SLICES).fetchall()
        return slices, db.execute("SELECT COUNT(*) FROM flows").fetchone()[0]


def read_packets(path):
    """Slices and flows by Perfetto's descriptors alone."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
    trace, slices, flows = Trace(), [], collections.Counter()
    trace.ParseFromString(path.read_bytes())
    opened = collections.defaultdict(list)
    for packet in trace.packet:
        event = packet.track_event
        if not packet.HasField("track_event"):
            continue
        flows.update([*event.flow_ids, *event.terminating_flow_ids])
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            opened[event.track_uuid].append((event.name, packet.timestamp))
        elif event.type == TrackEvent.TYPE_SLICE_END:
            name, start = opened[event.track_uuid].pop()
            slices.append((name, start, packet.timestamp - start))
    if any(opened.values()):
        sys.exit("slices are open at the end")
    return slices, sum(count == 2 for count in flows.values())


def read_processor(path, shell):
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
    with TraceProcessor(trace=str(path), config=TraceProcessorConfig(bin_path=shell)) as tp:
        slices = [(row.name, row.ts, row.dur)
                  for row in tp.query("SELECT name, ts, dur FROM slice")]
        flows = next(iter(tp.query("SELECT COUNT(*) AS n FROM flow"))).n
        return slices, flows


def compare(name, ours, theirs):
    """Of each event name and length; times count from where a trace begins."""
    def table(slices):
        zero = min(start for _, start, _ in slices)
        return sorted((start - zero, dur, name) for name, start, dur in slices)
    same = table(ours[0]) == table(theirs[0]) and ours[1] == theirs[1]
    print(f"{'ok' if same else 'DIFFERS'} {name}: {len(theirs[0])} slices of {len(ours[0])}, "
          f"{sum(dur for *_, dur in theirs[0])} ns of {sum(dur for *_, dur in ours[0])}, "
          f"{theirs[1]} flows of {ours[1]}")
    return same


def main(sluice, project, shell=None):
    folder = pathlib.Path(tempfile.mkdtemp())
    for name in ("t.json", "t.pftrace"):
        subprocess.run([sluice, "trace", project, "--cpus", "2", "--steps", "5", "--out",
                        folder / name], check=True, stdout=subprocess.DEVNULL)
    same = True
    for name in ("t.json", "t.pftrace"):
        subprocess.run([sluice, "trace", "--read", folder / name, "--out", folder / "t.sltrace"],
                       check=True, stdout=subprocess.DEVNULL)
        ours = read_ours(sluice, folder)
        if shell is not None:
            same &= compare(f"{name}, trace processor", ours, read_processor(folder / name, shell))
        elif name.endswith(".pftrace"):
            same &= compare(f"{name}, Perfetto's protobuf", ours, read_packets(folder / name))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
