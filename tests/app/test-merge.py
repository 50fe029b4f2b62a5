#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice merge` on pairs by lot: what is independent merges by itself, the rest is named, as TAP.

usage: test-merge.py SLUICE

SLUICE_MERGE_PAIRS says how many pairs are drawn, SLUICE_EDIT_SEED from where.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from edit_model import Generator, NODE_TEXT, graph_state
from tap import Tap


class Merge:
    def __init__(self, sluice, folder):
        self.sluice, self.folder = sluice, pathlib.Path(folder)

    def edit(self, name, lines, graph=None):
        start = [self.folder / graph] if graph else ["--new"]
        script = "".join(line + "\n" for line in lines)
        subprocess.run([self.sluice, "edit", *start, "--out", self.folder / name, "--keep-going"],
                       input=script, text=True, capture_output=True, check=False)
        return (self.folder / name).read_text()

    def merge(self, ours, theirs, base="base.pbtxt"):
        out = self.folder / "merged.pbtxt"
        out.unlink(missing_ok=True)
        paths = [self.folder / name for name in (base, ours, theirs)]
        done = subprocess.run([self.sluice, "merge", *paths, "--out", out, "--json"], text=True,
                              capture_output=True, check=False)
        conflicts = [json.loads(line) for line in done.stdout.splitlines()]
        found = {(one["node"], one["field"]) for one in conflicts}
        return done, found, sorted(graph_state(out.read_text())) if out.exists() else None


class Pair:
    """A graph by lot, and what each side does to nodes of its own."""

    def __init__(self, seed):
        self.lot = random.Random(seed)
        generator = Generator(seed)
        self.base = ["add Placeholder fixed dtype=DT_FLOAT shape=[2,3]"]
        self.base += [line for line, ok in generator.script(50) if ok]
        model = generator.model
        nodes = [n for n in model.nodes if "/" not in n.name and n.dtype == "float"]
        nodes = [n for n in nodes if not any(m.name.startswith(n.name + "/") for m in model.nodes)]
        read = {s[0] for n in model.nodes for s in n.inputs if s}
        read |= {x for n in model.nodes for x in n.controls + n.beside}
        self.leaves = {n.name for n in nodes if n not in read}
        self.readers = {n.name for n in nodes if n.inputs}
        self.names = [n.name for n in nodes if n.outputs == 1]
        # What nobody reads is known by its name alone.
        self.known = {s[0].name for n in model.nodes for s in n.inputs if s}
        self.ops = {n.name: n.op for n in nodes}
        self.lot.shuffle(self.names)

    def change(self, name, side):
        """One command on a node, and the field that it changes."""
        kinds = ["_tag", "device", "add", "name"]
        kinds += ["input 0"] * (name in self.readers) + ["node"] * (name in self.leaves)
        kind = self.lot.choice(kinds)
        return kind, {"_tag": f'set {name} _tag="{side}"',
                      "device": f"device {name} /device:CPU:{len(side)}",
                      "add": f"add Neg {side}-{name} {name} T=DT_FLOAT",
                      "name": f"rename {name} {name}-{side}",
                      "input 0": f"connect fixed {name}:0",
                      "node": f"delete {name}"}[kind]

    def sides(self):
        half = len(self.names) // 2
        return [[self.change(name, side)[1] for name in names]
                for side, names in (("ours", self.names[:half]), ("theirs", self.names[half:]))]


def shuffled(text, lot):
    """The same graph, its nodes in another order."""
    nodes = NODE_TEXT.findall(text)
    rest = NODE_TEXT.sub("", text)
    lot.shuffle(nodes)
    return "".join("node {\n" + node + "}\n" for node in nodes) + rest


def check_independent(tap, merge, seed):
    pair = Pair(seed)
    ours, theirs = pair.sides()
    merge.edit("base.pbtxt", pair.base)
    merge.edit("ours.pbtxt", ours, "base.pbtxt")
    text = merge.edit("theirs.pbtxt", theirs, "base.pbtxt")
    (merge.folder / "theirs.pbtxt").write_text(shuffled(text, pair.lot))
    wanted = sorted(graph_state(merge.edit("both.pbtxt", ours + theirs, "base.pbtxt")))
    bad = []
    for a, b in (("ours", "theirs"), ("theirs", "ours")):
        done, conflicts, found = merge.merge(a + ".pbtxt", b + ".pbtxt")
        if done.returncode or conflicts or found != wanted:
            bad += [f"{a}, then {b}: {done.stderr}", conflicts, ours, theirs,
                    [one for one in found or [] if one not in wanted],
                    [one for one in wanted if one not in (found or [])]]
    if bad:
        tap.point(f"pair {seed}: independent changes merge by themselves", False, *bad)
    return not bad


CLASHES = {"_tag": ('set {} _tag="a"', 'set {} _tag="b"'),
           "device": ("device {} /device:CPU:5", "device {} /device:CPU:6"),
           "name": ("rename {0} {0}-a", "rename {0} {0}-b")}


