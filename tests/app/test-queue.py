#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""`sluice launch`, `queue` and `sweep`: runs that wait, and programs that are killed, as TAP.

usage: test-queue.py SLUICE SOURCE-FOLDER
"""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from queue_command import Queue
from tap import Tap

STEPS = 40
N_RUNS = 6
N_KILLS = 20


def check_verbs(tap, queue, project):
    queue.fill(project, STEPS, 3)
    tap.point("what waits is listed in order", queue.names() == ["run0", "run1", "run2"],
              queue.names())
    tap.point("its state is waiting", set(queue.states().values()) == {"waiting"}, queue.states())
    tap.point("and its settings are known before it has run",
              queue.runs()["run2"]["settings"].get("seed") == 3, queue.runs()["run2"])
    moved = queue.call("queue", "move", "run2", "before", "run0")
    tap.point("a run is moved", queue.names() == ["run2", "run0", "run1"], moved.stderr)
    wrong = queue.call("queue", "move", "run2", "behind", "run0")
    tap.point("a wrong word is usage", wrong.returncode == 2 and "'behind'" in wrong.stderr)
    dropped = queue.call("queue", "drop", "run0")
    tap.point("a run is dropped and stays a run",
              queue.names() == ["run2", "run1"] and queue.states()["run0"] == "draft",
              dropped.stderr)
    queue.call("queue", "pause")
    paused = queue.call("queue", "run")
    tap.point("a queue that is paused trains nothing",
              paused.returncode == 1 and "resume" in paused.stderr
              and set(queue.states().values()) == {"waiting", "draft"}, paused.stderr)
    queue.call("queue", "resume")
    ended = queue.call("queue", "run", "--jobs", 2)
    tap.point("two at a time come to the end", ended.returncode == 0 and queue.names() == []
              and queue.states()["run1"] == queue.states()["run2"] == "finished", ended.stderr)
    again = queue.call("queue", "run")
    tap.point("where nothing waits, nothing is done",
              again.returncode == 0 and again.stdout == "", again.stdout, again.stderr)


def check_refusals(tap, queue, project):
    before = queue.runs()
    for words, part in ((("lerning-rate=1",), "learning-rate"), (("steps=x",), "steps"),
                        (("batch",), "KEY=VALUE")):
        ended = queue.call("launch", project, *words, "--queue")
        tap.point(f"{words[0]} is refused, and what is meant is named",
                  ended.returncode == 1 and part in ended.stderr, ended.stderr)
    ended = queue.call("launch", project, "--after", "run1")
    tap.point("--after needs --queue", ended.returncode == 2 and "--queue" in ended.stderr)
    for words, part in ((("--needs-memory=1G",), "--queue"),
                        (("--needs-memory=much", "--queue"), "64M"),
                        (("--init-partly", "--queue"), "--init-from")):
        ended = queue.call("launch", project, *words)
        tap.point(f"{words[0]} is refused, and why", ended.returncode == 2 and part in ended.stderr,
                  ended.stderr)
    ended = queue.call("launch", project, "--queue", "--after", "run7")
    tap.point("and a run that is there", ended.returncode == 1 and "run7" in ended.stderr)
    tap.point("nothing of them is left", queue.runs().keys() == before.keys())


def check_data(tap, queue, samples):
    """Data that go or change while a run waits fail that run alone."""
    project = samples / "digits-mlp"
    labels = samples / "data" / "digits" / "train-labels-idx1-ubyte.gz"
    queue.call("launch", project, f"steps={STEPS}", "--run=early", "--queue")
    queue.call("launch", project, f"steps={STEPS}", "--run=late", "--queue", "--after=early")
    own = ("launch", project, f"steps={STEPS}", "--run=own", "--queue",
           f"train-y={samples / 'copy.gz'}")
    missing = queue.call(*own)
    shutil.copy(labels, samples / "copy.gz")
    ended = queue.call(*own)
    tap.point("a run whose data are not there does not come to wait",
              missing.returncode == 1 and "copy.gz" in missing.stderr and ended.returncode == 0,
              missing.stderr, ended.stderr)
    labels.write_bytes(labels.read_bytes() + b"\0")
    shutil.move(project, samples / "elsewhere")
    ended = queue.call("queue", "run")
    states = queue.states()
    tap.point("data that have changed fail the run, and the queue goes on",
              ended.returncode == 1 and "have changed" in ended.stderr
              and states["early"] == "failed" and states["own"] == "finished", ended.stderr, states)
    tap.point("what comes after it is skipped with the reason",
              states["late"] == "failed" and "'early'" in ended.stderr, ended.stderr)


def check_init_from(tap, queue, samples, project):
    """Runs that begin with a file's values wait with them."""
    queue.call("launch", project, f"steps={STEPS}", "--run=origin")
    folder = queue.workspace / "runs" / str(queue.runs()["origin"]["id"]) / "checkpoints"
    foreign = samples / "foreign.safetensors"
    shutil.copy(max(folder.iterdir()), foreign)
    ended = queue.call("sweep", project, "seed=1,2", f"--steps={STEPS}", "--group=tuned", "--queue",
                       f"--init-from={foreign}", "--needs-memory=64M")
    tap.point("what they need is listed", ended.returncode == 0
              and {line["memory"] for line in queue.lines("queue")} == {64 << 20}, ended.stderr)
    shown = queue.call("queue").stdout.splitlines()
    tap.point("and told to people", len(shown) == 2
              and all("memory: 64.0\xa0MiB" in line for line in shown), shown)
    foreign.unlink()
    ended = queue.call("queue", "run")
    losses = queue.losses()
    tap.point("the file may go: they begin where it stood", ended.returncode == 0
              and all(losses[name][0][1] < losses["origin"][0][1] / 2
                      for name in ("tuned-1", "tuned-2")), ended.stderr)


