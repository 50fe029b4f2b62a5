#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What is written outside of the tree, against the headers that are installed, as TAP.

usage: test-modules.py COMMAND SOURCE BUILD

Installs the headers, compiles the samples of an op and of a device against them alone, as their
comments say, and runs a graph with the op and a training on the device: the CPU's checkpoint.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

PACKAGES = ("gobject-2.0", "gio-2.0", "gmodule-2.0")  # what sluice-0.pc requires


class Test:
    def __init__(self, command, source, build, folder):
        self.command, self.folder = command, pathlib.Path(folder)
        self.samples = pathlib.Path(source) / "data" / "samples"
        self.build = build
        self.tap = Tap()

    def run(self, *words, **more):
        return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                              **more)

    def install(self):
        root = self.folder / "root"
        done = self.run("meson", "install", "-C", self.build, "--no-rebuild", "--tags", "devel",
                        "--destdir", root)
        headers = list(root.glob("**/include/sluice-0/engine/device/plugin.h"))
        self.tap.point("the headers are installed", done.returncode == 0 and len(headers) == 1,
                       done.stdout[-500:], done.stderr[-500:])
        self.include = headers[0].parents[2]

    def compile(self, name, output):
        flags = self.run("pkg-config", "--cflags", *PACKAGES).stdout.split()
        done = self.run("gcc", "-shared", "-fPIC", "-O2", self.samples / "plugin" / name, "-o",
                        self.folder / output, f"-I{self.include}", *flags, "-lm",
                        cwd=self.folder)
        self.tap.point(f"{name} compiles against them alone", done.returncode == 0,
                       done.stderr[:1000])

    def op(self):
        done = self.run(self.command, "run", self.samples / "plugin" / "mish.pbtxt", "--load",
                        self.folder / "mish.so", "--feed", "x:0=0", "--fetch", "y:0")
        self.tap.point("a graph has the op", done.returncode == 0 and "0" in done.stdout,
                       done.stdout, done.stderr)

    def train(self, device):
        workspace = self.folder / device.replace(":", "-")
        done = self.run(self.command, "train", self.samples / "digits-lenet", "--steps", 20,
                        "--device", device, "--workspace", workspace,
                        env=dict(os.environ, SLUICE_MODULES=str(self.folder)))
        found = sorted(workspace.glob("runs/*/checkpoints/*.safetensors"))
        self.tap.point(f"a training on {device}", done.returncode == 0 and len(found) == 1,
                       done.stdout[-300:], done.stderr)
        return found[0].read_bytes() if found else None

    def device(self):
        expected = self.train("CPU:0")
        self.tap.point("the device of the module has the CPU's bits",
                       expected is not None and self.train("DEMO:0") == expected)
        done = self.run(self.command, "train", self.samples / "digits-lenet", "--steps", 1,
                        "--device", "DEMO:7", "--workspace", self.folder / "none",
                        env=dict(os.environ, SLUICE_MODULES=str(self.folder)))
        self.tap.point("one too many is told in the module's words",
                       done.returncode == 1 and "there are 2 of them" in done.stderr, done.stderr)


def main():
    command, source, build = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        test = Test(command, source, build, folder)
        test.install()
        test.compile("mish.c", "mish.so")
        test.compile("demo.c", "sluice-demo.so")
        test.op()
        test.device()
        test.tap.end()


if __name__ == "__main__":
    main()
