#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What is edited in the window is not lost, and what others write is not overwritten, as TAP.

usage: test-document-window.py WORKBENCH COMMAND PROJECT

The window is killed in the midst of editing and opened again; another program writes the file that
is open; what the bar over the canvas says is read, and its buttons pressed, through AT-SPI.
"""
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import Tap
from workbench import Workbench, press_keys

N_BURST = 40


class Documents:
    def __init__(self, tap, programs, folder, project):
        self.tap, self.program, self.command = tap, programs[0], programs[1]
        self.folder, self.project = pathlib.Path(folder), project
        self.model = pathlib.Path(project) / "model.pbtxt"
        self.w = None

    # ---- doing ----

    def open(self):
        self.w = Workbench(self.program, self.project, str(self.folder / "workspace"))
        self.w.wait(lambda s: s["settled"] and s["graph"]["items"])
        press_keys("alt+1")
        return self.w.wait(lambda s: s["page"] == "build" and s["settled"])

    def kill(self):
        self.w.process.send_signal(signal.SIGKILL)
        self.w.process.wait()

    def edit(self, command):
        self.w.act("edit", GLib.Variant("s", command))

    def undos(self, n):
        return self.w.wait(lambda s: s["build"]["n-undo"] == n)

    def press(self, name):
        self.w.find_accessible("button", name).act()

    def news(self, word):
        """What the bar says, once it says the word."""
        return self.w.wait(lambda s: word in s["build"]["news"])["build"]["news"]

    def other(self, script):
        """Another program changes the file, as editors do: a new one in its place."""
        self.headless(self.model, script, self.folder / "other.pbtxt")
        os.replace(self.folder / "other.pbtxt", self.model)

    def headless(self, graph, script, out):
        subprocess.run([self.command, "edit", graph, "--out", out], input=script, text=True,
                       check=True)

    def has(self, *names):
        text = self.model.read_text()
        return [name for name in names if f'name: "{name}"' in text]

    # ---- what is shown ----

    def recovers(self):
        node = 'node {\n  name: "accuracy/value"'
        self.model.write_text(self.model.read_text().replace(node, "# how good it is\n" + node))
        before = self.model.read_bytes()
        self.open()
        for n, name in enumerate(("one", "two", "three"), 1):
            self.edit(f"add Identity {name} logits/bias_add")
            self.undos(n)
        self.press("Undo a command")
        self.undos(2)
        self.edit("rename accuracy/value accuracy/share")
        self.undos(3)
        self.edit("add Identity four logits/bias_add")
        self.undos(4)
        self.press("Undo a command")
        self.undos(3)
        self.kill()
        self.tap.point("the file is as it was", self.model.read_bytes() == before)
        build = self.open()["build"]
        self.tap.point("after kill -9 all is here, with what can be undone and redone",
                       build["n-undo"] == 3 and build["n-redo"] == 1, build)
        self.tap.point("and the bar says so", "7 commands" in build["news"], build["news"])
        said = self.w.until(lambda: [o.role() for o in self.w.accessible().tree()
                                     if build["news"] in (o.label(), o.text())])
        self.tap.point("to a screen reader, too", said)

    def replays(self):
        """Whatever was done in the window, headless."""
        journals = list((self.folder / "workspace-state").glob("sluice/drafts/*/journal"))
        out = self.folder / "headless.pbtxt"
        done = subprocess.run([self.command, "edit", "--journal", journals[0], "--out", out],
                              capture_output=True, text=True, check=False)
        self.model.chmod(0o640)
        press_keys("ctrl+s")
        self.w.wait(lambda s: s["build"]["saved"].startswith("saved"))
        self.tap.point("the journal replays without a window to the bytes that it saves",
                       len(journals) == 1 and done.returncode == 0
                       and out.read_bytes() == self.model.read_bytes(), journals, done.stderr)
        self.tap.point("comments stay with their nodes",
                       '# how good it is\nnode {\n  name: "accuracy/share"'
                       in self.model.read_text())
        self.tap.point("the file keeps its mode",
                       stat.S_IMODE(self.model.stat().st_mode) == 0o640)
        self.press("Redo a command")
        self.undos(4)
        self.kill()
        build = self.open()["build"]
        self.tap.point("what was saved is told from what was not", "1 command " in build["news"]
                       and build["n-undo"] == 4, build)
        self.press("Drop Them")
        build = self.undos(3)["build"]
        self.tap.point("which can be dropped, and brought back", build["n-redo"] == 1
                       and build["news"] == "" and build["saved"].startswith("saved"), build)

    def merges(self):
        self.edit("add Identity ours logits/bias_add")
        self.undos(4)
        self.other("add Identity theirs one\nset one _note=\"theirs\"\n")
        self.news("Another program")
        theirs = self.model.read_bytes()
        press_keys("ctrl+s")
        self.w.wait(lambda s: s["build"]["saved"].startswith("not saved"))
        self.tap.point("a file that somebody else changed is not overwritten",
                       self.model.read_bytes() == theirs)
        self.press("Merge")
        self.undos(5)
        press_keys("ctrl+s")
        self.w.wait(lambda s: s["build"]["saved"].startswith("saved"))
        self.tap.point("merged, it has both", self.has("ours", "theirs") == ["ours", "theirs"])
        self.press("Undo a command")
        build = self.undos(4)["build"]
        self.tap.point("a merge is undone", build["saved"].startswith("not saved"), build)
        self.press("Redo a command")
        build = self.undos(5)["build"]
        self.tap.point("and done again", build["saved"].startswith("saved"), build)

    def conflicts(self):
        self.edit("set one _note=\"ours\"")
        self.undos(6)
        self.other("set one _note=\"other\"\n")
        self.news("Another program")
        self.press("Merge")
        news = self.news("yours stands")
        self.tap.point("a conflict is named", "one" in news and "_note" in news, news)
        self.kill()
        build = self.open()["build"]
        self.tap.point("all of it comes back", build["n-undo"] == 7, build)

    def keeps(self):
        self.other("add Identity unwanted one\n")
        self.news("Another program")
        self.press("Keep Mine")
        self.w.wait(lambda s: not s["build"]["news"])
        press_keys("ctrl+s")
        self.w.wait(lambda s: s["build"]["saved"].startswith("saved"))
        self.tap.point("what another program did is left out where that is wanted",
                       not self.has("unwanted") and self.has("ours"))

    def compares(self):
        """By node, in a list beside the picture of both."""
        self.other("add Identity taken one\nadd Identity left one\n")
        self.news("Another program")
        self.press("Compare…")
        taken = self.w.find_accessible("checkbox", "+ added · taken")
        self.tap.point("what another program did is listed and ticked", taken.label(), taken)
        press_keys("Down", "Return")
        self.press("Take Over 1")
        build = self.undos(8)["build"]
        self.tap.point("and taken over as one command", "take over 1 difference" in build["undo"]
                       and build["news"] == "", build["undo"])
        press_keys("ctrl+s")
        self.w.wait(lambda s: s["build"]["saved"].startswith("saved"))
        self.tap.point("without what is not ticked", self.has("taken", "left") == ["taken"])

    def reloads(self):
        self.edit("add Identity mine one")
        self.undos(9)
        self.other("add Identity wanted one\n")
        self.news("Another program")
        self.press("Reload")
        build = self.w.wait(lambda s: s["build"]["shows"] == "editor"
                            and s["build"]["n-undo"] == 0 and s["settled"])["build"]
        self.tap.point("the file is read again", build["saved"].startswith("saved")
                       and build["news"] == "", build)
        kept = list((self.folder / "workspace-state").glob("sluice/drafts/*/journal.1"))
        self.tap.point("and what was done before is put aside",
                       len(kept) == 1 and "Identity mine one" in kept[0].read_text(), kept)

    def shares(self):
        """Another window on the file that is edited here."""
        self.edit("add Identity first one")
        self.undos(1)
        with tempfile.TemporaryDirectory() as folder:
            other = Workbench(self.program, self.project, os.path.join(folder, "workspace"),
                              state=str(self.folder / "workspace-state"))
            news = other.wait(lambda s: s["settled"] and s["build"]["news"])["build"]["news"]
            self.tap.point("a second window says who edits the file",
                           f"process {self.w.process.pid} " in news and "only shown" in news,
                           news)
            other.act("edit", GLib.Variant("s", "add Identity second one"))
            build = other.wait(lambda s: s["build"]["refusal"])["build"]
            self.tap.point("and changes nothing", build["n-undo"] == 0, build["refusal"])
            other.quit()
        self.press("Undo a command")
        self.undos(0)

    def bursts(self):
        """Killed while commands come."""
        for i in range(N_BURST):
            self.edit(f"add Identity burst{i} one")
        self.w.wait(lambda s: s["build"]["n-undo"] > N_BURST // 2)
        n = self.w.state()["build"]["n-undo"]
        self.kill()
        build = self.open()["build"]
        self.tap.point("no command that was seen is lost", n <= build["n-undo"] <= N_BURST, n,
                       build)

    def save_to(self, path):
        """What the dialog of Ctrl+Shift+S answers; that it comes is seen by test-keys.py."""
        self.w.act("save-graph-to", GLib.Variant("s", str(path)))

    def saves_as(self):
        """A project stays with its graph's file; a graph goes on under the other name."""
        copy, moved = self.folder / "copy.pb", self.folder / "moved.pbtxt"
        build = self.w.state()["build"]
        self.save_to(copy)
        told = self.w.wait(lambda s: "copy.pb" in s["told"])
        self.tap.point("of a project's graph a copy is written", copy.stat().st_size > 0
                       and told["build"]["n-undo"] == build["n-undo"]
                       and told["build"]["saved"] == build["saved"]
                       and told["build"]["name"] == build["name"], told["told"])
        # As the button does beside these words, which are gone after some seconds.
        self.w.act("open", GLib.Variant("s", str(copy)))
        self.w.wait(lambda s: s["build"]["name"] == "copy.pb" and s["settled"])
        self.edit("add NoOp only_there")
        self.undos(1)
        before = copy.read_bytes()
        self.save_to(moved)
        build = self.w.wait(lambda s: s["build"]["name"] == "moved.pbtxt")["build"]
        self.tap.point("a graph goes on under the other name, as text, with its history",
                       "only_there" in moved.read_text() and copy.read_bytes() == before
                       and build["n-undo"] == 1 and build["saved"].startswith("saved"), build)
        self.edit("add NoOp later")
        self.undos(2)
        press_keys("ctrl+s")
        self.w.wait(lambda s: s["build"]["saved"].startswith("saved"))
        self.tap.point("and is saved there", "later" in moved.read_text())
        self.save_to(self.folder / "nowhere" / "x.pb")
        told = self.w.wait(lambda s: "nowhere" in s["told"])
        self.tap.point("where it cannot be written it is said, and the name stays",
                       told["build"]["name"] == "moved.pbtxt", told["told"])

    def run(self):
        self.recovers()
        self.replays()
        self.merges()
        self.conflicts()
        self.keeps()
        self.compares()
        self.reloads()
        self.shares()
        self.bursts()
        self.saves_as()


def main():
    program, command, project = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(copy))
        documents = Documents(tap, (program, command), folder, copy)
        try:
            documents.run()
            documents.w.quit()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError):
            tap.point("the session goes on to its end", False, traceback.format_exc())
            documents.w.process.kill()
    tap.end()


if __name__ == "__main__":
    main()