def check_stop(tap, queue, project):
    ended = queue.call("launch", project, "steps=100000000", "--run=long", "--queue")
    for number, what in ((signal.SIGHUP, "a log-out"), (signal.SIGINT, "Ctrl-C")):
        before = queue.runs()["long"]["step"]
        process = queue.start("queue", "run", "--json")
        for line in process.stdout:
            if json.loads(line)["step"] > before:
                break
        process.send_signal(number)
        process.communicate(timeout=60)
        row = queue.runs()["long"]
        tap.point(f"{what} saves the run under way, which waits again",
                  process.returncode == 130 and row["state"] == "waiting"
                  and row["step"] > before and queue.names() == ["long"],
                  process.returncode, row, ended.stderr)
    ended = queue.call("queue", "drop", "long")
    tap.point("dropped, it is a run that can be resumed", queue.states()["long"] == "stopped",
              ended.stderr)


def check_full_disk(tap, sluice, folder, project):
    """No file may grow beyond what the first run reaches: that is nobody's failure."""
    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (600000, 600000))

    queue = Queue(sluice, folder / "full")
    queue.call("launch", project, "steps=20000", "--run=long", "--queue")
    queue.call("launch", project, f"steps={STEPS}", "--run=short", "--queue")
    ended = queue.call("queue", "run", preexec_fn=fill)
    tap.point("a full disk ends the queue, and no run fails for it",
              ended.returncode == 1 and "disk" in ended.stderr
              and queue.names() == ["long", "short"] and "failed" not in queue.states().values(),
              ended.stderr, queue.states())
    tap.point("which says that it waits, for what, and what to do",
              "run long: waiting at step" in ended.stdout and "fail" not in ended.stdout
              and "'long' waits for disk space" in ended.stderr
              and "'sluice queue run' goes on" in ended.stderr
              and ended.stderr.count("long") == 1, ended.stdout, ended.stderr)
    ended = queue.call("queue", "run")
    tap.point("with room again it goes on", ended.returncode == 0
              and set(queue.states().values()) == {"finished"}, ended.stderr, queue.states())


