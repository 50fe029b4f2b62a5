#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Who sees nothing, or has no mouse: a sweep over the window by AT-SPI and keys, as TAP.

usage: test-accessible.py WORKBENCH COMMAND PROJECT graph|charts|runs

On a display and a session bus of its own. On each page, in each dialog and popover: every control
is named, Tab comes to each of them in the order in which they are read, and round to the first;
Shift+Tab goes the same way back; Escape leaves. How a node, a chart, a run are told. A walk around
a page is some hundred keys, each answered by the accessible tree: so each part is a test.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import APPLICATION, Workbench, press_keys

# What a person acts on.
CONTROLS = {"button", "toggle button", "checkbox", "radio", "switch", "text box",
            "search box", "slider", "spin button", "combo box", "menu item", "check menu item",
            "radio menu item", "list item", "tab", "link", "tree", "tree item"}
# What the toolkit names by itself, where nobody gave a name: a class, or an icon's file.
NO_NAME = re.compile(r"^$|^(Gtk|Adw|Sluice)[A-Z]\w+$|-symbolic$|^[a-z]+(-[a-z]+)+-symbolic$")
HEADER = 48  # pixels, with the frame's shadow
# What a card gets once it is made and its values are read: who comes to a far one may be sooner.
LATE = re.compile(r"button (ridges|overlay|heat|bands|Fewer steps|More steps|Enlarge |Menu of )")
# A list is entered at the row that had its focus last: those before are only on the way back.
ROW = re.compile(r"list item \S+, (draft, )?(draft|stopped)|button Show the curves of ")
MOST_STOPS = 150  # of a page: more of them is a walk that does not end


class Stop:
    """Where Tab came to, as it was then."""

    def __init__(self, at, thing, width, has_inspector):
        self.path, self.label = thing.path, thing.label()
        # What the inspector is about follows the focus: on the way back it is something else.
        self.told = "label" if thing.role() == "label" else f"{thing.role()} {self.label}"
        self.place = self.reading(at, thing.place(), width, has_inspector)

    @staticmethod
    def reading(at, place, width, has_inspector=True):
        """When it comes as the window is read: the header from its start to its end, then the panes
        from the left one to the right one, each as its objects follow each other. Of what was made
        while one walked, at is -1: it has its pane only."""
        x, y, w, h = place
        if y + h < HEADER:
            return 0, x
        if width < 1000:
            return 1, at  # a dialog has no panes
        middle = x + w / 2
        pane = 1 + (middle > 0.18 * width) + (has_inspector and middle > 0.8 * width)
        return pane, at


