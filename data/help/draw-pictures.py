#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Draws the manual's pictures with the programs that were just built.

usage: draw-pictures.py [--strict] OUT SAMPLES LANGUAGES SLUICE [WORKBENCH]

A sample is trained for a moment in a workspace of its own; then each picture of pictures.txt is
drawn into OUT, light and dark, in English and, below a folder of its name, in each language of
LANGUAGES ("de,fr", or ""). Without WORKBENCH, the window's pictures are left out. A picture that
cannot be drawn is told and left out, too: the pages have its words. With --strict it is an error.
"""
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Drawn for the same screen wherever it is built; gettext translates in no locale called C.
FIXED = {"LC_ALL": "C.UTF-8", "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1"}
# A picture takes a second or two; one that was waited for in vain was the last one.
PATIENCE = 30
AT_A_TIME = 4
# A sample's run is looked at in the pictures; a line is a run.
RUNS = (("digits-mlp", "--steps", "300", "--run", "first"),
        ("digits-mlp", "--steps", "300", "--run", "faster", "--set", "learning-rate=0.01"))


class Painter:
    def __init__(self, out, samples, sluice, workbench):
        self.out, self.samples, self.sluice, self.workbench = out, samples, sluice, workbench
        self.folder = tempfile.mkdtemp()
        self.runtime = os.path.join(self.folder, "run")
        os.mkdir(self.runtime, 0o700)
        self.failures = 0
        # Without a display the window draws into memory; whose desktop it is does not matter.
        self.environment = {key: value for key, value in os.environ.items()
                            if key not in ("DISPLAY", "WAYLAND_DISPLAY", "LANGUAGE")}
        self.environment.update(FIXED, HOME=self.folder, XDG_RUNTIME_DIR=self.runtime,
                                XDG_DATA_HOME=os.path.join(self.folder, "data"),
                                XDG_CONFIG_HOME=os.path.join(self.folder, "config"),
                                XDG_CACHE_HOME=os.path.join(self.folder, "cache"))

    def call(self, *arguments, **environment):
        try:
            done = subprocess.run(arguments, env={**self.environment, **environment}, check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=PATIENCE)
            return done.stdout
        except subprocess.SubprocessError as error:
            self.failures += 1
            print(f"not drawn: {error}\n{error.stdout or ''}", file=sys.stderr)
            if isinstance(error, subprocess.TimeoutExpired) and arguments[0] == self.workbench:
                self.workbench = None
            return None

    def train(self):
        for project, *options in RUNS:
            self.call(self.sluice, "train", os.path.join(self.samples, project), "--workspace",
                      self.folder, *options)

    def draw(self, name, words, folder, language):
        os.makedirs(folder, exist_ok=True)
        kind, project, *options = words
        if kind == "window" and self.workbench is None:
            return
        path = os.path.join(self.samples, project)
        light, dark = (os.path.join(folder, f"{name}{ending}.png") for ending in ("", "-dark"))
        if kind == "window":
            # Both in one go: most of the time goes into the window's start.
            self.call(self.workbench, path, "--workspace", self.folder, "--out", light,
                      "--dark-out", dark, *options, LANGUAGE=language)
            return
        for out, mode in ((light, ()), (dark, ("--dark",))):
            self.call(self.sluice, "draw", path, "--out", out, *mode, *options, LANGUAGE=language)


def read_table():
    """(name, words) of each picture."""
    with open(os.path.join(HERE, "pictures.txt"), encoding="utf-8") as file:
        for line in file:
            words = shlex.split(line, comments=True)
            if words:
                yield words[0], words[1:]


def main(arguments):
    strict = arguments[0] == "--strict"
    out, samples, languages, sluice, *rest = arguments[strict:]
    out, sluice = os.path.abspath(out), os.path.abspath(sluice)
    painter = Painter(out, os.path.abspath(samples), sluice,
                      os.path.abspath(rest[0]) if rest else None)
    shutil.rmtree(out, ignore_errors=True)
    try:
        painter.train()
        # The window waits for its frames most of the time.
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            for name, words in read_table():
                pool.submit(painter.draw, name, words, out, "")
                for language in languages.split(",") if languages else ():
                    pool.submit(painter.draw, name, words, os.path.join(out, language), language)
    finally:
        shutil.rmtree(painter.folder)
    return 1 if strict and painter.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
