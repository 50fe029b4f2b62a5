#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice reproduce`: runs are made again bit for bit, on any number of threads and beside others,
and one that was tampered with is told apart: the first step and op, and why. As TAP.

usage: test-reproduce.py SLUICE SAMPLES

SLUICE_WHOLE=1 takes all samples in all ways, and 30 tamperings; else a few of them.
SLUICE_SEED=N draws other ones.
"""
import gzip
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

WHOLE = os.environ.get("SLUICE_WHOLE") == "1"
SEED = int(os.environ.get("SLUICE_SEED", "1"))
# Of hogwild one worker: several make each run another one.
SAMPLES = ["digits-mlp", "digits-lenet", "moe", "lstm", "word2vec", "towers", "cart-pole",
           "hogwild"]
STEPS, EVERY = 12, 4
MASK = (1 << 64) - 1


# ---- what the program promises, said once more ----

def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc_table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


class Stream:
    """SplitMix64, by which the order of an epoch is drawn."""

    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = self.state + 0x9e3779b97f4a7c15 & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        return z ^ z >> 31

    def below(self, n):
        return self.next() * n >> 64


def order_of(n, seed, epoch):
    stream = Stream(seed)
    stream = Stream(stream.next() ^ epoch)
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


# ---- tampering ----

def read_header(data):
    length, = struct.unpack_from("<Q", data)
    return json.loads(data[8:8 + length]), 8 + length


def flip_bit(path, draw, seal):
    """Flips a bit of a variable; seal: with checksums that fit. Returns name and element."""
    data = bytearray(path.read_bytes())
    header, begin = read_header(data)
    names = [name for name, entry in header.items()
             if name != "__metadata__" and entry["dtype"] == "F32" and entry["shape"]]
    name = draw.choice(names)
    first, last = header[name]["data_offsets"]
    at = draw.randrange(first, last)
    # Of the mantissa's lower bytes: a number stays one.
    at -= (at - first) % 4 == 3
    data[begin + at] ^= 1 << draw.randrange(8 if (at - first) % 4 < 2 else 7)
    if seal:
        sums = json.loads(header["__metadata__"]["sluice.crc32c"])
        old, new = sums[name], f"{crc32c(data[begin + first:begin + last]):08x}"
        text = bytes(data[8:begin])
        mark = f'\\"{name}\\":\\"'.encode().replace(b"/", b"\\/")
        where = text.find(mark)
        if where < 0:
            mark = f'\\"{name}\\":\\"'.encode()
            where = text.find(mark)
        assert where >= 0 and text[where + len(mark):][:8].decode() == old
        data[8 + where + len(mark):8 + where + len(mark) + 8] = new.encode()
        zero = 8 + len('{"__metadata__":{"sluice.header_crc32c":"')
        data[zero:zero + 8] = b"00000000"
        data[zero:zero + 8] = f"{crc32c(data[:begin]):08x}".encode()
    path.write_bytes(data)
    return name, (at - first) // 4


def json_of(ended):
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


class Tampered:
    """A run of a sample in a workspace of its own, over data of its own."""

    def __init__(self, sluice, samples, name, folder):
        self.sluice, self.name = sluice, name
        self.samples = folder / "samples"
        self.workspace = folder / "runs"
        for part in (name, "data"):
            shutil.copytree(samples / part, self.samples / part)

    def call(self, *words):
        return subprocess.run([self.sluice, *map(str, words), "--workspace", self.workspace],
                              text=True, capture_output=True, timeout=300)

    def train(self, steps, *options):
        ended = self.call("train", self.samples / self.name, f"--steps={steps}", "--run=r",
                          "--set", f"checkpoint-every={EVERY}", "--set", "keep-last=0",
                          "--set", "evaluate-every=5", "--set", "summary-every=3", *options)
        assert ended.returncode == 0, ended.stderr

    def resume(self, steps):
        ended = self.call("train", "--resume", "r", f"--steps={steps}")
        assert ended.returncode == 0, ended.stderr

    def checkpoint(self, step):
        return self.workspace / "runs" / "1" / "checkpoints" / f"step-{step:010}.safetensors"

    def project(self):
        return self.workspace / "runs" / "1" / "project.ini"

    def setting(self, group, key):
        inside = False
        for line in self.project().read_text().splitlines():
            inside = line == f"[{group}]" if line.startswith("[") else inside
            if inside and line.startswith(key + "="):
                return line[len(key) + 1:]
        return None

    def set_option(self, group, key, value):
        lines, inside, done = [], False, False
        for line in self.project().read_text().splitlines():
            if line.startswith("["):
                inside = line == f"[{group}]"
            if inside and line.startswith(key + "="):
                line, done = f"{key}={value}", True
            lines.append(line)
        if not done:
            lines += [f"[{group}]", f"{key}={value}"]
        self.project().write_text("\n".join(lines) + "\n")

    def reproduce(self, *options):
        return json_of(self.call("reproduce", "r", "--json", *options))


# ---- cases ----

def tamper_variable(run, draw):
    """After the run, or in its middle: then it goes on with it. Sealed, or a damage."""
    step = draw.choice(range(EVERY, STEPS, EVERY))
    goes_on, sealed = draw.random() < 0.5, draw.random() < 0.6
    run.train(step if goes_on else STEPS)
    name, element = flip_bit(run.checkpoint(step), draw, sealed or goes_on)
    if goes_on:
        run.resume(STEPS)
    later = draw.random() < 0.4 and goes_on
    return ({"step": step, "tensor": name, "element": element, "cause": "variable"},
            [] if not later else ["--from", 0], f"variable {name} at {step}"
            + (", went on" if goes_on else ", sealed" if sealed else ", damaged"))


def tamper_from(run, draw):
    """Beginning with the checkpoint that was changed."""
    step = draw.choice(range(EVERY, STEPS, EVERY))
    run.train(STEPS)
    name, element = flip_bit(run.checkpoint(step), draw, draw.random() < 0.5)
    return ({"step": step, "tensor": name, "element": element, "cause": "variable"},
            ["--from", step], f"variable {name} at {step}, begun with")


def read_records(path):
    data = bytearray(gzip.decompress(path.read_bytes()))
    rank = data[3]
    dims = struct.unpack_from(f">{rank}I", data, 4)
    return data, 4 + 4 * rank, dims[0]


def tamper_data(run, draw):
    run.train(STEPS)
    key = draw.choice([k for k in ("train-x", "train-y") if run.setting("data", k)])
    path = pathlib.Path(run.setting("data", key))
    batch, seed = int(run.setting("train", "batch")), int(run.setting("train", "seed"))
    shape = [int(part) for part in run.setting("data", "shape").split(";")]
    if run.setting("data", "source") == "idx" and run.setting("data", "train-y"):
        data, begin, n = read_records(path)
    else:  # one sequence, cut into examples
        data = bytearray(gzip.decompress(path.read_bytes()))
        begin, size = 0, 1
        if run.setting("data", "source") == "idx":
            begin, size = 8, {0x08: 1, 0x0b: 2}[data[2]]
        n = ((len(data) - begin) // size - 1) // shape[0]
    used = order_of(n, seed, 0)[:batch * STEPS]
    row = draw.choice(used)
    length = (len(data) - begin) // n if run.setting("data", "train-y") else shape[0] * size
    at = begin + row * length + draw.randrange(1, length) if length > 1 else begin + row
    data[at] ^= 1 << (0 if key == "train-y" else draw.randrange(4))
    path.write_bytes(gzip.compress(data))
    node = run.setting("data", "x" if key == "train-x" else "y").split(":")[0]
    return ({"step": used.index(row) // batch + 1, "node": node, "cause": "data"}, [],
            f"example {row} of {key}")


def tamper_option(run, draw):
    run.train(STEPS)
    x = run.setting("data", "x")
    rate = run.setting("parameters", "learning-rate")
    choices = [("overrides", "learning-rate", "0.0625", rate)]
    if x:  # of the seed hangs the order of examples; initial values have seeds of their own
        choices += [("train", "batch", str(int(run.setting("train", "batch")) // 2), x),
                    ("data", "shuffle", "false", x), ("train", "seed", "7", x)]
    if run.setting("data", "scale") not in (None, "1"):
        choices += [("data", "scale", "0.00390625", x)]
    group, key, value, edge = draw.choice(choices)
    run.set_option(group, key, value)
    return ({"cause": "option", "step": 1, "node": edge.split(":")[0]}, [], f"{group}.{key}")


def check_tampering(tap, sluice, samples):
    draw = random.Random(SEED)
    kinds = [tamper_variable, tamper_from, tamper_data, tamper_option]
    names = [name for name in SAMPLES if name != "hogwild"]
    n = 30 if WHOLE else 8
    for i in range(n):
        kind = kinds[i % len(kinds)]
        name = draw.choice([s for s in names if s != "cart-pole" or kind != tamper_data])
        with tempfile.TemporaryDirectory() as folder:
            run = Tampered(sluice, samples, name, pathlib.Path(folder))
            wanted, options, what = kind(run, draw)
            status, found = run.reproduce(*options)
        first = found["first_difference"] or {}
        at = wanted.get("node") or wanted["tensor"]
        tap.point(f"{name}, {what}: told apart at step {wanted['step']}, at {at}",
                  status == 1 and not found["equal"]
                  and all(first.get(k) == v for k, v in wanted.items()), wanted, found)


# ---- nothing was changed ----

def begin_options(name):
    if name != "hogwild":
        return []
    return ["--set", "project.train=tower0/step", "--set", "project.loss=tower0/loss/value:0"]


def check_equal(tap, sluice, samples):
    for name in SAMPLES if WHOLE else ["digits-mlp", "towers", "cart-pole", "hogwild"]:
        with tempfile.TemporaryDirectory() as folder:
            run = Tampered(sluice, samples, name, pathlib.Path(folder))
            run.train(STEPS, "--threads=1", *begin_options(name))
            for words in (["--threads=1"], ["--threads=2"], ["--cpus=2", "--threads=2"],
                          ["--cpus=2", "--threads=4"], ["--from", EVERY, "--steps", 5]):
                status, found = run.reproduce(*words)
                tap.point(f"{name} {' '.join(map(str, words))}: equal",
                          status == 0 and found["equal"] and found["first_difference"] is None
                          and found["values"] > 0 and found["checkpoints"] > 0, found)
            beside = [subprocess.Popen([sluice, "bench", run.samples / name, "--seconds=2"],
                                       stdout=subprocess.DEVNULL) for _ in range(2)]
            status, found = run.reproduce("--threads=2")
            for other in beside:
                other.wait()
            tap.point(f"{name} beside two others: equal", status == 0 and found["equal"], found)
            listed = json.loads(run.call("runs", "--json").stdout)
            tap.point(f"{name}: the badge", (listed["badge"] or "").startswith(
                f"bit-equal to step {STEPS} on "), listed["badge"])


def check_rest(tap, sluice, samples):
    with tempfile.TemporaryDirectory() as folder:
        run = Tampered(sluice, samples, "digits-mlp", pathlib.Path(folder))
        run.train(STEPS)
        before = sorted(p for p in run.workspace.rglob("*") if p.is_file())
        run.reproduce()
        tap.point("nothing is added to the workspace",
                  before == sorted(p for p in run.workspace.rglob("*") if p.is_file()))
        for words, part in ((["r", "--from", 3], "no checkpoint of step 3 to begin with; it has: "),
                            (["q"], "no run"),
                            (["r", "--from", STEPS], "logged nothing after")):
            ended = run.call("reproduce", *words)
            tap.point(f"refused: {words}", ended.returncode == 1 and part in ended.stderr,
                      ended.stderr)
        run.set_option("train", "fusion", "false")
        status, found = run.reproduce()
        tap.point("an option that changes no value is a note", status == 0 and found["equal"]
                  and any("train.fusion" in note for note in found["notes"]), found)
        text = run.call("reproduce", "r").stdout
        tap.point("in words", f"equal bit for bit from step 0 to {STEPS}" in text, text)
        # Settings that were changed when it went on are followed.
        ended = run.call("train", "--resume", "r", "--steps=20", "--set", "learning-rate=0.01",
                         "--set", "train.fusion=true")
        status, found = run.reproduce()
        tap.point("a run that went on with other settings", ended.returncode == 0 and status == 0
                  and found["to_step"] == 20, ended.stderr, found)
        graph = run.workspace / "runs" / "1" / "model.pbtxt"
        text = graph.read_text()
        at = text.index('name: "train/learning_rate"')
        where = text.index("float_val: ", at)
        graph.write_text(text[:where] + "float_val: 0.5" + text[text.index("\n", where):])
        status, found = run.reproduce()
        first = found["first_difference"] or {}
        tap.point("another graph", status == 1 and first.get("cause") == "graph"
                  and first.get("node") == "train/learning_rate" and first.get("step") == 1, found)


def check_changes(tap, sluice, samples):
    """A run with planned changes, and one that was forked from it."""
    with tempfile.TemporaryDirectory() as folder:
        run = Tampered(sluice, samples, "digits-mlp", pathlib.Path(folder))
        run.train(STEPS, "--at=3:learning-rate=0.02", "--at=6:summary-every=2")
        status, found = run.reproduce()
        tap.point("a run with changes on its way", status == 0 and not found["notes"], found)
        ended = run.call("fork", "r", "--step", 8, "learning-rate=0.5", "--run", "f")
        status, found = json_of(run.call("reproduce", "f", "--json"))
        tap.point("a fork begins where it was forked", ended.returncode == 0 and status == 0
                  and found["from"] == 8 and found["to_step"] == STEPS, ended.stderr, found)
        run.set_option("changes", "3", "learning-rate=0.01")
        status, found = run.reproduce()
        first = found["first_difference"] or {}
        tap.point("another change than there was", status == 1 and first.get("cause") == "option"
                  and first.get("node") == "train/learning_rate" and first.get("step") == 4, found)


def main():
    sluice, samples = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    tap = Tap()
    check_rest(tap, sluice, samples)
    check_changes(tap, sluice, samples)
    check_equal(tap, sluice, samples)
    check_tampering(tap, sluice, samples)
    tap.end()


main()