class Sweep:
    def __init__(self, program, command, project):
        self.program, self.command = program, command
        self.folder = tempfile.mkdtemp()
        self.project = os.path.join(self.folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(self.project))
        self.tap = Tap()
        self.w, self.width, self.has_inspector = None, 0, True
        self.at = 0  # among what is focusable

    def top(self):
        """The window that keys go to: the one that was opened last."""
        return self.w.accessible().children()[-1]

    # ---- names ----

    def names(self, where, top=None):
        unnamed, n = [], 0
        top = top or self.top()
        # What a combo box shows is an item of a list that nobody comes to.
        shown = {o.path for box in top.tree() if box.role() == "combo box"
                 for o in box.tree() if o.role() == "list item"}
        for thing in top.tree():
            role = thing.role()
            if role not in CONTROLS or thing.path in shown or thing.place()[2] <= 0:
                continue
            n += 1
            if NO_NAME.search(thing.label()):
                unnamed.append(f"{role} “{thing.label()}” at {thing.place()}")
        self.tap.point(f"{where}: all {'controls are' if n else 'of no controls'} named",
                       n and not unnamed, n, *unnamed)

    # ---- focus ----

    def focusable(self):
        return [o for o in self.top().tree() if "focusable" in o.states()]

    def focus(self, known):
        """(its place among known, the object) that has it. What is made anew while one walks, as a
        list's rows are, is looked for in the whole tree. Each question is a call to the program:
        the next stop is near the last one."""
        for i in sorted(range(len(known)), key=lambda i: abs(i - self.at)):
            if known[i].has_focus():
                self.at = i
                return i, known[i]
        return next(((-1, o) for o in self.top().tree() if o.has_focus()), (-1, None))

    def step(self, key, known, last):
        """Where the focus is once it is another one than it was."""
        press_keys(key)
        def moved():
            at = self.focus(known)
            return at if at[1] is not None and at[1].path != last else None
        return self.w.until(moved)

    def stops(self, key, known):
        """All of them from where the focus is now, round to there."""
        found, last = [], self.focus(known)[1]
        last = last.path if last else ""
        while len(found) < MOST_STOPS:
            at, thing = self.step(key, known, last)
            if found and thing.path == found[0].path:
                return found
            found.append(Stop(at, thing, self.width, self.has_inspector))
            last = thing.path
        return found

    def walk(self, where, focus=None):
        """focus: what gets it first, by name; the window's first stop."""
        known = self.focusable()
        self.width = self.top().children()[0].place()[2]
        if focus:
            self.w.until(lambda: any(o.has_focus() and o.label() == focus for o in known))
        forth = self.stops("Tab", known)
        told = [stop.told for stop in forth]
        self.tap.point(f"{where}: Tab comes round", 0 < len(forth) < MOST_STOPS, *told)
        self.tap.point(f"{where}: each stop is named",
                       not [1 for stop in forth if NO_NAME.search(stop.label)], *told)
        places = [stop.place for stop in forth]
        turn = min(range(len(places)), key=places.__getitem__)
        places = places[turn:] + places[:turn]
        told = told[turn:] + told[:turn]
        sure = [place for place in places if place[1] >= 0]
        self.tap.point(f"{where}: in the order in which it is read", sure == sorted(sure),
                       *[f"{at} {text}" for at, text in zip(places, told)])
        back = [stop.told for stop in self.stops("shift+Tab", known)][::-1]
        there, back = ([stop for stop in way if not (LATE.match(stop) or ROW.match(stop))]
                       for way in (told, back))
        turns = [back[i:] + back[:i] for i in range(len(back))]  # it begins elsewhere
        self.tap.point(f"{where}: Shift+Tab goes the same way back", there in turns,
                       *difflib.unified_diff(there, back, lineterm="", n=0))
        return told

    # ---- pages ----

    def graph(self):
        self.w.wait(lambda s: s["settled"])
        self.names("graph")
        told = self.walk("graph")
        self.tap.point("the graph is one stop", "tree Graph" in told, *told)
        self.w.act("select", GLib.Variant("s", "hidden/matmul"))
        self.w.wait(lambda s: s["graph"]["selection"] == "hidden/matmul" and s["settled"])
        self.names("graph with a node selected")
        self.walk("graph with a node selected")

    def trained(self):
        self.w.act("start")
        self.w.wait(lambda s: s["step"] > 300)
        self.w.act("pause")
        self.w.wait(lambda s: s["control"] == "paused" and s["settled"])

    def charts(self):
        self.w.act("show-page", GLib.Variant("s", "charts"))
        self.w.wait(lambda s: s["page"] == "charts" and s["settled"]
                    and len(s["charts"]["cards"]) > 10)
        self.card_texts()
        self.names("charts")
        told = self.walk("charts")
        known, thing = self.focusable(), None
        while thing is None or (thing.role(), thing.label()) != ("image", "loss"):
            thing = self.step("Tab", known, thing.path if thing else "")[1]
        press_keys("Home")
        self.tap.point("a chart with a cursor tells what is there", self.w.until(
            lambda: re.match(r"step 1, digits-mlp [\d.]+$", self.described("image", "loss"))))
        for stop in ("image loss", "button Enlarge loss", "button Menu of loss", "button Log",
                     "button Options of the charts"):
            self.tap.point(f"charts: Tab comes to {stop}", stop in told)

    def runs(self):
        self.w.act("show-page", GLib.Variant("s", "runs"))
        self.w.wait(lambda s: s["page"] == "runs" and s["table"]["shows"] == "table")
        self.names("table of runs")
        told = self.walk("table of runs")
        for stop in ("search box Filter the runs", "list item All runs, 1",
                     "button Group: none", "button Columns"):
            self.tap.point(f"table of runs: Tab comes to {stop}", stop in told, *told)

    def launch(self):
        self.w.act("new-run")
        self.w.wait(lambda s: s["page"] == "launch" and s["launch"]["shows"] == "form"
                    and s["settled"])
        self.w.until(self.w.find_accessible("text box", "Name").has_focus)
        self.has_inspector = False
        self.names("new run")
        self.walk("new run")
        for label in ("Sweep learning-rate", "Sweep Seed"):
            self.w.find_accessible("switch", label).act()
        # A form that is changed is kept, and listed.
        self.w.find_accessible("button", "Show the curves of digits-mlp, draft")
        self.w.wait(lambda s: s["settled"])
        self.names("new run with a sweep")
        self.walk("new run with a sweep")
        self.has_inspector = True
        press_keys("Escape")
        self.w.wait(lambda s: s["page"] == "runs")

    # ---- what opens over them ----

    def open(self, name, role="button"):
        """By the keyboard, as who cannot point."""
        self.w.find_accessible(role, name)
        thing = self.w.all_accessible(role, name)[-1]
        known, last = self.focusable(), ""
        while not thing.has_focus():
            last = self.step("Tab", known, last)[1].path
        press_keys("space")
        return thing

    def popover(self, opener, inside, role="menu item"):
        """Opens by key, is named, closes by Escape, and the focus is where it was."""
        thing = self.open(opener)
        self.w.find_accessible(role, inside)
        self.names(f"popover of “{opener}”", self.w.accessible())
        press_keys("Escape")
        self.w.until(lambda: not self.w.all_accessible(role, inside)
                     or self.w.all_accessible(role, inside)[-1].place()[2] <= 0)
        back = self.w.until(thing.has_focus)
        self.tap.point(f"Escape leaves the popover of “{opener}”, and the focus is where it was",
                       back)

    def dialog(self, name, action, inside, path=None, leaves=True, walks=True):
        self.w.act(action, **({"path": path} if path else {}))
        self.w.find_accessible(*inside)
        if walks:
            self.names(name)
            self.walk(name)
        press_keys("Escape")
        self.w.until(lambda: len(self.w.accessible().children()) == 1)
        self.tap.point(f"Escape leaves {name}", leaves)

    def dialogs(self):
        self.dialog("preferences", "preferences", ("switch", "No animations"), APPLICATION)
        # The rest of these two is the toolkit's.
        self.dialog("the keys", "show-help-overlay", ("button", "Search the shortcuts"),
                    walks=False)
        self.dialog("about", "about", ("label", "The Sluice authors"), APPLICATION, walks=False)
        self.dialog("resume", "resume-from", ("checkbox", "Accept data files that have changed"))

    def popovers(self):
        self.popover("Main menu", "Preferences")
        self.popover("Options of the charts", "Each run", "menu item")

    # ---- what is told ----

    def described(self, role, label):
        return self.w.find_accessible(role, label).description()

    def texts(self):
        items = [o.label() for o in self.w.accessible().tree() if o.role() == "tree item"]
        self.tap.point("a node is told by op, inputs, readers and device",
                       "Relu relu, inputs bias_add float ?×128, feeds hidden, on CPU:0" in items,
                       *items)
        self.tap.point("what it makes is told with its type and shape", any(
            t.startswith("scope matmul, 2 ops, ") and ", gives float ?×128, " in t for t in items),
            *items)
        variable = next((t for t in items if t.startswith("variable ")), "")
        self.tap.point("a variable is called one", ", on CPU:0" in variable, variable)
        self.tap.point("a scope is told with what is in it",
                       any(re.match(r"scope accuracy, 6 ops, inputs ", t) for t in items), *items)

    def card_texts(self):
        self.w.until(lambda: " at step " in self.described("image", "loss"))
        chart = self.described("image", "loss")
        self.tap.point("a chart is told by tag, run, last value and range",
                       re.match(r"loss: digits-mlp [\d.]+ at step \d+.*Shown from 0.* to [\d.]+$",
                                chart), chart)
        self.w.until(lambda: " values from " in self.described("image", "hidden/weights"))
        histogram = self.described("image", "hidden/weights")
        self.tap.point("a histogram is told by tag, run, step and what it spans",
                       re.match(r"hidden/weights. digits-mlp: 8.192 values from −[\d.]+ to [\d.]+, "
                                r"half of them below \S+, at step \d+", histogram), histogram)
        run = [o.label() for o in self.w.accessible().tree() if o.role() == "list item"]
        self.tap.point("a run is told by name and state",
                       any(re.match(r"digits-mlp, paused · step ", t) for t in run), *run)

    # ---- the parts ----

    def stop(self):
        self.w.act("stop")
        self.w.wait(lambda s: s["control"] == "idle")

    def part_of_graph(self):
        self.graph()
        self.trained()
        self.texts()
        self.stop()
        self.dialogs()

    def part_of_charts(self):
        self.trained()
        self.charts()
        self.popovers()

    def part_of_runs(self):
        self.trained()
        self.stop()
        self.runs()
        self.launch()

    def run(self, part):
        try:
            self.w = Workbench(self.program, self.project, os.path.join(self.folder, "workspace"))
            {"graph": self.part_of_graph, "charts": self.part_of_charts,
             "runs": self.part_of_runs}[part]()
            self.w.quit()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Sweep(*map(os.path.abspath, sys.argv[1:4])).run(sys.argv[4])
