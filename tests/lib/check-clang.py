#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""clang has nothing to warn of in what the build compiles, as TAP. usage: check-clang.py BUILD"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

WITH_VALUE = {"-o", "-MF", "-MQ"}
FOR_OUTPUT = {"-c", "-MD"}


def clang_command(entry):
    """The entry's own command, for clang, without output."""
    words = shlex.split(entry["command"])
    start = next(i for i, word in enumerate(words) if word.startswith("-"))
    kept, skip = [], False
    for word in words[start:]:
        if not skip and word not in WITH_VALUE | FOR_OUTPUT:
            kept.append(word)
        skip = word in WITH_VALUE
    quiet = ["-Wno-unknown-warning-option", "-Wno-unused-command-line-argument"]
    # As in meson.build: variables that are there for their cleanup only.
    quiet += ["-Wno-unused-variable", "-fno-color-diagnostics"]
    return ["clang", "-fsyntax-only", "-Werror", *kept, *quiet]


def warnings(entry):
    run = subprocess.run(clang_command(entry), cwd=entry["directory"], capture_output=True,
                         text=True, check=False)
    return run.stderr.splitlines() if run.returncode else []


def main(build):
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    sources = {entry["file"]: entry for entry in entries if entry["file"].endswith(".c")}
    print("1..1", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for lines in pool.map(warnings, sources.values()) for line in lines]
    clean = bool(sources) and not found
    print(f"{'ok' if clean else 'not ok'} 1 - clang warns of nothing in {len(sources)} files")
    for line in found:
        print("#", line)
    return 0 if clean else 1


sys.exit(main(sys.argv[1]))
