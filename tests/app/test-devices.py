#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What the command tells of a device with memory and queues of its own, as TAP.

usage: test-devices.py COMMAND SAMPLES
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "twice" op: "Add" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
"""
THERE = ("--device", "SIM:0", "--device-options", "memory=16K,latency=1us")
# Every sample, how far it is trained, and memory in which its values come and go: about half of
# what it takes, or what one node needs.
SAMPLES = {"digits-mlp": (60, "132K"), "digits-lenet": (30, "1M"), "lstm": (10, "13M"),
           "word2vec": (20, "6M"), "cart-pole": (10, "1M"), "moe": (20, "900K"),
           "towers": (30, "700K"), "hogwild": (30, "1M")}
# Killed on the first two, in turn.
ORDERS = (("CPU:0", "SIM:0", "both"), ("both", "CPU:0", "SIM:0"), ("SIM:0", "both", "CPU:0"))
# What computes and holds nothing: the rest may stay on the CPU.
MOVED = "|".join(("MatMul", "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", "Relu",
                  "ReluGrad", "Mul", "AddV2", "Sub", "Tanh", "Sigmoid", "BiasAdd", "Sum"))
FEED = ("--feed", f"x:0={[1] * 1000}", "--fetch", "twice:0")


class Devices:
    def __init__(self, command, samples):
        self.command, self.tap = command, Tap()
        self.folder, self.samples = tempfile.mkdtemp(), pathlib.Path(samples)
        shutil.copytree(samples, self.path("samples"))
        self.graph, self.mlp = self.path("graph.pbtxt"), self.path("samples", "digits-mlp")
        with open(self.graph, "w", encoding="utf-8") as file:
            file.write(GRAPH)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def call(self, *arguments):
        return subprocess.run([self.command, *arguments], capture_output=True, text=True,
                              check=False, cwd=self.folder,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": ""})

    def check(self, name, status, words, *arguments):
        done = self.call(*arguments)
        text = done.stdout + done.stderr
        self.tap.point(name, done.returncode == status and all(word in text for word in words),
                       f"status {done.returncode}", text)
        return done.stdout

    # ---- memory ----

    def memory(self):
        self.check("run --memory", 0, ["SIM:0: 7.9", "at the most of 16.0", "held",
                                       "'x', transfer in"],
                   "run", self.graph, *FEED, *THERE, "--memory")
        lines = self.call("run", self.graph, *FEED, *THERE, "--memory", "--json").stdout
        told = json.loads(lines.strip().splitlines()[-1])["memory"]
        self.tap.point("run --memory --json tells each device's limit",
                       [(device["device"].rpartition("device:")[2], device["limit_bytes"])
                        for device in told] == [("CPU:0", None), ("SIM:0", 16384)], told)
        self.tap.point("what was held at the peak is what holders and classes had, and no more "
                       "than the device has of its memory",
                       all(device["peak_bytes"] == sum(device["classes"].values())
                           == sum(holder["bytes"] for holder in device["holders"])
                           <= device["held_bytes"] for device in told), told)
        self.check("a device that is too small", 1, [
            "'twice'", "SIM:0 may use 16.0", "the largest holders are 'x' (transfer)",
            "it would fit in a device of"], "run", self.graph, "--feed", f"x:0={[1] * 3000}",
            "--fetch", "twice:0", *THERE)
        self.check("a limit below what the device has", 1, [
            "SIM:0 may use 8.0", "it would fit with a limit of"], "run", self.graph, "--feed",
            f"x:0={[1] * 3000}", "--fetch", "twice:0", *THERE, "--memory-limit", "8K")
        self.check("train --memory", 0, [
            "SIM:0: ", "'hidden/weights', parameter", "transfer", "finished at step 20"],
            "train", "--workspace", "workspace", self.mlp, "--steps", "20", "--memory",
            "--device", "SIM:0")

    def moved(self):
        tight = ("train", "--workspace", "workspace", self.mlp, "--steps", "20", "--memory",
                 "--device", "SIM:0", "--device-options", "memory=132K")
        self.check("what moved", 0, ["moved to the host's memory for want of room", "up to 128.4",
                                     "finished at step 20"], *tight)
        lines = self.call(*tight, "--json").stdout.splitlines()
        told = next(json.loads(line)["memory"] for line in lines if line.startswith('{"memory"'))
        moved = {device["device"].rpartition("device:")[2]: device["moved"] for device in told}
        self.tap.point("--json tells what moved, and none of devices that are large enough",
                       moved["CPU:0"]["out"] == 0
                       and moved["SIM:0"]["out"] > moved["SIM:0"]["back"] > 0
                       and moved["SIM:0"]["out_bytes"] >= moved["SIM:0"]["back_bytes"] > 0
                       and moved["SIM:0"]["at_once_bytes"] == 131456, moved)
        self.check("a device that is too small for one node", 1, [
            "needs at least", "at once", "it would fit in a device of"], *tight[:-1], "memory=100K")

    def options(self):
        for options in ("memory=lots", "speed=2", "colour=red"):
            self.check(f"no option: {options}", 1, [options, "latency=500us"], "run", self.graph,
                       *FEED, *THERE[:3], options)
        self.check("info", 0, ["SIM:0", "memory=256M"], "info")
        self.check("place", 0, ["twice\tSIM:0"], "place", self.graph, *THERE)

    def trace(self):
        self.check("trace", 0, ["events of 1"], "trace", self.graph, *FEED, *THERE, "--out",
                   "device.json")
        with open(self.path("device.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        track = next(event["tid"] for event in events if event["name"] == "twice")
        self.tap.point("a kernel stands in the track of its queue", {
            event["args"]["name"] for event in events if event["name"] == "thread_name"
            and event["tid"] == track} == {"compute"}, events)

    # ---- a project that says its device ----

    def say(self, options):
        path = os.path.join(self.mlp, "project.ini")
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("device")]
        at = lines.index("[train]\n") + 1
        lines[at:at] = ["device=SIM:0\n", f"device-options={options}\n"]
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)

    def train(self, *more):
        """The run's events, its project.ini and the devices it had."""
        done = self.call("train", "--workspace", "workspace", self.mlp, "--steps", "10", "--json",
                         *more)
        last = json.loads(done.stdout.splitlines()[-1])
        folders = sorted(os.listdir(self.path("workspace", "runs")), key=int)
        texts = []
        for name in ("project.ini", "run.ini"):
            with open(self.path("workspace", "runs", folders[-1], name), encoding="utf-8") as file:
                texts.append(file.read())
        return last, *texts

    def project(self):
        self.say("memory=256M,latency=1us")
        last, text, made = self.train()
        self.tap.point("a run stands where its project says",
                       last["state"] == "finished" and "\ndevices=CPU:0, SIM:0\n" in made, made)
        self.tap.point("and keeps what that says", "\ndevice=SIM:0\n" in text
                       and "\ndevice-options=memory=256M,latency=1us\n" in text, text)
        before = last["loss"]
        last, text, made = self.train("--device", "CPU:0")
        self.tap.point("--device overrides it, and is not kept", "\ndevices=CPU:0\n" in made
                       and "\ndevice=SIM:0\n" in text, made, text)
        self.tap.point("with the same loss", last["loss"] == before, last["loss"], before)
        self.check("no option of a project", 1, ["device-options", "speed=3", "latency=500us"],
                   "train", "--workspace", "workspace", self.mlp, "--set",
                   "train.device-options=speed=3")
        self.say("memory=lots")
        self.check("nor of its file", 1, ["project.ini", "memory=lots"], "train", "--workspace",
                   "workspace", self.mlp)

    # ---- killed, and gone on with elsewhere ----

    def alone(self, sample):
        """One worker, whose runs are alike, and no node that asks for a device."""
        folder = pathlib.Path(self.path("samples", sample))
        ini = folder / "project.ini"
        text = re.sub(r"^(train|loss)=([^;\n]*);.*$", r"\1=\2", ini.read_text("utf-8"),
                      flags=re.MULTILINE)
        ini.write_text(text, "utf-8")
        graph = folder / "model.pbtxt"
        graph.write_text(re.sub(r'^  device: ".*"\n', "", graph.read_text("utf-8"),
                                flags=re.MULTILINE), "utf-8")
        return folder

    def spread(self, graph):
        """The graph's text, with what computes where the session says and the rest on CPU:0."""
        return re.sub(rf'^  op: "(?!({MOVED})")\w+"\n',
                      lambda m: m[0] + '  device: "/device:CPU:0"\n', graph.read_text("utf-8"),
                      flags=re.MULTILINE)

    def train_on(self, sample, name, place, killed):
        """In a workspace of its own, begun or resumed, there to the end or until it is killed."""
        folder, (steps, memory) = pathlib.Path(self.path("samples", sample)), SAMPLES[sample]
        run = pathlib.Path(self.path(name, "runs", "1", "model.pbtxt"))
        text = self.spread(folder / "model.pbtxt") if place == "both" else \
            (folder / "model.pbtxt").read_text("utf-8")
        command = [self.command, "train", "--workspace", name, "--device-options",
                   f"memory={memory},latency=50us", "--device",
                   "CPU:0" if place == "CPU:0" else "SIM:0"]
        if run.exists():
            run.write_text(text, "utf-8")
            command += ["--resume", "1"]
        else:
            project = pathlib.Path(self.path("samples", f"{sample}-on-{place.replace(':', '')}"))
            if not project.exists():
                shutil.copytree(folder, project)
            (project / "model.pbtxt").write_text(text, "utf-8")
            command += [str(project), "--steps", str(steps), "--set",
                        f"train.checkpoint-every={max(steps // 20, 2)}"]
        before = self.last_checkpoint(name)
        with open(self.path("said"), "w+", encoding="utf-8") as said:
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=said)
            while killed and process.poll() is None and self.last_checkpoint(name) == before:
                pass
            if killed:
                process.kill()
            process.wait()
            said.seek(0)
            return process.returncode, said.read()

    def everywhere(self, sample, places):
        """On CPU:0, on SIM:0 with little memory, and on both, killed on two of them."""
        self.alone(sample)
        whole = f"{sample}-whole"
        self.train_on(sample, whole, "CPU:0", False)
        with open(self.last_checkpoint(whole), "rb") as file:
            expected = file.read()
        name = f"{sample}-{'-'.join(places)}".replace(":", "")
        ends = [self.train_on(sample, name, place, i < 2) for i, place in enumerate(places)]
        with open(self.last_checkpoint(name), "rb") as file:
            kept = file.read()
        self.tap.point(f"{sample}, killed on {places[0]} and {places[1]}, ended on {places[2]}: "
                       "the same checkpoint", ends[2][0] == 0 and kept == expected, ends)

    def last_checkpoint(self, workspace):
        folder = self.path(workspace, "runs", "1", "checkpoints")
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return os.path.join(folder, names[-1]) if names else None

    def resume(self, first, second):
        """Killed on one device, behind a checkpoint, and resumed on the other."""
        name = f"{first}-{second}".replace(":", "")
        command = [self.command, "train", self.mlp, "--steps", "200", "--set",
                   "train.checkpoint-every=10", "--workspace", name, "--device", first]
        if first == "SIM:0":
            command += ["--device-options", "latency=2ms"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL)
        while process.poll() is None and self.last_checkpoint(name) is None:
            pass
        process.kill()
        process.wait()
        done = self.call("train", "--workspace", name, "--resume", "1", "--device", second)
        with open(self.last_checkpoint(name), "rb") as file:
            kept = file.read()
        self.tap.point(f"killed on {first} and resumed on {second}: the same checkpoint",
                       done.returncode == 0 and kept == self.expected, done.stderr)

    def checkpoints(self):
        self.say("memory=256M")
        self.call("train", self.mlp, "--steps", "200", "--set", "train.checkpoint-every=10",
                  "--workspace", "whole", "--device", "CPU:0")
        with open(self.last_checkpoint("whole"), "rb") as file:
            self.expected = file.read()
        self.resume("SIM:0", "CPU:0")
        self.resume("CPU:0", "SIM:0")
        shutil.copytree(self.samples / "digits-mlp", self.mlp, dirs_exist_ok=True)
        for i, sample in enumerate(SAMPLES):
            self.everywhere(sample, ORDERS[i % len(ORDERS)])

    def run(self):
        self.memory()
        self.moved()
        self.options()
        self.trace()
        self.project()
        self.checkpoints()
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Devices(*map(os.path.abspath, sys.argv[1:3])).run()
