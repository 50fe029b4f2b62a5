#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Search from every page, by keys alone, as TAP.

usage: test-search.py WORKBENCH PROJECT

On a display and a session bus of its own. With SLUICE_SEARCH_GRAPH, a file, words are typed over
that graph, too, and how long the window was busy is told.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, type_text

FIELD = ("search box", "Find a node, tag or run")
# What is typed, and what of the sample is found by it.
QUERIES = (("^hidden/w.*s$", "hidden/weights"), ("op:MatMul in:hidden", "hidden/matmul"),
           ("shape:64x128", None), ("dtype:i64 op:Placeholder", "input/y"),
           ("in:logits op:bias", "logits/bias_add"))


class Session:
    def __init__(self, program, project):
        self.program = program
        self.folder = tempfile.mkdtemp()
        self.project = os.path.join(self.folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(self.project))
        self.tap = Tap()
        self.w = None

    def found(self):
        return self.w.state()["found"]

    def wait_found(self, begins):
        return self.w.wait(lambda s: s["found"].startswith(begins))

    def type(self, text):
        press_keys("ctrl+f")
        self.w.until(self.w.find_accessible(*FIELD).has_focus)
        type_text(text)

    def listed(self):
        return [o.label() for o in self.w.find_accessible("list", "What was found").tree()
                if o.role() == "label"]

    def leave(self, role, label):
        press_keys("Escape")
        self.tap.point(f"Escape gives the focus back to {label}",
                       self.w.until(self.w.find_accessible(role, label).has_focus))
        self.tap.point("and takes what was typed", self.found() == ""
                       and self.w.find_accessible(*FIELD).text() == "")

    def fields(self, page):
        """Each kind of a query finds what it should, from this page."""
        for text, name in QUERIES:
            self.type(text)
            self.w.wait(lambda s: s["found"].endswith(" found")
                        and s["found"] != "0 found")
            press_keys("Return")
            state = self.wait_found("1 of ")
            if name and state["page"] == "graph":
                state = self.w.wait(lambda s, name=name: s["graph"]["selection"] == name)
            self.tap.point(f"{page}: {text} finds {name or state['found']}", True)
            press_keys("Escape")
            self.w.act("show-page", GLib.Variant("s", page))
            self.w.wait(lambda s: s["page"] == page)
        self.type("device:tpu")
        self.wait_found("Nothing is called")
        self.tap.point(f"{page}: what is not there is told", "device:tpu" in self.found())
        press_keys("Escape")

    def walk(self, page):
        self.type("weights")
        self.wait_found("")
        state = self.w.wait(lambda s: s["found"].endswith(" found"))
        n = int(state["found"].split()[0])
        self.tap.point(f"{page}: how many is told, and they are listed",
                       n > 3 and len(self.listed()) > 3, state["found"], self.listed())
        for key, at in (("Return", 1), ("Return", 2), ("shift+Return", 1), ("shift+Return", n),
                        ("Return", 1), ("F3", 2), ("shift+F3", 1)):
            press_keys(key)
            self.tap.point(f"{page}: {key} goes to number {at}", self.wait_found(f"{at} of {n}"))
        self.tap.point(f"{page}: the field keeps the focus",
                       self.w.find_accessible(*FIELD).has_focus())

    def listing(self):
        self.type("weights")
        self.w.wait(lambda s: s["found"].endswith(" found"))
        for key, at in (("Down", 1), ("Down", 2), ("Up", 1)):
            press_keys(key)
            self.tap.point(f"{key} goes to number {at} of the list", self.wait_found(f"{at} of "))
        press_keys("Escape")

    def mistakes(self):
        for text in ("[", "a(", "*"):
            self.type(text)
            label = self.w.until(lambda text=text: next(
                (o.label() for o in self.w.accessible().tree() if o.role() == "label"
                 and "regular expression" in o.label().lower() and text in o.label()), None))
            self.tap.point(f"{text} is said to be no regular expression", label)
            press_keys("Escape")
        self.type("dtype:nonsense")
        self.wait_found("Nothing is called")
        press_keys("Escape")

    def others(self):
        """Runs and tags are found in the same field."""
        self.w.act("show-page", GLib.Variant("s", "graph"))
        self.type("learning_rate")
        self.w.wait(lambda s: s["found"].endswith(" found"))
        names = self.listed()
        self.tap.point("a tag is found beside the nodes", names.count("learning_rate") >= 1, names)
        self.type("first")
        self.w.wait(lambda s: s["found"] == "1 found")
        press_keys("Return")
        state = self.w.wait(lambda s: s["front"] == "first")
        self.tap.point("a run is found, and comes to the front", state["found"] == "1 of 1",
                       state["found"])
        press_keys("Escape")

    def two_runs(self):
        for name in ("first", "second", "third"):
            self.w.act("start-run", GLib.Variant("(sas)", (name, ["steps=50"])))
            self.w.wait(lambda s, name=name: s["front"] == name)
            self.w.wait(lambda s: s["control"] == "idle" and s["step"] == 50)
        self.w.wait(lambda s: len(s["charts"]["cards"]) > 10 and s["settled"])

    def measured(self, path):
        self.w = Workbench(self.program, path, os.path.join(self.folder, "measured"))
        self.w.wait(lambda s: s["settled"])
        for text, _ in (*QUERIES, ("device:gpu:1", None), ("conv.*weights", None)):
            self.w.state()
            self.type(text)
            self.w.wait(lambda s: s["found"])
            state = self.w.state()
            print(f"# {text}: {state['found']}; the loop was busy {state['worst_busy_ms']:.1f} ms "
                  f"at most, a frame {state['worst_frame_ms']:.1f} ms", flush=True)
            press_keys("Escape")
            self.w.wait(lambda s: not s["found"])
        self.w.quit()

    def run(self):
        try:
            self.w = Workbench(self.program, self.project, os.path.join(self.folder, "workspace"))
            self.w.wait(lambda s: s["settled"])
            self.two_runs()
            for page, role, label in (("graph", "tree", "Graph"), ("charts", "image", "loss")):
                self.w.act("show-page", GLib.Variant("s", page))
                self.w.wait(lambda s, page=page: s["page"] == page and s["settled"])
                self.fields(page)
                while not self.w.find_accessible(role, label).has_focus():
                    press_keys("Tab")
                self.walk(page)
                self.leave(role, label)
            self.listing()
            self.mistakes()
            self.others()
            self.w.quit()
            if os.environ.get("SLUICE_SEARCH_GRAPH"):
                self.measured(os.environ["SLUICE_SEARCH_GRAPH"])
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:3])).run()
