#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What the window remembers and what it takes from a desktop, as TAP.

usage: test-desktop.py WORKBENCH COMMAND SAMPLES SAVED-MODEL

On a display and a session bus of its own: a workspace opened again is as it was left; the recent
workspaces; whatever is dropped is opened or named.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import APPLICATION, Workbench


def text(string):
    return GLib.Variant("s", string)


class Session:
    def __init__(self, program, command, samples, saved_model):
        self.program, self.command = program, command
        self.folder = tempfile.mkdtemp()
        self.samples, self.model = self.path("samples"), self.path("v1_train")
        shutil.copytree(samples, self.samples)
        with zipfile.ZipFile(saved_model) as archive:
            archive.extractall(self.folder)
        self.tap = Tap()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def sample(self, name):
        return os.path.join(self.samples, name)

    def open(self, project, workspace, **options):
        window = Workbench(self.program, project, self.path(workspace), **options)
        window.wait(lambda s: s["settled"])
        return window

    def train(self, workspace):
        os.makedirs(self.path(workspace))
        subprocess.run([self.command, "train", self.sample("digits-mlp"), "--workspace",
                        self.path(workspace), "--steps", "50"], check=True,
                       stdout=subprocess.DEVNULL)

    def titles(self, window):
        return [child.label() for child in window.accessible().children()]

    def restored(self):
        self.train("first")
        w = self.open(self.sample("digits-mlp"), "first")
        w.act("show-page", text("charts"))
        w.wait(lambda s: s["charts"]["cards"].get("loss"))
        w.find_accessible("button", "Log").act()
        w.find_accessible("button", "Enlarge loss").act()
        w.wait(lambda s: s["charts"]["large"] == ["loss"])
        subprocess.run(["xdotool", "key", "plus"], check=True)
        view = w.wait(lambda s: s["charts"]["views"]["loss"][0] is not None)["charts"]["views"]
        w.quit()
        w = self.open(None, "first")
        state = w.wait(lambda s: s["charts"]["cards"].get("loss"))
        self.tap.point("a workspace opens on its project again",
                       w.until(lambda: "digits-mlp · Sluice" in self.titles(w)))
        self.tap.point("on the page that was shown", state["page"] == "charts", state["page"])
        self.tap.point("at the part of the axis that was shown",
                       state["charts"]["views"]["loss"][:2] == view["loss"][:2],
                       state["charts"]["views"]["loss"], view["loss"])
        w.quit()
        with open(self.path("first", "window.ini"), encoding="utf-8") as file:
            self.tap.point("with its logarithmic axis", "log=true" in file.read())
        with open(self.path("first", "window.ini"), "wb") as file:
            file.write(b"\0\xff[charts\nfrom=x")
        w = self.open(self.sample("digits-mlp"), "first")
        self.tap.point("what it remembers may be damaged", w.state()["page"] == "graph")
        w.quit()

    def recent(self):
        self.train("second")
        gone = self.path("gone")
        os.makedirs(self.path("second"), exist_ok=True)
        with open(self.path("second", "window.ini"), "w", encoding="utf-8") as file:
            file.write(f"[window]\nproject={self.sample('towers')}\npage=charts\n")
        recent = GLib.Variant("as", [self.path("second"), gone]).print_(False)
        w = self.open(self.sample("digits-mlp"), "first", settings={"recent-workspaces": recent})
        w.all_accessible("button", "Main menu")[-1].act()
        w.find_accessible("menu item", "Recent workspaces")
        names = [o.label() for o in w.accessible().tree() if o.role() == "menu item"]
        self.tap.point("the menu has the workspaces that were open last",
                       f"second in {self.folder}" in names, names)
        self.tap.point("one that is missing says so", f"gone in {self.folder} (missing)" in names,
                       names)
        subprocess.run(["xdotool", "key", "Escape"], check=True)
        w.act("open-workspace", text(gone), path=APPLICATION)
        self.told(w, f"“{gone}” is not there any more; it was taken off the list")
        w.act("open-workspace", text(self.path("second")), path=APPLICATION)
        w.until(lambda: "towers · Sluice" in self.titles(w))
        self.tap.point("another one takes the window's place", w.until(
            lambda: not any("digits-mlp" in title for title in self.titles(w))), self.titles(w))
        w.act("quit", path=APPLICATION)
        self.tap.point("and closes with it", w.process.wait(60) == 0)

    def told(self, window, words):
        self.tap.point(f"told: {words.replace(self.folder, 'FOLDER')}",
                       window.find_accessible("label", words))

    def dropped(self):
        w = self.open(self.sample("digits-mlp"), "first")
        for path, title in ((self.sample("towers"), "towers"),
                            (os.path.join(self.sample("moe"), "model.pbtxt"), "model.pbtxt"),
                            (self.model, "v1_train"),
                            (os.path.join(self.sample("digits-lenet"), "project.ini"),
                             "digits-lenet"),
                            (self.sample("digits-mlp"), "digits-mlp")):
            w.act("open-any", text(path))
            w.until(lambda title=title: f"{title} · Sluice" in self.titles(w))
            self.tap.point(f"{title} is opened", True)
        w.wait(lambda s: s["settled"])
        checkpoints = self.path("first", "runs", "1", "checkpoints")
        name = next(n for n in os.listdir(checkpoints) if n.endswith(".safetensors"))
        w.until(lambda: w.enabled("start-from"))
        w.act("open-any", text(os.path.join(checkpoints, name)))
        # A toast's button has its mnemonic in its name.
        w.until(lambda: [o for o in w.accessible().tree() if o.role() == "button"
                         and o.label().endswith("Start a run with it")])[0].act()
        state = w.wait(lambda s: s["runs"] == 2 and s["step"] > 5)
        self.tap.point("a run begins with a checkpoint's values", state["failure"] == "", state)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        with open(self.path("notes.pdf"), "wb") as file:
            file.write(b"%PDF-1.4\n")
        w.act("open-any", text(self.path("notes.pdf")))
        self.tap.point("what it cannot open it names", w.until(
            lambda: [o for o in w.accessible().tree() if o.role() == "label"
                     and o.label().startswith("“notes.pdf” cannot be opened: ")]))
        w.act("open-any", text(self.path("nothing")))
        self.told(w, "“nothing” is not there")
        w.quit()

    def printed(self):
        w = self.open(self.sample("digits-mlp"), "first")
        for page in ("graph", "charts"):
            w.act("show-page", text(page))
            w.wait(lambda s, page=page: s["page"] == page and s["settled"]
                   and s["charts"]["cards"].get("loss"))
            path = self.path(page + ".pdf")
            w.act("print-to", text(path))
            w.until(lambda path=path: os.path.exists(path) and os.path.getsize(path) > 0)
            w.wait(lambda s: s["settled"])
            with open(path, "rb") as file:
                data = file.read()
            self.tap.point(f"{page} is printed", data.startswith(b"%PDF")
                           and len(data) > 8000, len(data))
        w.act("print-to", text(self.path("no-such-folder") + "/x.pdf"))
        self.tap.point("a file that cannot be written is told", w.until(
            lambda: [o for o in w.accessible().tree() if o.role() == "label"
                     and "was not printed: " in o.label()]))
        w.quit()

    def run(self):
        try:
            self.restored()
            self.recent()
            self.dropped()
            self.printed()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:5])).run()
