#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What may happen to a run and its workspace, done to the command as a user meets it, as TAP.

usage: test-reliability.py SLUICE SOURCE-FOLDER
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

ENDLESS = ("--steps", 100000000)
# SIGINT and SIGTERM are sent by test-cli.py.
SIGNALS = ("SIGHUP", "SIGQUIT", "SIGPIPE", "SIGUSR1", "SIGALRM", "SIGXCPU", "SIGPWR", "SIGRTMAX")
SLCE = 0x534c4345


def tree(folder):
    """Every name below a folder, and what it holds: (kind, bytes or where it leads)."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_symlink():
            found[path] = ("link", os.readlink(path))
        else:
            found[path] = ("folder", None) if path.is_dir() else ("file", path.read_bytes())
    return found


class Reliability:
    def __init__(self, sluice, source):
        self.tap = Tap()
        self.sluice = sluice
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        samples = pathlib.Path(source) / "data" / "samples"
        self.project = self.folder / "samples" / "digits-mlp"
        shutil.copytree(samples / "digits-mlp", self.project)
        shutil.copytree(samples / "data", self.folder / "samples" / "data")
        self.workspace = self.folder / "workspace"

    def command(self, *arguments):
        return [self.sluice, *map(str, arguments)]

    def call(self, *arguments, **options):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False,
                              timeout=120, env={**os.environ, "LC_ALL": "C.UTF-8"}, **options)

    def train(self, *arguments, workspace=None, **options):
        return self.call("train", "--workspace", workspace or self.workspace, *arguments, **options)

    def check(self, name, run, status, *words):
        said = run.stdout if status == 0 else run.stderr
        return self.tap.point(name, run.returncode == status and all(w in said for w in words),
                              f"status {run.returncode}, wanted {status}: {words}", run.stdout,
                              run.stderr)

    def start(self, *arguments):
        """A run under way, once it has made steps."""
        process = subprocess.Popen(
            self.command("train", "--workspace", self.workspace, "--json", *arguments),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while json.loads(process.stdout.readline())["step"] == 0:
            pass
        return process

    def runs(self, workspace=None):
        run = self.call("info", "--workspace", workspace or self.workspace, "--json")
        return {line["name"]: line for line in map(json.loads, run.stdout.splitlines())}

    # -- signals --

    def signals(self):
        for name in SIGNALS:
            process = self.start(self.project, "--run", name, *ENDLESS)
            process.send_signal(getattr(signal, name))
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
            last = json.loads(out.splitlines()[-1])
            self.tap.point(f"{name}, and one more, save and end with 130",
                           process.returncode == 130 and last["state"] == "stopped"
                           and last["checkpoint"] == last["step"], process.returncode, last, err)
        states = {name: run["state"] for name, run in self.runs().items()}
        self.tap.point("all of them are marked stopped",
                       all(states[name] == "stopped" for name in SIGNALS), states)

    def second_signal(self):
        """While the process cannot go on, two signals come: both wait when it can."""
        process = self.start(self.project, "--run", "twice", *ENDLESS)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            process.stdout.readline()
        _, err = process.communicate(timeout=60)
        self.tap.point("whoever signals again is not obeyed with a loss",
                       process.returncode == 130 and "saved first" in err
                       and self.runs()["twice"]["state"] == "stopped", process.returncode, err)

    def closed_pipe(self):
        process = self.start(self.project, "--run", "pipe", *ENDLESS)
        process.stdout.close()
        process.stderr.read()
        self.tap.point("an output that nobody reads ends and saves a run",
                       process.wait(60) == 130 and self.runs()["pipe"]["state"] == "stopped",
                       process.returncode, self.runs()["pipe"])

    # -- links that somebody planted --

    def planted(self):
        """Every file that a run writes, and every name that a writer might use for a while, leads
        to a file of the user's before it is written."""
        victim = self.folder / "victim"
        victim.write_text("precious")
        workspace = self.folder / "planted"
        self.check("a run to be planted in", self.train(self.project, "--run", "a", "--steps", 100,
                                                        workspace=workspace), 0)
        folder = workspace / "runs" / "1"
        names = [path for path in folder.rglob("*") if path.is_file() and path.name not in
                 ("step-0000000100.safetensors", "lock", "project.ini", "model.pbtxt", "run.ini")]
        names += [folder / "checkpoints" / "step-0000000200.safetensors"]
        names += [folder / name for name in ("model.layout", "run.ini.part", "project.ini.part")]
        names += [folder / "checkpoints" / "step-0000000200.safetensors.part"]
        for path in names:
            path.unlink(missing_ok=True)
            path.symlink_to(victim)
        run = self.train("--resume", "a", "--steps", 200, workspace=workspace)
        self.check("a run goes on among planted links", run, 0, "finished at step 200")
        for verb, suffix in (("draw", "png"), ("draw", "svg"), ("draw", "pdf"), ("draw", "dot"),
                             ("trace", "json"), ("trace", "pftrace"), ("trace", "pb")):
            out = self.folder / f"out.{suffix}"
            for path in (out, pathlib.Path(f"{out}.part"), pathlib.Path(f"{out}.tmp")):
                path.symlink_to(victim)
            run = self.call(verb, self.project, "--out", out)
            self.tap.point(f"{verb} into .{suffix} replaces the link",
                           run.returncode == 0 and not out.is_symlink(), run.stderr)
        checkpoint = folder / "checkpoints" / "step-0000000100.safetensors"
        bundle = self.folder / "bundle"
        for suffix in (".index", ".data-00000-of-00001", ".index.part"):
            pathlib.Path(f"{bundle}{suffix}").symlink_to(victim)
        self.check("convert replaces links", self.call("convert", checkpoint, bundle), 0)
        self.tap.point("what they lead to is as it was", victim.read_text() == "precious",
                       victim.read_bytes()[:60])
        left = [path.name for path in folder.rglob(".sluice-*")]
        self.tap.point("no temporary file is left", not left, left)

    def planted_folders(self):
        outside = self.folder / "outside"
        outside.mkdir()
        workspace = self.folder / "linked"
        self.train(self.project, "--run", "a", "--steps", 10, workspace=workspace)
        checkpoints = workspace / "runs" / "1" / "checkpoints"
        checkpoints.rename(workspace / "kept")
        checkpoints.symlink_to(outside)
        self.check("a folder of checkpoints that is a link", self.train(
            "--resume", "a", "--steps", 20, workspace=workspace), 1, "is a link")
        linked = self.folder / "linked-database"
        linked.mkdir()
        (linked / "sluice.db").symlink_to(outside / "sluice.db")
        self.check("a database that is a link", self.train(self.project, workspace=linked), 1,
                   "is a link")
        self.tap.point("nothing is written through them", not list(outside.iterdir()))

    # -- reading --

    def reading(self):
        here = self.folder / "reading"
        self.train(self.project, "--run", "a", "--steps", 20, workspace=here / "work")
        before = tree(here)
        self.check("info of a mistyped workspace", self.call(
            "info", "--workspace", here / "wrok"), 1, "no workspace", "did you mean", "work'")
        self.check("draw of a mistyped workspace", self.call(
            "draw", self.project, "--charts", "--run", "a", "--workspace", here / "wrok", "--out",
            self.folder / "charts.png"), 1, "no workspace")
        self.check("checkpoints of a mistyped workspace", self.call(
            "checkpoints", "a", "--workspace", here / "wrok"), 1, "no workspace")
        self.check("--resume in a mistyped workspace", self.train(
            "--resume", "a", workspace=here / "wrok"), 1, "no workspace")
        self.check("a project that is none", self.train(
            self.folder / "none", workspace=here / "new"), 1, "project.ini")
        self.check("a workspace is listed", self.call(
            "info", "--workspace", here / "work"), 0, "a ")
        self.check("and drawn", self.call(
            "draw", self.project, "--charts", "--run", "a", "--workspace", here / "work", "--out",
            self.folder / "charts.png"), 0)
        self.check("its checkpoints too", self.call(
            "checkpoints", "a", "--workspace", here / "work"), 0, "step-0000000020")
        self.tap.point("all that makes, changes and leaves nothing", tree(here) == before,
                       sorted(tree(here).keys() ^ before.keys()))
        self.read_only(here / "work")

    def read_only(self, workspace):
        name = "a workspace that may not be written is listed"
        folders = [workspace, *(path for path in workspace.rglob("*") if path.is_dir())]
        for path in folders:
            path.chmod(0o555)
        os.chmod(self.folder, 0o755)
        try:
            user = {"user": 65534} if os.geteuid() == 0 else {}
            self.check(name, self.call("info", "--workspace", workspace, **user), 0, "finished")
        except PermissionError:
            self.tap.skip(name, "another user cannot run the program here")
        for path in folders:
            path.chmod(0o755)

    def foreign(self):
        workspace = self.folder / "foreign"
        workspace.mkdir()
        with sqlite3.connect(workspace / "sluice.db") as database:
            database.execute("CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT)")
            database.execute("PRAGMA application_id = 42")
        database.close()
        before = (workspace / "sluice.db").read_bytes()
        self.check("another program's database is not trained into",
                   self.train(self.project, workspace=workspace), 1, "another program's")
        self.check("nor read", self.call("info", "--workspace", workspace), 1, "another program's")
        self.tap.point("and stays as it was", (workspace / "sluice.db").read_bytes() == before)
        with sqlite3.connect(self.workspace / "sluice.db") as database:
            (number,), = database.execute("PRAGMA application_id").fetchall()
        self.tap.point("ours says whose it is", number == SLCE, number)

    # -- starting --

    def together(self):
        """Two starts at once in a workspace that is not there yet, again and again."""
        wrong = []
        for number in range(8):
            workspace = self.folder / f"together-{number}"
            both = [subprocess.Popen(
                self.command("train", self.project, "--workspace", workspace, "--steps", 5),
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
            wrong += [err for process in both if (err := process.communicate()[1])
                      or process.returncode]
            if len(self.runs(workspace)) != 2:
                wrong.append(workspace)
        self.tap.point("two starts at once in a fresh workspace both train", not wrong, wrong)

    def held(self):
        """Another program holds the database for longer than a second while a run starts."""
        workspace = self.folder / "held"
        self.train(self.project, "--steps", 5, workspace=workspace)
        database = sqlite3.connect(workspace / "sluice.db", isolation_level=None)
        database.execute("BEGIN IMMEDIATE")
        process = subprocess.Popen(
            self.command("train", self.project, "--workspace", workspace, "--steps", 5),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = process.stderr.readline()
        database.execute("COMMIT")
        database.close()
        process.communicate()
        self.tap.point("a start waits for who holds the database, and says so",
                       process.returncode == 0 and "another program holds" in said,
                       process.returncode, said)

    def failed_start(self):
        """Files may not grow beyond a size, or the database refuses one of the rows: nothing of a
        run remains."""
        def small_files(size):
            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            return limit

        def dump(workspace):
            with sqlite3.connect(workspace / "sluice.db") as database:
                rows = list(database.iterdump())
            database.close()
            return rows, sorted(os.listdir(workspace / "runs"))

        graph = (self.project / "model.pbtxt").stat().st_size
        workspace = self.folder / "no-room"
        self.check("a workspace without runs", self.call(
            "reindex", "--workspace", self.make_folder(workspace)), 0)
        before, wrong = dump(workspace), []
        for size in (100, 4096, graph // 2):
            run = self.train(self.project, "--run", "next", "--steps", 5, workspace=workspace,
                             preexec_fn=small_files(size))
            if run.returncode != 1 or "finished" in run.stdout or dump(workspace) != before:
                wrong.append((size, run.returncode, run.stderr, dump(workspace)[1]))
        self.tap.point("a start that fails leaves no row and no folder", not wrong, *wrong)
        with sqlite3.connect(workspace / "sluice.db") as database:
            database.execute("CREATE TRIGGER full BEFORE INSERT ON series BEGIN "
                             "SELECT RAISE (ABORT, 'no room'); END")
        database.close()
        before = dump(workspace)
        run = self.train(self.project, "--run", "next", workspace=workspace)
        self.check("a row that is refused takes all others along", run, 1, "no room")
        self.tap.point("and the folder", dump(workspace) == before, dump(workspace)[1])
        run = self.train(self.project, "--init-from", self.workspace / "none.safetensors",
                         workspace=workspace)
        self.tap.point("whatever fails", run.returncode == 1 and dump(workspace) == before)

    @staticmethod
    def make_folder(path):
        path.mkdir()
        return path

    # -- a lost database --

    def lost_database(self):
        workspace = self.folder / "lost"
        self.train(self.project, "--run", "one", "--steps", 30, workspace=workspace)
        checkpoint = next((workspace / "runs" / "1").rglob("*.safetensors"))
        before = checkpoint.read_bytes()
        for path in workspace.glob("sluice.db*"):
            path.unlink()
        run = self.train(self.project, "--run", "two", "--steps", 30, workspace=workspace)
        self.tap.point("a run takes no number whose folder is there, and what is lost is said",
                       run.returncode == 0 and "sluice reindex" in run.stderr
                       and (workspace / "runs" / "2").is_dir()
                       and checkpoint.read_bytes() == before, run.stderr)
        self.check("reindex lists it again", self.call("reindex", "--workspace", workspace), 0,
                   "run one: finished, at step 30")
        self.check("and it goes on", self.train("--resume", "one", "--steps", 60,
                                                workspace=workspace), 0, "finished at step 60")
        self.check("once is enough", self.call("reindex", "--workspace", workspace), 0, "is known")

    # -- checkpoints and data --

    def damaged(self):
        workspace = self.folder / "damaged"
        self.train(self.project, "--run", "a", "--steps", 40, "--set", "checkpoint-every=10",
                   workspace=workspace)
        newest = workspace / "runs/1/checkpoints/step-0000000040.safetensors"
        data = bytearray(newest.read_bytes())
        missed = []
        for block in range(0, len(data), 4096):
            at = min(block + 1717, len(data) - 1)
            data[at] ^= 16
            newest.write_bytes(data)
            run = self.call("check", newest)
            if run.returncode != 1 or str(newest) not in run.stdout or "damaged" not in run.stdout:
                missed.append((block, run.stdout, run.stderr))
            data[at] ^= 16
        self.tap.point(f"a bit in each 4 KiB of {len(data)} bytes is found by check", not missed,
                       missed[:3])
        newest.write_bytes(data)
        self.check("whole, it has no problems", self.call("check", newest), 0, "No problems")
        data[-9] ^= 1
        newest.write_bytes(data)
        run = self.train("--resume", "a", "--steps", 80, workspace=workspace)
        self.check("a damaged checkpoint is refused by name", run, 1, str(newest), "tensor '",
                   "checksum", "--from 30")
        run = self.runs(workspace)["a"]
        last = {series["tag"]: series["last_step"] for series in run["series"]}
        self.tap.point("and the run is as it was", run["step"] == 40 and last["loss"] == 40, run)
        self.check("going back is said", self.train(
            "--resume", "a", "--from", 30, "--steps", 50, workspace=workspace), 0,
            "finished at step 50")
        self.check("--from without --resume", self.train(self.project, "--from", 3), 2, "--resume")

    def changed_data(self):
        workspace = self.folder / "changed"
        self.train(self.project, "--run", "a", "--steps", 10, workspace=workspace)
        labels = self.folder / "samples/data/digits/train-labels-idx1-ubyte.gz"
        before = labels.read_bytes()
        # The time of the last change stands in the header of what gzip wrote: the same labels.
        labels.write_bytes(before[:4] + bytes(4) + before[8:] if before[4:8] != bytes(4)
                           else before[:4] + b"\1\0\0\0" + before[8:])
        run = self.train("--resume", "a", "--steps", 20, workspace=workspace)
        self.check("a data file that has changed is named", run, 1, str(labels), "train-y",
                   "--accept-changed-data")
        self.check("and taken where that is said", self.train(
            "--resume", "a", "--steps", 20, "--accept-changed-data", workspace=workspace), 0,
            "finished at step 20")
        labels.write_bytes(before)

    def run(self):
        for part in (self.signals, self.second_signal, self.closed_pipe, self.planted,
                     self.planted_folders, self.reading, self.foreign, self.together, self.held,
                     self.failed_start, self.lost_database, self.damaged, self.changed_data):
            part()
        self.temporary.cleanup()
        self.tap.end()


Reliability(*sys.argv[1:]).run()
