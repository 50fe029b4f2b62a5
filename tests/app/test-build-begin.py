#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What somebody meets who begins to build, as TAP.

usage: test-build-begin.py WORKBENCH COMMAND PROJECT

An empty graph is made by keys, whose next key is the canvas'; F5 trains what is drawn; a page that
is covered is hidden and computes nothing; what a project feeds is not to be deleted, in the window
and for check; an op's example is run and opened as a graph.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import Tap
from workbench import APPLICATION, Workbench, press_keys, type_text


ALONE = """layer flatten flat input=x
layer dense hidden input=flat/output units=3
add Const axes value=[0,1]
add Mean loss hidden/output axes
train loss optimizer=sgd learning-rate=0.1"""


def text(string):
    return GLib.Variant("s", string)


class Begin:
    def __init__(self, tap, program, command, folder):
        self.tap, self.program, self.command, self.folder = tap, program, command, folder
        self.w = None

    def place(self, *names):
        return os.path.join(self.folder, *names)

    def edit(self, command):
        self.w.act("edit", text(command))

    def names(self, state, page):
        canvas = state["graph"] if page == "graph" else state["build"]["canvas"]
        return {i["name"] for i in canvas["items"]}

    # ---- an empty graph ----

    def empty_graph(self):
        self.w = Workbench(self.program, self.place("gone.pbtxt"), self.place("empty"))
        press_keys("alt+1")
        self.w.wait(lambda s: s["page"] == "build" and s["build"]["shows"] == "empty")
        button = self.w.find_accessible("button", "Empty graph…")
        self.w.walk_to(button.holds_focus)
        press_keys("space")
        self.w.find_accessible("button", "_Create Create")
        press_keys("ctrl+a")
        model = self.place("mine.pbtxt")
        type_text(model)
        press_keys("Return")
        state = self.w.wait(lambda s: s["build"]["shows"] == "editor" and s["settled"])
        self.tap.point("an empty graph is a file from the beginning, and open",
                       state["page"] == "build" and state["build"]["name"] == "mine.pbtxt"
                       and os.path.exists(model), state["build"])
        self.tap.point("the keyboard is the canvas'", self.w.until(self.w.in_canvas))
        press_keys("shift+a")
        type_text("Placeholder")
        press_keys("Return")
        state = self.w.wait(lambda s: s["build"]["n-undo"] == 1 and s["settled"])
        self.tap.point("so that the next key makes its first node",
                       len(self.names(state, "build")) == 1, self.names(state, "build"))
        self.w.quit()

    # ---- what is drawn is what is trained ----

    def f5(self, project):
        model = os.path.join(project, "model.pbtxt")
        press_keys("alt+1")
        self.w.wait(lambda s: s["page"] == "build" and s["settled"])
        self.edit("add Identity drawn logits/bias_add")
        state = self.w.wait(lambda s: s["build"]["n-undo"] == 1 and s["settled"])
        self.tap.point("what is drawn is not saved yet",
                       state["build"]["saved"].startswith("not saved"), state["build"]["saved"])
        press_keys("F5")
        state = self.w.wait(lambda s: s["step"] > 0)
        with open(model, encoding="utf-8") as file:
            saved = 'name: "drawn"' in file.read()
        self.tap.point("F5 saves it, and trains that", saved
                       and state["build"]["saved"].startswith("saved"), state["build"]["saved"])
        self.w.act("stop")
        self.w.wait(lambda s: s["control"] == "idle")

    # ---- a page that is covered ----

    def covered(self):
        def canvases():
            return self.w.all_accessible("tree", "Graph to change")
        self.w.act("show-page", text("build"))
        self.w.wait(lambda s: s["page"] == "build" and s["settled"])
        self.tap.point("the page in front is there for all", self.w.until(canvases))
        self.w.act("show-page", text("graph"))
        self.w.wait(lambda s: s["page"] == "graph" and s["settled"])
        self.tap.point("a page that is covered is hidden", self.w.until(lambda: not canvases()))
        before = self.w.state()["build"]["canvas"]
        self.edit("add Identity covered logits/bias_add")
        state = self.w.wait(lambda s: "covered" in self.names(s, "graph") and s["settled"])
        canvas = state["build"]["canvas"]
        self.tap.point("it computes nothing", canvas["nodes"] == before["nodes"]
                       and not canvas["busy"] and "covered" not in self.names(state, "build"),
                       before["nodes"], canvas["nodes"], canvas["busy"])
        self.w.act("show-page", text("build"))
        self.w.wait(lambda s: "covered" in self.names(s, "build") and s["settled"])
        self.tap.point("until somebody sees it", True)

    # ---- what is wrong, where a project says what is fed ----

    def check(self, path):
        done = subprocess.run([self.command, "check", path], capture_output=True, text=True,
                              check=False)
        return done.stdout + done.stderr

    def checked(self, samples):
        """A model that learns from pictures alone: the project feeds labels all the same."""
        project, unread = self.place("alone"), "Nothing reads it"
        digits = os.path.join(samples, "data", "digits", "train-")
        subprocess.run([self.command, "new", project, "--model", "none", "--data",
                        digits + "images-idx3-ubyte.gz", "--labels",
                        digits + "labels-idx1-ubyte.gz"], check=True, stdout=subprocess.DEVNULL)
        self.w.act("open", text(project))
        self.w.wait(lambda s: s["project"] == project and s["build"]["shows"] == "editor"
                    and s["settled"])
        self.w.act("show-page", text("build"))
        for n, line in enumerate(ALONE.splitlines()):
            self.edit(line)
            self.w.wait(lambda s, n=n: s["build"]["n-undo"] == n + 1 and s["settled"])
        self.w.until(lambda: any(o.label() == f"y: {unread} yet: a layer or a loss will."
                                 for o in self.w.accessible().tree()))
        offers = self.w.all_accessible("button", "Delete y")
        self.tap.point("what a project feeds is not offered to be deleted", not offers)
        self.w.act("save-graph")
        self.w.wait(lambda s: s["build"]["saved"].startswith("saved"))
        in_project = self.check(project)
        alone = self.check(os.path.join(project, "model.pbtxt"))
        self.tap.point("nor by check", f"y: {unread} yet" in in_project
                       and "delete y" not in in_project, in_project)
        self.tap.point("but of the graph alone, which nobody feeds", f"y: {unread}.\n" in alone
                       and "delete y" in alone, alone)

    # ---- an op's example ----

    def example(self):
        self.w.act("show-page", text("graph"))
        self.w.act("select", text("hidden/MatMul"))
        self.w.wait(lambda s: s["graph"]["selection"] == "hidden/MatMul" and s["settled"])
        ports = self.w.find_accessible("image", "a: T, b: T → product: T")
        self.tap.point("the inspector has a picture of the op's ports", ports.place()[2] > 0,
                       ports.place())
        self.w.walk_to(self.w.find_accessible("button", "Example").holds_focus)
        press_keys("space")
        button = self.w.find_accessible("button", "_Open as Graph Open as Graph")
        said = [o.label() for o in self.w.accessible().tree() if "→ product = " in o.label()]
        self.tap.point("the example has run", len(said) == 1 and "a = float" in said[0], said)
        self.w.find_accessible("image", "The graph of an example of MatMul")
        self.w.walk_to(button.holds_focus)
        press_keys("space")
        state = self.w.wait(lambda s: "MatMul" in self.names(s, "graph") and s["settled"])
        self.tap.point("it is opened as a graph", state["page"] == "graph"
                       and state["build"]["name"] == "MatMul.pbtxt"
                       and self.names(state, "graph") >= {"a", "b"}, self.names(state, "graph"))
        self.w.act("help-page", text("ops/MatMul"), path=APPLICATION)
        for picture in ("a: T, b: T → product: T", "The graph of an example of MatMul"):
            self.w.until(lambda p=picture: any(
                o.label() == p for window in self.w.accessible().children()
                if "· Manual" in window.label() for o in window.tree() if o.role() == "image"))
            self.tap.point(f"the op's page has the picture “{picture}”", True)

    def run(self, project):
        self.empty_graph()
        self.w = Workbench(self.program, project, self.place("workspace"))
        self.w.wait(lambda s: s["settled"] and s["graph"]["items"])
        self.f5(project)
        self.covered()
        self.checked(os.path.dirname(project))
        self.example()


def main():
    program, command, project = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(XDG_CACHE_HOME=os.path.join(folder, "cache"), HOME=folder)
        copy = os.path.join(folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(copy))
        begin = Begin(tap, program, command, folder)
        try:
            begin.run(copy)
        except (RuntimeError, GLib.Error, subprocess.SubprocessError):
            tap.point("the session goes on to its end", False, traceback.format_exc(),
                      {key: begin.w.state()[key] for key in ("page", "settled", "build")})
        finally:
            begin.w.quit()
    tap.end()


if __name__ == "__main__":
    main()