def kill_at_random(queue, lots, seconds, n_most):
    """Until nothing waits, or so often. Returns how often."""
    n_hit = 0
    while n_hit < n_most and queue.names():
        process = queue.start("queue", "run", "--jobs", lots.choice((1, 2)))
        try:
            process.wait(timeout=lots.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            n_hit += 1
        process.communicate()
    return n_hit


def check_kills(tap, sluice, folder, what, fill):
    """fill puts runs into an empty queue: the same ones each time."""
    calm = Queue(sluice, folder / f"calm {what}")
    fill(calm)
    began = time.monotonic()
    ended = calm.call("queue", "run")
    seconds = time.monotonic() - began
    tap.point(f"{what}: undisturbed it ends", ended.returncode == 0 and not calm.names(),
              ended.stderr)
    states, checkpoints, losses = calm.states(), calm.checkpoints(), calm.losses()
    lots, n_hit, wrong = random.Random(7), 0, []
    for nth in range(2 * N_KILLS):
        if n_hit == N_KILLS:
            break
        killed = Queue(sluice, folder / f"killed {what} {nth}")
        fill(killed)
        n_hit += kill_at_random(killed, lots, seconds, N_KILLS - n_hit)
        ended = killed.call("queue", "run")
        if ended.returncode != 0 or killed.states() != states or killed.names() != []:
            wrong.append((ended.stderr, killed.states()))
        elif killed.checkpoints() != checkpoints:
            wrong.append(sorted(set(killed.checkpoints().items()) ^ set(checkpoints.items()))[:6])
        elif killed.losses() != losses:
            wrong.append("losses differ, or a step is there twice")
    tap.point(f"{what}: killed {N_KILLS} times, every run is there and has ended once as it would "
              "have, with the checkpoints of the undisturbed queue byte by byte, and its losses",
              n_hit == N_KILLS and not wrong and len(checkpoints) >= N_RUNS, n_hit, wrong)
    return states


def check_kills_of_all(tap, sluice, folder, project):
    states = check_kills(tap, sluice, folder, "a queue", lambda queue: queue.fill(project, STEPS))
    tap.point("all of them finish", set(states.values()) == {"finished"}, states)

    states = check_kills(tap, sluice, folder, "a sweep that drops trials",
                         lambda queue: queue.fill_halving(project, STEPS))
    tap.point("one of nine trials finishes", sorted(states.values())
              == ["finished"] + 8 * ["stopped"], states)
    queue = Queue(sluice, folder / "calm a sweep that drops trials")
    dropped = next(name for name, state in states.items() if state == "stopped")
    forked = queue.call("fork", dropped, "--step=4", "--run=again", "--queue")
    ended = queue.call("queue", "run")
    tap.point("the fork of one that was dropped is trained to its end",
              forked.returncode == ended.returncode == 0
              and queue.states() == {**states, "again": "finished"}, forked.stderr, ended.stderr,
              queue.states())


def check_killed_sweep(tap, sluice, folder, project):
    """A program that is killed while it adds a sweep leaves all of it or nothing."""
    lots, counts, wrong = random.Random(3), [], []
    words = ("sweep", project, "seed=1..40/40", "--steps=3", "--group=s", "--queue")
    began = time.monotonic()
    Queue(sluice, folder / "added").call(*words)
    seconds = time.monotonic() - began
    for nth in range(N_KILLS):
        queue = Queue(sluice, folder / f"adding {nth}")
        process = queue.start(*words)
        try:
            process.wait(timeout=lots.uniform(0, seconds) if nth % 2 else seconds * 0.9)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        after = queue.call("launch", project, "steps=3", "--run=after", "--queue")
        names = queue.names()
        counts.append(len(names) - 1)
        folders = sorted(path.name for path in (queue.workspace / "runs").iterdir())
        if (len(names) not in (1, 41) or "reindex" in after.stderr or len(folders) != len(names)
                or set(queue.states().values()) != {"waiting"}):
            wrong.append((names, folders, after.stderr))
    tap.point(f"killed {N_KILLS} times while it is added ({counts.count(0)} times before it was), "
              "a sweep is there as a whole or not at all, in folders too", not wrong, wrong)


def check_two(tap, sluice, folder, project):
    """Two programs, one of which is killed, share one queue."""
    queue = Queue(sluice, folder / "two")
    queue.fill(project, STEPS)
    first, second = queue.start("queue", "run"), queue.start("queue", "run")
    said = [process.communicate(timeout=120) for process in (first, second)]
    trained = [line.split(":")[0] for out, _ in said for line in out.splitlines()
               if line.startswith("run ")]
    tap.point("two programs train each run once",
              sorted(trained) == [f"run run{i}" for i in range(N_RUNS)]
              and first.returncode == second.returncode == 0
              and set(queue.states().values()) == {"finished"}, trained, said)
    queue.call("launch", project, "steps=3000", "--run=taken", "--queue")
    first = queue.start("queue", "run", "--json")
    for line in first.stdout:
        if json.loads(line)["step"] > 0:
            break
    second = queue.start("queue", "run")
    first.kill()
    first.communicate()
    second.communicate(timeout=120)
    tap.point("what was killed is taken over by the program that waited",
              second.returncode == 0 and queue.states()["taken"] == "finished", queue.states())


def check_sweep(tap, queue, project):
    best = queue.lines("sweep", project, "learning-rate=0.0001,0.05", "batch=16..64/2",
                       "--steps", STEPS, "--group=lr")[-1]
    rows = queue.lines("runs", "--filter", "group:lr")
    values = {row["run"]: row["results"]["evaluate/accuracy"]["last"] for row in rows}
    tap.point("a sweep trains each combination and tells the best",
              len(rows) == 4 and best["finished"] == 4 and best["failed"] == 0
              and values[best["best"]] == best["value"] == max(values.values())
              and best["direction"] == "max" and "learning-rate=0.05" in best["settings"],
              best, values)
    known = queue.runs().keys()
    for words, part in ((("learning-rate=0..1/1000", "seed=1..1000/1000"), "1000000"),
                        (("lerning-rate=1,2",), "learning-rate"),
                        (("seed=1,2", "--metric=evaluate/acuracy"), "evaluate/accuracy"),
                        (("seed=1..x",), "character 9"), (("batch=0,1",), "batch")):
        ended = queue.call("sweep", project, *words)
        tap.point(f"{' '.join(words)} is refused before anything is begun",
                  ended.returncode == 1 and part in ended.stderr and queue.runs().keys() == known,
                  ended.stderr)
    lots = [[line["run"] for line in queue.lines(
        "sweep", project, "learning-rate=0.001..0.1:log", "batch=16,32", "--method=random",
        "--trials=3", "--seed=5", "--steps=3", f"--group=lot{i}", "--queue")] for i in (1, 2)]
    runs = queue.runs()
    drawn = [[runs[name]["settings"]["learning-rate"] for name in names] for names in lots]
    tap.point("the same seed draws the same values", drawn[0] == drawn[1] and len(drawn[0]) == 3,
              drawn)
    tap.point("with --queue they wait in order", queue.names() == lots[0] + lots[1], queue.names())
    ended = queue.call("sweep", project, "seed=1,2", "--steps=3", "--group=now")
    tap.point("a sweep that is trained at once leaves to others what waits",
              ended.returncode == 0 and queue.names() == lots[0] + lots[1], ended.stderr)
    ended = queue.call("queue", "run")
    tap.point("which the queue trains", ended.returncode == 0 and queue.names() == [],
              ended.stderr)


def main(sluice, source):
    tap = Tap()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        samples = folder / "samples"
        origin = pathlib.Path(source) / "data" / "samples"
        shutil.copytree(origin / "digits-mlp", samples / "digits-mlp")
        shutil.copytree(origin / "data", samples / "data")
        project = samples / "digits-mlp"
        queue = Queue(sluice, folder / "workspace")
        check_verbs(tap, queue, project)
        check_refusals(tap, queue, project)
        check_init_from(tap, queue, samples, project)
        check_stop(tap, queue, project)
        check_sweep(tap, queue, project)
        check_full_disk(tap, sluice, folder, project)
        check_kills_of_all(tap, sluice, folder, project)
        check_killed_sweep(tap, sluice, folder, project)
        check_two(tap, sluice, folder, project)
        check_data(tap, queue, samples)
    tap.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
