#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Event files of TensorFlow's writers against what TensorBoard reads of them
(logs/*/expected.json.gz): imported plain and packed, imported again, exported and imported from
there. As TAP.

usage: test-logs.py SLUICE LOGS-FOLDER SOURCE-FOLDER
"""
import gzip
import hashlib
import json
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(sys.argv[3]) / "tests" / "app"))
from tap import Tap

# What is told of each damaged directory: where, and words.
DAMAGE = {
    "bad_data_crc": (None, "the checksum of a record's data is wrong"),
    "bad_length": (None, "the checksum of a record's length is wrong"),
    "bad_length_crc": (None, "the checksum of a record's length is wrong"),
    "empty_file": (0, "the file is empty"),
    "trailing_zeros": (4936, "the checksum of a record's length is wrong"),
    "truncated_before_crc": (None, "the file ends within a record"),
    "truncated_in_data": (None, "the file ends within a record"),
    "truncated_in_header": (None, "the file ends within a record"),
}
# They share the undamaged beginning of one file: where its records 25 and 30 begin.
SAME_PLACE = [["bad_data_crc", "bad_length", "bad_length_crc"],
              ["truncated_before_crc", "truncated_in_data", "truncated_in_header"]]


def sha(content):
    return hashlib.sha256(content).hexdigest()


def fields(content):
    """(number, value) of a protobuf message; bytes or int."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(content):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = varint() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
        yield key >> 3, content[at:at + size]
        at += size


def pick(content, number):
    return [value for field, value in fields(content) if field == number]


def names(content, number):
    return "\n".join(pick(item, 1)[0].decode() for item in pick(content, number))


def expand(steps):
    if isinstance(steps, dict):
        return list(range(steps["from"], steps["to"] + 1, steps["by"]))
    return steps


def nine(value):
    return value if isinstance(value, str) else float(f"{value:.9g}")


def flat(value):
    if isinstance(value, list):
        return [x for item in value for x in flat(item)]
    return [value]


def packed(doubles):
    return struct.pack(f"<{len(doubles)}d", *[float(x) for x in doubles])


class Stored:
    """What a workspace has of its one run."""

    def __init__(self, sluice, workspace):
        out = subprocess.run([sluice, "log", "--json", "--workspace", workspace], check=True,
                             capture_output=True, text=True)
        lines = [json.loads(line) for line in out.stdout.splitlines()]
        self.series = {(line["kind"], line["tag"]): line for line in lines}
        self.left = set(self.series)
        self.db = sqlite3.connect(f"file:{workspace}/sluice.db?mode=ro", uri=True)

    def take(self, kind, tag, want):
        """The values of a series whose steps and wall times are those."""
        series = self.series[kind, tag]
        self.left.discard((kind, tag))
        assert series["n"] == want["count"], (tag, series["n"], want["count"])
        assert series["steps"] == expand(want["steps"]), (tag, "steps")
        assert sha(packed(series["wall_times"])) == want["wall_times_sha256"], (tag, "wall times")
        return series["values"]

    def blobs(self, sql, *arguments):
        return [row[0] for row in self.db.execute(sql, arguments)]


def check_scalars(stored, expected):
    for tag, want in expected.get("scalars", {}).items():
        got = [nine(value) for value in stored.take("scalar", tag, want)]
        assert got == want["values"], (tag, "values")


def check_histograms(stored, expected):
    for tag, want in expected.get("histograms", {}).items():
        for got, value in zip(stored.take("histogram", tag, want), want["values"]):
            assert sha(packed(got["limits"])) == value["bucket_limit_sha256"], (tag, "limits")
            assert got["counts"] == value["bucket"], (tag, "counts")
            for ours, theirs in (("min", "min"), ("max", "max"), ("count", "num"), ("sum", "sum"),
                                 ("sum_squares", "sum_squares")):
                assert got[ours] == value[theirs], (tag, ours)


def check_media(stored, expected):
    for tag, want in expected.get("images", {}).items():
        got = [[v["width"], v["height"], v["bytes"], v["sha256"]]
               for v in stored.take("image", tag, want)]
        assert got == want["values"], (tag, "images")
    for tag, want in expected.get("audio", {}).items():
        types = stored.blobs("SELECT content_type FROM audio a JOIN series s ON s.id = a.series "
                             "WHERE s.tag = ? ORDER BY a.step", tag)
        got = [[kind, v["sample_rate"], v["frames"], v["sha256"]]
               for kind, v in zip(types, stored.take("audio", tag, want))]
        assert got == want["values"], (tag, "audio")


def tensor_scalars(stored, tag, want):
    got = stored.take("scalar", tag, want)
    assert [nine(v) for v in got] == [nine(v["value"][0]) for v in want["values"]], tag


def tensor_histograms(stored, tag, want):
    for got, value in zip(stored.take("histogram", tag, want), want["values"]):
        lefts = ([got["min"]] + got["limits"])[:len(got["limits"])]
        rows = flat([list(row) for row in zip(lefts, got["limits"], got["counts"])])
        assert [len(lefts), 3] == value["shape"], (tag, value["shape"])
        assert value.get("value", rows) == rows, (tag, "buckets")
        assert value.get("sha256", sha(packed(rows))) == sha(packed(rows)), (tag, "buckets")


def tensor_images(stored, tag, want):
    n = len(want["values"][0]["strings_sha256"]) - 2
    for i in range(n):
        images = stored.take("image", f"{tag}/{i}" if n > 1 else tag, want)
        for got, value in zip(images, want["values"]):
            hashes = value["strings_sha256"]
            assert [sha(str(got["width"]).encode()), sha(str(got["height"]).encode()),
                    got["sha256"]] == hashes[:2] + [hashes[2 + i]], (tag, i)


def tensor_audio(stored, tag, want):
    for got, value in zip(stored.take("audio", tag, want), want["values"]):
        assert got["sha256"] == value["strings_sha256"][0], tag


def tensor_text(stored, tag, want):
    for got, value in zip(stored.take("text", tag, want), want["values"]):
        assert [sha(text.encode()) for text in flat(got)] == value["strings_sha256"], tag


def tensor_hparams(stored, tag, want):
    stored.take("hparams", tag, want)
    data = stored.blobs("SELECT h.data FROM hparams h JOIN series s ON s.id = h.series WHERE "
                        "s.tag = ?", tag)
    assert [content.hex() for content in data] == [want["plugin_content_hex"]] * len(data), tag


def tensor_other(stored, tag, want):
    for got, value in zip(stored.take("tensor", tag, want), want["values"]):
        assert got["shape"] == value["shape"], (tag, got)
        assert [nine(x) for x in flat(got["values"])] == [nine(x) for x in value["value"]], tag


PLUGINS = {"scalars": tensor_scalars, "histograms": tensor_histograms, "images": tensor_images,
           "audio": tensor_audio, "text": tensor_text, "hparams": tensor_hparams}


def check_tensors(stored, expected):
    for tag, want in expected.get("tensors", {}).items():
        PLUGINS.get(want["plugin"], tensor_other)(stored, tag, want)
        if not want["plugin"]:
            continue
        for metadata in stored.blobs("SELECT metadata FROM series WHERE tag = ? OR tag = ? || '/0'",
                                     tag, tag):
            plugin = pick(metadata, 1)[0]
            assert pick(plugin, 1)[0].decode() == want["plugin"], tag
            assert b"".join(pick(plugin, 2)).hex() == want["plugin_content_hex"], tag
            assert b"".join(pick(metadata, 3)).decode() == want["description"], tag
            assert b"".join(pick(metadata, 2)).decode() == want["display_name"], tag


def check_graph(stored, expected):
    if "graph" in expected:
        stored.left.discard(("graph", "__run_graph__"))
        graph, = stored.blobs("SELECT data FROM graph_points")
        nodes = pick(graph, 1)
        assert len(nodes) == expected["graph"]["nodes"]
        assert len({pick(node, 2)[0] for node in nodes}) == expected["graph"]["op_types"]
        assert sha(names(graph, 1).encode()) == expected["graph"]["names_sha256"]
    for tag, want in expected.get("run_metadata", {}).items():
        stored.left.discard(("run-metadata", tag))
        data, = stored.blobs("SELECT data FROM run_metadata_points WHERE tag = ?", tag)
        devices = [device for stats in pick(data, 1) for device in pick(stats, 1)]
        got = [{"device": pick(device, 1)[0].decode(),
                "names_sha256": sha("\n".join(sorted(names(device, 2).split("\n"))).encode()),
                "nodes": len(pick(device, 2))} for device in devices]
        assert got == want["devices"], tag
        assert [len(pick(graph, 1)) for graph in pick(data, 3)] == want["partition_graphs"], tag


def check_all(stored, expected):
    for check in (check_scalars, check_histograms, check_media, check_tensors, check_graph):
        check(stored, expected)
    assert not stored.left, f"not expected: {stored.left}"
    if "first_event_timestamp" in expected:
        assert stored.blobs("SELECT created FROM run_list") == [expected["first_event_timestamp"]]


def unpack(folder, temporary):
    """The event files as they were."""
    plain = temporary / folder.name
    plain.mkdir()
    for path in folder.glob("*tfevents*"):
        (plain / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    return plain


class Logs:
    def __init__(self, sluice, logs):
        self.sluice = sluice
        self.logs = pathlib.Path(logs)
        self.tap = Tap()
        self.places = {}

    def bring_in(self, folder, workspace):
        """The lines of an import: the run's, and the last one."""
        out = subprocess.run([self.sluice, "import", "--json", "--workspace", workspace, folder],
                             check=True, capture_output=True, text=True, timeout=120)
        run, last = [json.loads(line) for line in out.stdout.splitlines()]
        assert last["runs"] == 1, last
        return run

    def check_damage(self, name, run):
        offset, words = DAMAGE.get(name, (None, None))
        damaged = run["damaged"]
        assert [d["what"] for d in damaged] == ([words] if words else []), damaged
        if words:
            assert "events.out.tfevents.1447000000.host" in damaged[0]["file"], damaged
            assert offset in (None, damaged[0]["offset"]), damaged
            self.places[name] = damaged[0]["offset"]

    def check_export(self, run, expected, workspace, folder):
        out = str(pathlib.Path(folder) / "exported")
        subprocess.run([self.sluice, "export", "--workspace", workspace, "--run", run["run"],
                        "--format", "tfevents", "--out", out], check=True, capture_output=True)
        again = str(pathlib.Path(folder) / "again")
        assert not self.bring_in(out, again)["damaged"]
        del expected["files"]
        check_all(Stored(self.sluice, again), expected)

    def check(self, folder, expected):
        with tempfile.TemporaryDirectory() as temporary:
            packed = str(pathlib.Path(temporary) / "packed")
            run = self.bring_in(str(folder), packed)
            self.check_damage(folder.name, run)
            check_all(Stored(self.sluice, packed), expected)
            folder = unpack(folder, pathlib.Path(temporary))
            workspace = str(pathlib.Path(temporary) / "workspace")
            run = self.bring_in(str(folder), workspace)
            assert run["run"] == folder.name and run["files"] == len(expected["files"]), run
            self.check_damage(folder.name, run)
            check_all(Stored(self.sluice, workspace), expected)
            again = self.bring_in(str(folder), workspace)
            assert again["records"] == 0 and again["scalars"] == 0, again
            assert again["damaged"] == run["damaged"], again
            check_all(Stored(self.sluice, workspace), expected)
            if expected.get("first_event_timestamp"):
                expected.pop("first_event_timestamp")  # the export's first event is another one
                self.check_export(run, expected, workspace, temporary)

    def run(self):
        for path in sorted(self.logs.rglob("expected.json.gz")):
            name = str(path.parent.relative_to(self.logs))
            why = ""
            try:
                self.check(path.parent, json.loads(gzip.decompress(path.read_bytes())))
            except (AssertionError, KeyError, ValueError, subprocess.SubprocessError) as error:
                why = f"{type(error).__name__}: {error} {getattr(error, 'stderr', '')}"
            self.tap.point(name, why == "", why)
        for group in SAME_PLACE:
            self.tap.point(f"{group[0]} and its like are damaged in one place",
                           len({self.places.get(name) for name in group}) == 1, str(self.places))
        self.tap.end()


if __name__ == "__main__":
    Logs(sys.argv[1], sys.argv[2]).run()
