#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice place` by policies, on machines and costs of files: schedules held to every rule, as TAP.

usage: test-place.py COMMAND SAMPLES
"""
import contextlib
import json
import math
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

PREFIX = "/job:localhost/replica:0/task:0/device:"
SAMPLES = ("digits-mlp", "digits-lenet", "lstm", "moe", "towers", "word2vec")


def node_text(name, op, inputs=(), attrs="", device=""):
    lines = [f'node {{ name: "{name}" op: "{op}"']
    if device:
        lines.append(f'device: "{device}"')
    lines += [f'input: "{one}"' for one in inputs]
    return " ".join(lines) + f" {attrs} }}\n"


def attr(key, value):
    return f'attr {{ key: "{key}" value {{ {value} }} }} '


FLOAT = attr("T", "type: DT_FLOAT")


class Case:
    """A graph by lot with its machine and costs."""

    def __init__(self, lot):
        self.devices = [PREFIX + name for name in
                        lot.sample(["CPU:0", "CPU:1", "GPU:0", "TPU:3"], lot.randint(1, 4))]
        self.memory = {d: lot.choice([None, lot.randint(100, 400)]) for d in self.devices}
        self.links = {}
        for source in self.devices:
            for to in self.devices:
                if source < to and lot.random() < 0.9:
                    self.links[source, to] = (lot.randint(0, 6), lot.choice([1, 2, 4]))
                    self.links[to, source] = (self.links[source, to] if lot.random() < 0.7
                                              else (lot.randint(0, 6), 2))
        self.inputs, self.controls, self.us, self.bytes, self.asked = {}, {}, {}, {}, {}
        self.groups, text = [], ""
        for i in range(lot.randint(2, 9)):
            name, old = f"n{i}", list(self.inputs)
            self.inputs[name] = lot.sample(old, min(len(old), lot.randint(0, 3)))
            self.controls[name] = lot.sample(old, min(len(old), lot.random() < 0.3))
            kinds = {d.split(":")[-2] for d in self.devices}
            self.us[name] = {kind: lot.randint(1, 30) for kind in kinds}
            if lot.random() < 0.3:
                self.us[name][lot.choice(self.devices)] = lot.randint(1, 30)
            if lot.random() < 0.2 and len(kinds) > 1:
                del self.us[name][lot.choice(sorted(kinds))]
            self.bytes[name] = lot.randint(0, 60)
            device = lot.choice(self.devices) if lot.random() < 0.15 else ""
            if device and not self.can(name, device):
                device = ""
            self.asked[name] = device
            more = ""
            if old and not device and lot.random() < 0.15:
                other = lot.choice(old)
                self.groups.append((name, other))
                more = attr("_class", f'list {{ s: "loc:@{other}" }}')
            n = len(self.inputs[name])
            inputs = self.inputs[name] + ["^" + one for one in self.controls[name]]
            text += (node_text(name, "AddN", inputs, FLOAT + attr("N", f"i: {n}") + more, device)
                     if n else node_text(name, "Placeholder", inputs,
                                         attr("dtype", "type: DT_FLOAT") + more, device))
        self.text = text

    def can(self, name, device):
        return device in self.us[name] or device.split(":")[-2] in self.us[name]

    def time(self, name, device):
        return self.us[name].get(device, self.us[name].get(device.split(":")[-2], math.inf))

    def write(self, folder):
        (folder / "graph.pbtxt").write_text(self.text)
        (folder / "machine.json").write_text(json.dumps({
            "devices": [{"name": d, "gflops": 1, "gbps": 1, "overhead_us": 0,
                         **({"memory": self.memory[d]} if self.memory[d] else {})}
                        for d in self.devices],
            "links": [{"from": source, "to": to, "latency_us": latency, "gbps": gbps / 1000}
                      for (source, to), (latency, gbps) in self.links.items()]}))
        (folder / "costs.json").write_text(json.dumps({"nodes": {
            name: {"us": self.us[name], "bytes": [self.bytes[name]]} for name in self.us}}))


def near(a, b):
    return abs(a - b) < 1e-6


def overlap(spans):
    spans = sorted(spans)
    return any(end > start + 1e-9 for (_, end), (start, _) in zip(spans, spans[1:]))


def find_wrong(case, told):
    """What a schedule breaks of the contract, or nothing."""
    nodes, at = told["nodes"], {name: one["device"] for name, one in told["nodes"].items()}
    if set(nodes) != set(case.inputs):
        return "other nodes"
    for name, one in nodes.items():
        if not near(one["end_us"] - one["start_us"], case.time(name, one["device"])):
            return f"{name} takes another time"
        if case.asked[name] and at[name] != case.asked[name]:
            return f"{name} is not where it asks to be"
        if {c["device"] for c in one["candidates"]} != set(case.devices):
            return f"{name} has other candidates"
    if any(at[a] != at[b] for a, b in case.groups):
        return "a group stands apart"
    for device in case.devices:
        if overlap([(n["start_us"], n["end_us"]) for n in nodes.values()
                    if n["device"] == device]):
            return f"{device} does two things at once"
    arrival = {}
    for one in told["transfers"]:
        maker, way = one["tensor"].lstrip("^").split(":")[0], (one["from"], one["to"])
        size = 0 if one["tensor"].startswith("^") else case.bytes[maker]
        if way not in case.links or (one["tensor"], one["to"]) in arrival:
            return "a transfer has no link, or is made twice"
        latency, rate = case.links[way]
        if not near(one["end_us"] - one["start_us"], latency + size / rate) or one["bytes"] != size:
            return "a transfer takes another time"
        if one["from"] != at[maker] or one["start_us"] < nodes[maker]["end_us"] - 1e-9:
            return "a transfer begins too soon"
        arrival[one["tensor"], one["to"]] = one["end_us"]
    for way in case.links:
        if overlap([(t["start_us"], t["end_us"]) for t in told["transfers"]
                    if (t["from"], t["to"]) == way]):
            return "a link carries two at once"
    for name, one in nodes.items():
        for maker in case.inputs[name] + case.controls[name]:
            there = nodes[maker]["end_us"]
            if at[maker] != at[name]:
                there = min(arrival.get((key, at[name]), math.inf)
                            for key in (f"{maker}:0", f"^{maker}"))
                if maker in case.inputs[name]:
                    there = arrival.get((f"{maker}:0", at[name]), math.inf)
            if one["start_us"] < there - 1e-9:
                return f"{name} begins before {maker} is there"
    if not near(told["predicted_us"], max(n["end_us"] for n in nodes.values())):
        return "the step takes another time"
    return find_wrong_memory(case, told, nodes, at)


def find_wrong_memory(case, told, nodes, at):
    held = {device: [] for device in case.devices}
    for maker, one in nodes.items():
        sent = [t for t in told["transfers"] if t["tensor"] == f"{maker}:0"]
        for device in {at[maker], *(t["to"] for t in sent)}:
            start = (one["start_us"] if device == at[maker] else
                     next(t["start_us"] for t in sent if t["to"] == device))
            ends = [n["end_us"] for name, n in nodes.items()
                    if at[name] == device and maker in case.inputs[name]]
            if device == at[maker]:
                ends += [one["end_us"], *(t["end_us"] for t in sent)]
            held[device].append((start, max(ends), case.bytes[maker]))
    for device, spans in held.items():
        peak = max((sum(size for start, end, size in spans if start <= now < end)
                    for now, _, _ in spans), default=0)
        if peak != told["peak_bytes"][device]:
            return f"{device} holds {peak}"
        if case.memory[device] and peak > case.memory[device]:
            return f"{device} is too small"
    return None


class Place:
    def __init__(self, command, samples):
        self.command, self.samples = os.path.abspath(command), Path(samples).resolve()
        self.tap = Tap()
        self.folder = Path(tempfile.mkdtemp())

    def verb(self, *arguments):
        return subprocess.run([self.command, *map(str, arguments)], capture_output=True, text=True,
                              check=False, cwd=self.folder,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "",
                                   "XDG_CACHE_HOME": str(self.folder / "cache")})

    def call(self, *arguments):
        return self.verb("place", *arguments)

    def choose(self, policy, *more):
        return self.call("graph.pbtxt", "--machine", "machine.json", "--costs", "costs.json",
                         "--policy", policy, "--json", *more)

    def lots(self):
        lot, wrong, n_none, n_better = random.Random(23), [], 0, 0
        for _ in range(60):
            case, us = Case(lot), {}
            case.write(self.folder)
            for policy in ("single", "greedy", "round-robin", "best"):
                done = self.choose(policy)
                if done.returncode != 0:
                    us[policy] = None
                    continue
                told = json.loads(done.stdout)
                us[policy] = told["predicted_us"]
                broken = find_wrong(case, told)
                if broken or told["policy"] != policy or not told["is_prediction"]:
                    wrong.append((policy, broken, case.text))
            least = min((one for one in us.values() if one is not None), default=None)
            n_none += least is None
            n_better += None not in us.values() and us["greedy"] < us["single"]
            if us["best"] != least or (us["greedy"] or 0) > (us["single"] or math.inf):
                wrong.append((us, case.text))
        self.tap.point("60 graphs by lot: schedules keep all rules, none is better than 'best', "
                       "none worse than 'single'", not wrong, *wrong[:2])
        self.tap.point("some have no placement, some gain by a second device",
                       0 < n_none < 30 and n_better > 10, n_none, n_better)

    def sample_graphs(self):
        Case(random.Random(1)).write(self.folder)
        (self.folder / "two.json").write_text(json.dumps({
            "devices": [{"name": PREFIX + "CPU:0"}, {"name": PREFIX + "GPU:0", "gflops": 500}],
            "links": [{"from": PREFIX + "CPU:0", "to": PREFIX + "GPU:0", "latency_us": 5,
                       "gbps": 10}]}))
        for name in SAMPLES:
            us = {}
            for policy in ("greedy", "round-robin", "single"):
                done = self.call(self.samples / name, "--machine", "two.json", "--policy", policy,
                                 "--json")
                us[policy] = json.loads(done.stdout)["predicted_us"] if not done.returncode else -1
            self.tap.point(f"{name}: no policy is worse than one device",
                           0 < us["greedy"] <= us["single"] and us["round-robin"] <= us["single"],
                           us, done.stderr)

    def scope(self):
        (self.folder / "graph.pbtxt").write_text(
            node_text("a", "Placeholder", (), attr("dtype", "type: DT_FLOAT"))
            + node_text("b", "Identity", ["a"], FLOAT) + node_text("c", "Identity", ["b"], FLOAT)
            + node_text("d", "NoOp", ["^b"]))
        names = [sorted(json.loads(self.call("graph.pbtxt", "--json", *scope).stdout)["nodes"])
                 for scope in ((), ("--fetch", "b:0"), ("--target", "d"))]
        self.tap.point("a scope leaves out what it does not need",
                       names == [["a", "b", "c", "d"], ["a", "b"], ["a", "b", "d"]], names)
        text = self.call("graph.pbtxt", "--cpus", "2", "--policy", "greedy").stdout
        self.tap.point("a chain: one device is as good, and people are told so",
                       "one device is as good" in text and "CPU:1: busy 0 %" in text, text)

    def fit(self):
        """Into less memory: what it takes is said, done, and changes no number."""
        project = self.folder / "samples" / "word2vec"
        steps = ("--steps", "6", "--set", "evaluate-every=0", "--set", "summary-every=0")
        ini = (project / "project.ini").read_text()
        (project / "project.ini").write_text(ini.split("[evaluate]")[0]
                                             + "[parameters]" + ini.split("[parameters]")[1])
        told = json.loads(self.call(project, "--fit", "1G", "--json").stdout)
        self.tap.point("what fits anyway needs no decision", told["fits"]
                       and not told["decisions"] and told["us"] == told["natural_us"], told)
        natural = told["devices"][0]["natural_bytes"]
        limit = int(0.97 * natural)
        told = json.loads(self.call(project, "--fit", limit, "--json").stdout)
        self.tap.point("what does not is decided on", told["fits"] and told["decisions"]
                       and told["devices"][0]["bytes"] <= limit and told["us"] > told["natural_us"],
                       told)
        done = self.call(project, "--fit", "100K")
        self.tap.point("what cannot says how much it holds at the least", done.returncode == 1
                       and "it does not fit; the smallest is:" in done.stdout, done.stdout)
        saved = {}
        for bytes_ in ("", "10M"):
            done = self.verb("train", "--workspace", f"fit{bytes_}", project, *steps,
                             *(["--fit", bytes_] if bytes_ else []))
            files = sorted((self.folder / f"fit{bytes_}").rglob("*.safetensors"))
            saved[bytes_] = files[-1].read_bytes() if done.returncode == 0 and files else done
        self.tap.point("a run within a limit has the same parameters, bit for bit",
                       saved[""] == saved["10M"], saved)
        self.tap.point("and says peak and step beside what was predicted",
                       "at the most " in done.stdout and "predicted" in done.stdout, done.stdout)
        done = self.verb("train", "--workspace", "w", project, *steps, "--fit", "1M")
        self.tap.point("too little says what would do", done.returncode == 1
                       and "give fit " in done.stderr, done.stderr)
        for text in ("none", "0"):
            done = self.call(project, "--fit", text)
            self.tap.point(f"--fit {text} is refused", done.returncode == 2
                           and "number of bytes" in done.stderr, done.stderr)

    def train(self):
        """The same numbers wherever nodes stand, and they do stand elsewhere."""
        told, project = {}, self.folder / "samples" / "digits-mlp"
        shutil.copytree(self.samples, self.folder / "samples")
        ini = (project / "project.ini").read_text()
        for policy in ("", "greedy", "round-robin"):
            (project / "project.ini").write_text(
                ini.replace("[train]\n", f"[train]\npolicy={policy}\n") if policy else ini)
            done = self.verb("train", "--workspace", f"w{policy}", project, "--steps", "20",
                             "--cpus", "2")
            saved = sorted((self.folder / f"w{policy}").rglob("*.safetensors"))
            told[policy] = saved[-1].read_bytes() if not done.returncode and saved else done.stderr
        self.tap.point("a run has the same parameters by every policy, bit for bit",
                       isinstance(told[""], bytes) and len(set(told.values())) == 1, *told.values())
        lanes = []
        for policy in ("single", "greedy"):
            self.verb("trace", project, "--cpus", "2", "--policy", policy, "--out", "trace.json")
            lanes.append((self.folder / "trace.json").read_text().count("device:CPU:1"))
        self.tap.point("what greedy puts on the second device runs there",
                       lanes[0] < lanes[1], lanes)
        (project / "project.ini").write_text(ini.replace("[train]\n", "[train]\npolicy=gredy\n"))
        done = self.verb("train", "--workspace", "w", project, "--steps", "5")
        self.tap.point("a project's policy that is none", done.returncode == 1
                       and "[train] policy" in done.stderr and "'greedy'?" in done.stderr,
                       done.stderr)

    def train_again(self):
        """Devices are chosen once more by what the first steps took: an event, the same numbers."""
        told, project = [], self.folder / "samples" / "towers"
        for number, more in enumerate(((), ("--policy", "greedy", "--place-again", "6"))):
            done = self.verb("train", "--workspace", f"again{number}", project, "--steps", "12",
                             "--cpus", "2", *more)
            saved = sorted((self.folder / f"again{number}").rglob("*.safetensors"))
            told.append(saved[-1].read_bytes() if not done.returncode and saved else done.stderr)
        self.tap.point("a run that chooses its devices again has the same parameters, bit for bit",
                       isinstance(told[0], bytes) and told[0] == told[1], *told)
        with contextlib.closing(sqlite3.connect(self.folder / "again1" / "sluice.db")) as store:
            events = store.execute("select step, text from events where kind = 'placed-again'")
            events = events.fetchall()
        self.tap.point("it says how many nodes stand elsewhere since",
                       len(events) == 1 and events[0][0] == 6
                       and re.fullmatch("nodes on other devices: [0-9]+, by what 6 steps took",
                                        events[0][1]), events)

    def bad(self, name, words, machine=None, costs=None, policy="greedy", status=1):
        where = [{"name": "CPU:0"}, {"name": "CPU:1"}]
        (self.folder / "machine.json").write_text(
            machine if isinstance(machine, str) else json.dumps(machine or {"devices": where}))
        (self.folder / "costs.json").write_text(json.dumps({"nodes": costs or {}}))
        done = self.choose(policy)
        self.tap.point(f"bad input: {name}", done.returncode == status
                       and all(word in done.stderr for word in words), done.stdout[:300],
                       done.stderr)

    def bad_input(self):
        device, link = {"name": "CPU:0"}, {"from": "CPU:0", "to": "CPU:1", "gbps": 1}
        two = [device, {"name": "CPU:1"}]
        self.bad("no JSON", ["machine.json", "no JSON"], "devices")
        self.bad("a list", ["no JSON object"], "[]")
        self.bad("no devices", ["0 devices", "from 1 to"], {"devices": []})
        self.bad("a device without a name", ["device 1", '"name" is missing'], {"devices": [{}]})
        self.bad("a name that is none", ["no one device", "device:CPU:0"],
                 {"devices": [{"name": "CPU"}]})
        self.bad("a device twice", ["device:CPU:0' is there twice"], {"devices": [device, device]})
        self.bad("a speed of nothing", ['"gflops" is 0', "above 0"],
                 {"devices": [{**device, "gflops": 0}]})
        self.bad("a memory below nothing", ['"memory" is -1', "from 0"],
                 {"devices": [{**device, "memory": -1}]})
        self.bad("a key mistyped", ['"gflop"', 'did you mean "gflops"'],
                 {"devices": [{**device, "gflop": 1}]})
        self.bad("no bandwidth", ["link 1 has no bandwidth"],
                 {"devices": two, "links": [{"from": "CPU:0", "to": "CPU:1"}]})
        self.bad("a bandwidth of nothing", ["link 1", '"gbps" is 0', "above 0"],
                 {"devices": two, "links": [{**link, "gbps": 0}]})
        self.bad("a latency that is a text", ['"latency_us" is no number'],
                 {"devices": two, "links": [{**link, "latency_us": "5"}]})
        self.bad("a link to nowhere", ["link 1", "not among the devices", "did you mean"],
                 {"devices": two, "links": [{**link, "to": "CPU:2"}]})
        self.bad("a link to itself", ["to itself"],
                 {"devices": two, "links": [{**link, "to": "CPU:0"}]})
        self.bad("a link twice", ["is there twice"], {"devices": two, "links": [link, link]})
        self.bad("costs of no node", ["no node 'bb'", "did you mean 'b'"],
                 costs={"bb": {"us": {"CPU": 1}}})
        self.bad("a time below nothing", ["node 'b'", '"CPU" is -1'],
                 costs={"b": {"us": {"CPU": -1}}})
        self.bad("a node without a device", ["'b'", "no figure for that device"],
                 costs={"b": {"us": {"GPU": 1}}})
        self.bad("nothing links where nodes must stand", ["'b'", "no link leads"],
                 costs={"a": {"us": {PREFIX + "CPU:0": 1}}, "b": {"us": {PREFIX + "CPU:1": 1}}})
        small = [{**device, "memory": 100}, {"name": "CPU:1", "memory": 150}]
        self.bad("too little memory for any placement says what is smallest",
                 ["no placement and no order fits", "200 bytes on", "CPU:1, which has 150"],
                 {"devices": small, "links": [link]},
                 {name: {"us": {"CPU": 1}, "bytes": [100]} for name in "abc"})
        self.bad("a policy that is none", ["did you mean 'greedy'?"], policy="gready", status=2)
        (self.folder / "graph.pbtxt").write_text("".join(
            node_text(f"n{i}", "Placeholder", (), attr("dtype", "type: DT_FLOAT"))
            for i in range(13)))
        self.bad("thirteen nodes for 'best'", ["up to 12 nodes", "13", "take 'greedy'"],
                 policy="best")
        tie = 'list {{ s: "loc:@{}" }}'
        (self.folder / "graph.pbtxt").write_text(
            node_text("a", "Placeholder", (), attr("dtype", "type: DT_FLOAT")
                      + attr("_class", tie.format("c")))
            + node_text("b", "Identity", ["a"], FLOAT + attr("_class", tie.format("a")))
            + node_text("c", "Identity", ["b"], FLOAT + attr("_class", tie.format("b"))))
        run = self.call("graph.pbtxt", "--cpus", "2", "--policy", "round-robin", "--json")
        at = {node["device"] for node in json.loads(run.stdout)["nodes"].values()}
        self.tap.point("bad input: constraints in a circle stand together", len(at) == 1,
                       run.stdout[:300], run.stderr)
        (self.folder / "graph.pbtxt").write_text(
            node_text("a", "Placeholder", (), attr("dtype", "type: DT_FLOAT"), "/cpu:0")
            + node_text("b", "Identity", ["a"], FLOAT + attr("_class", 'list { s: "loc:@a" }'),
                        "/cpu:1"))
        run = self.call("graph.pbtxt", "--machine", "machine.json", "--policy", "greedy",
                        "--strict-devices")
        self.tap.point("bad input: constraints that exclude each other are named as a chain",
                       run.returncode == 1 and "'a' asks for device '/cpu:0'" in run.stderr
                       and "'b' asks for device '/cpu:1'" in run.stderr and "_class" in run.stderr,
                       run.stderr)


def main():
    place = Place(sys.argv[1], sys.argv[2])
    place.lots()
    place.sample_graphs()
    place.scope()
    place.train()
    place.train_again()
    place.fit()
    place.bad_input()
    place.tap.end()


main()