def check_conflicts(tap, merge, seed):
    pair = Pair(seed)
    ours, theirs, wanted = [], [], set()
    for name in pair.names[:4]:
        field = pair.lot.choice(list(CLASHES) if name in pair.known else ["_tag", "device"])
        ours.append(CLASHES[field][0].format(name))
        theirs.append(CLASHES[field][1].format(name))
        wanted.add((name + "-a" if field == "name" else name, field))
    # What reads something tells what that is, also where its name is another.
    for name in [name for name in pair.names[4:] if pair.ops[name] == "Placeholder"
                 and name in pair.leaves][:1]:
        ours.append(f'set {name} _tag="kept"')
        theirs.append(f"delete {name}")
        wanted.add((name, "node"))
    ours.append("add Neg twice fixed T=DT_FLOAT")
    theirs.append("add Tanh twice fixed T=DT_FLOAT")
    wanted.add(("twice", "node"))
    merge.edit("base.pbtxt", pair.base)
    merge.edit("ours.pbtxt", ours, "base.pbtxt")
    # What is not in conflict is merged all the same.
    merge.edit("theirs.pbtxt", theirs + ["add Neg apart fixed T=DT_FLOAT"], "base.pbtxt")
    done, conflicts, found = merge.merge("ours.pbtxt", "theirs.pbtxt")
    both = merge.edit("both.pbtxt", ours + ["add Neg apart fixed T=DT_FLOAT"], "base.pbtxt")
    kept = sorted(graph_state(both))
    # Who read what was deleted there was led over it.
    named = {one["node"] for one in map(json.loads, done.stdout.splitlines())}
    lost = named - {name for name, _ in wanted}
    ok = done.returncode == 1 and wanted <= conflicts and not lost
    ok = ok and {n[0]: n[3] for n in found} == {n[0]: n[3] for n in kept}
    if not ok:
        tap.point(f"pair {seed}: each conflict is named, ours stands there", False, done.stderr,
                  wanted - conflicts, conflicts - wanted, ours, theirs,
                  [one for one in found or [] if one not in kept])
    return ok


def check_single(tap, merge):
    """Cases that lots seldom draw."""
    chain = ["add Placeholder x dtype=DT_FLOAT shape=[2]", "add Neg a x", "add Neg b a",
             "add Neg c b"]
    cases = (
        ("both did the same", ["rename a z"], ["rename a z"], set(), 0),
        ("an op under the same name", [], ["delete b", "add Tanh b a", "connect b c:0"], set(), 0),
        ("a cycle of both", ["add Add d c c", 'connect d a:0 # refused'], [], set(), 0),
        ("read here, removed there", ["add Neg d c"], ["delete c"], {("c", "node")}, 1),
        ("removed here, changed there", ["delete c"], ['set c _t="x"'], {("c", "node")}, 1),
        ("another input", ["connect x c:0"], ["connect a c:0"], {("c", "input 0")}, 1),
        ("control edges add up", ["control x c"], ["control a c"], set(), 0),
        ("what both make is a cycle", ["control c a", "uncontrol c a"], ["control a c"], set(), 0),
    )
    for name, ours, theirs, wanted, status in cases:
        merge.edit("base.pbtxt", chain)
        merge.edit("ours.pbtxt", ours, "base.pbtxt")
        merge.edit("theirs.pbtxt", theirs, "base.pbtxt")
        done, conflicts, _ = merge.merge("ours.pbtxt", "theirs.pbtxt")
        tap.point(name, done.returncode == status and conflicts == wanted, done.stdout, done.stderr)
    two = ["add Placeholder x dtype=DT_FLOAT shape=[2]", "add Neg a x", "add Neg b x"]
    merge.edit("base.pbtxt", two)
    merge.edit("ours.pbtxt", ["connect a b:0"], "base.pbtxt")
    merge.edit("theirs.pbtxt", ["connect b a:0"], "base.pbtxt")
    done, conflicts, found = merge.merge("ours.pbtxt", "theirs.pbtxt")
    ours = sorted(graph_state((merge.folder / "ours.pbtxt").read_text()))
    tap.point("a cycle that both make together is a conflict, and ours stands",
              done.returncode == 1 and "cycle" in done.stdout and found == ours, done.stdout)
    merge.edit("other.pbtxt", ["add Placeholder q dtype=DT_FLOAT"])
    done, _, found = merge.merge("ours.pbtxt", "theirs.pbtxt", base="other.pbtxt")
    tap.point("a base of other graphs is refused",
              done.returncode == 1 and "base" in done.stderr and found is None, done.stderr)


def main():
    tap = Tap()
    count = int(os.environ.get("SLUICE_MERGE_PAIRS", "8"))
    first = int(os.environ.get("SLUICE_EDIT_SEED", "1"))
    with tempfile.TemporaryDirectory() as folder:
        merge = Merge(sys.argv[1], folder)
        check_single(tap, merge)
        for name, check in (
                ("independent changes of {} pairs merge by themselves", check_independent),
                ("each conflict of {} pairs is named", check_conflicts)):
            good = sum(check(tap, merge, seed) for seed in range(first, first + count))
            tap.point(name.format(count), good == count)
    tap.end()


main()
