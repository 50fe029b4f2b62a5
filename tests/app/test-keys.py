#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The keys are pressed where they apply, and do what the shortcuts say, as TAP.

usage: test-keys.py WORKBENCH PROJECT SOURCE

On a display and a session bus of its own. And where nothing runs and nothing is selected, no key
begins, ends or deletes anything.
"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import PATIENCE, Workbench, press_keys, type_text

# Of the program's table of keys; what another test presses, and which.
ELSEWHERE = {"launch.start": "tests/app/test-launch.py",
             "launch.add-to-queue": "tests/app/test-launch.py",
             **{"queue." + name: "tests/app/test-launch.py"
                for name in ("up", "down", "drop", "undo")},
             "settings.next-run": "tests/ui/chart/test-widgets.c",
             **{"canvas." + name: "tests/ui/canvas/test-edit-keys.c"
                for name in ("palette", "link", "delete", "splice", "detach", "rename",
                             "duplicate", "group", "ungroup", "mute", "bypass", "cut",
                             "copy", "paste", "paste-wired")},
             **{"canvas." + name: "tests/ui/canvas/test-arrange.c"
                for name in ("align-left", "align-right", "align-top", "align-bottom",
                             "align-column", "align-row", "distribute-across",
                             "distribute-down", "arrange", "frame", "note", "next-note",
                             "straighten", "select-all")},
             **{"canvas." + name: "tests/ui/canvas/test-lines.c"
                for name in ("next-line", "previous-line")},
             **{"canvas." + name: "tests/ui/canvas/test-arrange.c"
                for name in ("add-bend", "next-bend", "remove-bend")},
             **{"win." + name + "::": "tests/app/test-debug-window.py"
                for name in ("break-at", "inject", "watch")},
             **{"win." + name: "tests/app/test-debug-window.py"
                for name in ("toggle-breakpoint", "break-non-finite", "debug-step", "debug-next",
                             "debug-go", "change-value", "unput", "clip-input",
                             "undo-run-edit")},
             **{"build." + name: "tests/app/test-build-flow.py" for name in ("train", "launch")},
             **{"timeline." + name: "tests/app/test-timeline-window.py"
                for name in ("zoom-in", "zoom-out", "pan-left", "pan-right", "scroll-up",
                             "scroll-down", "fit", "next", "previous", "lane-up", "lane-down",
                             "flow-next", "flow-previous", "area", "step-next", "step-previous",
                             "slow", "mark", "live", "compare", "heat", "note", "next-lower",
                             "report", "escape", "keys")},
             **{"memory." + name: "tests/app/test-memory-window.py"
                for name in ("over", "under", "later", "earlier", "next-event", "before-event",
                             "peak", "zoom-in", "zoom-out", "zoom-all", "next-step", "before-step",
                             "live", "apply", "take-back", "escape")},
             "win.place::": "tests/app/test-place-window.py",
             "palette.pin": "tests/app/test-palette-window.py",
             "card.copy": "tests/ui/chart/test-widgets.c",
             **{"table." + name: "tests/app/test-runs-groups.py"
                for name in ("group", "compare", "lineage")},
             **{"table." + name: "tests/app/test-runs-window.py"
                for name in ("filter", "star", "tag", "color", "rename", "notes", "chart",
                             "chart-only", "delete", "restore", "undo", "redo", "columns", "trash",
                             "menu")}}


def table_of_keys(source):
    """The actions that the program has keys for."""
    for name, pattern in (("keys.c", r'"((?:win|app|window|anywhere|canvas|chart|charts|card|'
                                     r'histogram|runs|settings|table|launch|queue|timeline|'
                                     r'memory)'
                                     r'\.[\w:-]+)", "'),
                          ("application.c", r'\{ "((?:win|app|window)\.[\w:-]+)", \{ "')):
        path = os.path.join(source, "app", name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return set(re.findall(pattern, file.read()))
    return set()


class Session:
    def __init__(self, program, project, source):
        self.program, self.source = program, source
        self.folder = tempfile.mkdtemp()
        self.samples = os.path.join(self.folder, "samples")
        shutil.copytree(os.path.dirname(project), self.samples)
        self.project = os.path.join(self.samples, os.path.basename(project))
        self.tap, self.pressed = Tap(), set()
        self.w = None

    def open(self, project, workspace, settings=None):
        self.w = Workbench(self.program, project, os.path.join(self.folder, workspace),
                           settings=settings)
        self.w.wait(lambda s: s["settled"])

    def press(self, key, action, said, done):
        """done: what of the state, or of the accessible tree, the key is to bring about."""
        self.pressed.add(action)
        press_keys(key)
        try:
            self.tap.point(f"{key}: {said}", self.w.until(done))
        except RuntimeError as error:
            self.tap.point(f"{key}: {said}", False, error, str(self.w.state())[:300])

    def ends(self, key, action):
        self.pressed.add(action)
        press_keys(key)
        self.tap.point(f"{key}: ends the program", self.w.process.wait(PATIENCE) == 0)

    def when(self, condition):
        return lambda: condition(self.w.state())

    def there(self, role, *labels):
        def look():
            found = {o.label() for o in self.w.accessible().tree() if o.role() == role
                     and o.place()[2] > 0}
            return all(label in found for label in labels)
        return look

    def windows(self, n):
        return lambda: len(self.w.accessible().children()) == n

    def state_of(self, role, label, state):
        return any(state in o.states() for o in self.w.all_accessible(role, label))

    def kept(self):
        """The settings that are kept."""
        path = os.path.join(self.folder, "runs", "glib-2.0", "settings", "keyfile")
        with open(path, encoding="utf-8") as file:
            return file.read()

    def focus(self, role, label):
        """Tab, until it is there."""
        self.w.find_accessible(role, label)
        thing = self.w.all_accessible(role, label)[-1]
        for _ in range(150):
            if thing.has_focus():
                return
            press_keys("Tab")
        raise RuntimeError(f"Tab does not come to {label}")

    def window_of(self, key, action, said):
        self.press(key, action, said, self.windows(2))
        press_keys("Escape")
        self.w.until(self.windows(1))

    # ---- nothing to do anything with ----

    def idle(self):
        self.open(os.path.join(self.project, "model.pbtxt"), "none")
        for key in ("F5", "F6", "F10", "shift+F5", "ctrl+n", "ctrl+r", "ctrl+shift+r",
                    "ctrl+shift+a", "ctrl+Delete", "Delete", "space", "F3", "shift+F3", "ctrl+g",
                    "s", "x", "ctrl+z"):
            press_keys(key)
        state = self.w.wait(lambda s: s["settled"])
        self.tap.point("a graph alone: no key begins anything", state["control"] == "idle"
                       and state["runs"] == 0 and not state["failure"]
                       and self.windows(1)(), str(state)[:300])
        self.w.quit()
        self.open(self.project, "idle")
        for key in ("F6", "shift+F5", "ctrl+r", "ctrl+shift+r", "ctrl+shift+a", "ctrl+Delete",
                    "Delete", "F3", "shift+F3", "BackSpace", "Escape"):
            press_keys(key)
        state = self.w.wait(lambda s: s["settled"])
        self.tap.point("nothing runs, nothing is selected: no key begins anything",
                       state["control"] == "idle" and state["runs"] == 0
                       and state["page"] == "graph" and not state["failure"]
                       and self.windows(1)(), str(state)[:300])
        self.ends("ctrl+w", "window.close")

    # ---- runs ----

    def step_says(self, words):
        return words in self.w.find_accessible("button", "One step").description()

    def runs(self):
        running = self.when(lambda s: s["control"] == "running")
        self.tap.point("F10 would begin a run, and its button says so",
                       self.step_says("Start a new run"))
        self.press("F5", "win.start", "begins a run", running)
        self.w.wait(lambda s: s["step"] > 20)
        self.press("F6", "win.pause", "pauses it", self.when(lambda s: s["control"] == "paused"))
        step = self.w.state()["step"]
        self.press("F10", "win.step", "does one step", self.when(lambda s: s["step"] == step + 1))
        self.press("ctrl+alt+s", "win.checkpoint", "saves a checkpoint now",
                   self.when(lambda s: s["checkpoint"] == step + 1))
        self.tap.point("F10 opens no menu", self.windows(1)()
                       and not self.there("menu item", "Preferences")())
        press_keys("alt+3", "F10")
        self.w.wait(lambda s: s["step"] == step + 2 and s["page"] == "charts")
        self.press("F5", "win.start", "goes on", running)
        self.press("shift+F5", "win.stop", "stops it", self.when(lambda s: s["control"] == "idle"))
        step = self.w.state()["step"]
        self.tap.point("F10 would go on with it, and its button says so",
                       self.w.until(lambda: self.step_says("Go on with digits-mlp, one step")))
        self.press("ctrl+r", "win.resume-run", "resumes it",
                   self.when(lambda s: s["control"] == "running" and s["step"] > step))
        press_keys("shift+F5")
        self.w.wait(lambda s: s["control"] == "idle")
        self.w.until(lambda: self.w.enabled("resume-from"))
        self.window_of("ctrl+shift+r", "win.resume-from", "asks from where")
        self.press("ctrl+n", "win.new-run", "opens the page that asks for settings",
                   self.when(lambda s: s["page"] == "launch"))
        self.w.until(lambda: self.there("text box", "Name")())
        self.press("Escape", "launch.back", "goes back to the runs",
                   self.when(lambda s: s["page"] == "runs"))
        press_keys("alt+2")
        self.changed_data()
        self.focus("button", "Show the curves of digits-mlp")
        press_keys("shift+Tab")  # to its row
        self.press("shift+F10", "runs.menu", "opens the menu of a run",
                   self.there("menu item", "Solo"))
        press_keys("Escape")
        self.press("ctrl+Delete", "win.delete-run", "deletes the run that is selected",
                   self.when(lambda s: s["runs"] == 0))
        self.w.act("restore-run", GLib.Variant("x", 1))
        self.w.wait(lambda s: s["runs"] == 1)

    def changed_data(self):
        """The same examples, packed otherwise."""
        path = os.path.join(self.samples, "data", "digits", "train-images-idx3-ubyte.gz")
        with gzip.open(path) as file:
            data = file.read()
        with gzip.open(path, "wb", 1) as file:
            file.write(data + b"\0")
        press_keys("ctrl+r")
        self.w.wait(lambda s: "have changed" in s["failure"])
        with gzip.open(path, "wb", 1) as file:
            file.write(data)
        self.press("ctrl+shift+a", "win.accept-changed-data", "goes on with other data",
                   self.when(lambda s: s["control"] == "running"))
        press_keys("shift+F5")
        self.w.wait(lambda s: s["control"] == "idle")

    # ---- the window ----

    def window(self):
        self.press("alt+3", "win.show-page::charts", "shows the charts",
                   self.when(lambda s: s["page"] == "charts"))
        self.press("alt+4", "win.show-page::timeline", "shows the timeline",
                   self.when(lambda s: s["page"] == "timeline"))
        self.press("alt+5", "win.show-page::memory", "shows the memory",
                   self.when(lambda s: s["page"] == "memory"))
        self.press("alt+6", "win.show-page::runs", "shows the table of runs",
                   self.when(lambda s: s["page"] == "runs"))
        self.press("alt+2", "win.show-page::graph", "shows the graph",
                   self.when(lambda s: s["page"] == "graph"))
        self.building()
        search = self.w.find_accessible("search box", "Find a node, tag or run")
        self.slash(search)
        self.press("ctrl+f", "win.find", "goes to the search", search.has_focus)
        type_text("weights")
        self.w.wait(lambda s: "found" in s["found"])
        for key, action, at in (("F3", "find-next", 1), ("F3", "find-next", 2),
                                ("shift+F3", "find-previous", 1)):
            self.press(key, "win." + action, f"goes to number {at} that was found",
                       self.when(lambda s, at=at: s["found"].startswith(f"{at} of ")))
        press_keys("Escape")
        for key, action, name in (("F8", "win.toggle-runs", "Runs"),
                                  ("F9", "win.toggle-inspector", "Inspector")):
            before = self.state_of("button", name, "pressed")
            self.press(key, action, f"folds {name}",
                       lambda name=name, before=before:
                       self.state_of("button", name, "pressed") != before)
            press_keys(key)
        for key, action, said in (("ctrl+o", "win.open-project", "asks for a project"),
                                  ("ctrl+shift+o", "win.open-graph", "asks for a graph"),
                                  ("ctrl+alt+o", "win.open-trace", "asks for a trace"),
                                  ("ctrl+shift+s", "win.save-graph-as", "asks for another file"),
                                  ("ctrl+shift+c", "win.compare-graph",
                                   "asks for a graph to compare with"),
                                  ("ctrl+shift+w", "app.choose-workspace", "asks for a workspace"),
                                  ("ctrl+i", "win.import-logs", "asks for logs"),
                                  ("ctrl+e", "win.export-graph::svg", "asks where to"),
                                  ("ctrl+p", "win.print", "asks how to print"),
                                  ("ctrl+shift+n", "win.new-project", "asks for data"),
                                  ("ctrl+comma", "app.preferences", "opens the preferences"),
                                  ("ctrl+question", "win.show-help-overlay", "opens the keys")):
            self.window_of(key, action, said)
        self.press("ctrl+shift+d", "app.toggle-dark", "makes it dark",
                   lambda: "color-scheme='dark'" in self.kept())
        if "app.help" in table_of_keys(self.source):
            self.window_of("F1", "app.help", "opens the manual")

    def building(self):
        self.press("alt+1", "win.show-page::build", "shows where the graph is built",
                   self.when(lambda s: s["page"] == "build"))
        def done(n):
            return self.when(lambda s: s["build"]["n-undo"] == n and s["settled"])
        self.w.act("edit", GLib.Variant("s", "add NoOp extra"))
        self.w.until(done(1))
        self.press("ctrl+z", "build.undo", "takes a command back", done(0))
        self.press("ctrl+shift+z", "build.redo", "does it again", done(1))
        self.press("ctrl+s", "win.save-graph", "saves the graph",
                   self.when(lambda s: s["build"]["saved"].startswith("saved")))
        before = self.w.state()["build"]["text"]["shown"]
        self.press("ctrl+t", "build.toggle-text", "shows or folds the text",
                   self.when(lambda s: s["build"]["text"]["shown"] != before))
        press_keys("ctrl+t", "alt+2")
        self.w.wait(lambda s: s["page"] == "graph")

    # ---- the graph ----

    def graph(self):
        press_keys("alt+2")
        self.w.wait(lambda s: s["page"] == "graph" and s["settled"])
        self.focus("tree", "Graph")
        def other(last):
            return self.when(lambda s: s["settled"] and s["graph"]["selection"] not in (None, last))
        for key, action in (("Down", "select-down"), ("Up", "select-up"), ("Right", "select-right"),
                            ("Left", "select-left"), ("ctrl+Right", "select-next"),
                            ("ctrl+Left", "select-previous")):
            self.w.act("select", GLib.Variant("s", "logits"))
            self.w.wait(lambda s: s["graph"]["selection"] == "logits" and s["settled"])
            self.focus("tree", "Graph")
            self.press(key, f"canvas.{action}", "goes to another box", other("logits"))
        self.w.act("select", GLib.Variant("s", "hidden"))
        self.w.wait(lambda s: s["graph"]["selection"] == "hidden" and s["settled"])
        def opened(name, is_open):
            return self.when(lambda s: (name in s["graph"]["open"]) == is_open and s["settled"])
        if "hidden" in self.w.state()["graph"]["open"]:
            press_keys("Return")  # what the search opened
            self.w.until(opened("hidden", False))
        self.press("Return", "canvas.toggle", "opens a scope", opened("hidden", True))
        self.press("Return", "canvas.toggle", "and closes it", opened("hidden", False))
        self.press("shift+Return", "canvas.open-all", "opens all in it",
                   self.when(lambda s: len(s["graph"]["open"]) > 3 and s["settled"]))
        self.w.act("select", GLib.Variant("s", "hidden/weights"))
        self.w.wait(lambda s: s["graph"]["selection"] == "hidden/weights" and s["settled"])
        self.press("BackSpace", "canvas.select-parent", "selects what is around it",
                   self.when(lambda s: s["graph"]["selection"] == "hidden"))
        self.press("shift+F10", "canvas.menu", "opens the menu of a box",
                   self.there("menu item", "Set aside"))
        press_keys("Escape")
        self.w.until(lambda: not self.there("menu item", "Set aside")())
        self.moves()
        self.zooms()
        self.press("c", "canvas.color-next", "colours by the next",
                   lambda: self.state_of("button", "device", "pressed"))
        self.press("Escape", "canvas.select-none", "selects nothing",
                   self.when(lambda s: s["graph"]["selection"] is None))

    def moves(self):
        def place():
            box = next(i for i in self.w.state()["graph"]["items"] if i["name"] == "hidden")
            return box["x"], box["y"]
        for key, action, x, y in (("Left", "left", -1, 0), ("Right", "right", 1, 0),
                                  ("Up", "up", 0, -1), ("Down", "down", 0, 1)):
            before = place()
            self.press(f"shift+{key}", f"canvas.move-{action}", "moves a box",
                       lambda: ((place()[0] - before[0]) * x > 0
                                or (place()[1] - before[1]) * y > 0))
            moved = place()
        self.press("ctrl+z", "canvas.undo", "takes a move back", lambda: place() == before)
        self.press("ctrl+shift+z", "canvas.redo", "moves it again", lambda: place() == moved)

    def zooms(self):
        zoom = self.w.state()["graph"]["zoom"]
        self.press("period", "canvas.fit-selection", "shows what is selected",
                   self.when(lambda s: s["graph"]["zoom"] != zoom and not s["graph"]["busy"]))
        self.press("0", "canvas.zoom-100", "shows it in full size",
                   self.when(lambda s: s["graph"]["zoom"] == 1 and not s["graph"]["busy"]))
        self.press("minus", "canvas.zoom-out", "goes away",
                   self.when(lambda s: s["graph"]["zoom"] < 1))
        small = self.w.state()["graph"]["zoom"]
        self.press("plus", "canvas.zoom-in", "comes closer",
                   self.when(lambda s: s["graph"]["zoom"] > small))
        self.press("9", "canvas.fit", "shows all of it",
                   self.when(lambda s: s["graph"]["zoom"] < 1 and not s["graph"]["busy"]))

    def focus_tab(self, label):
        """The switcher has its pages in several widths, of which one is shown."""
        for _ in range(150):
            if any(tab.has_focus() for tab in self.w.all_accessible("tab", label)):
                return
            press_keys("Tab")
        raise RuntimeError(f"Tab does not come to the page {label}")

    def slash(self, search):
        """From wherever nobody writes: to the search, and where runs are a table, to its filter."""
        self.focus_tab("Graph")
        self.press("slash", "anywhere.find", "goes to the search from the switcher of pages",
                   search.has_focus)
        type_text("a/b")
        self.w.until(lambda: search.text() == "a/b")
        self.tap.point("slash: is written where a text is", search.has_focus())
        press_keys("ctrl+a", "BackSpace", "Escape", "alt+6")
        self.w.wait(lambda s: s["page"] == "runs" and s["table"]["shows"] == "table")
        self.focus_tab("Runs")
        self.press("slash", "anywhere.find", "goes to the filter of the table",
                   self.w.find_accessible("search box", "Filter the runs").has_focus)
        press_keys("alt+2")
        self.w.wait(lambda s: s["page"] == "graph")

    # ---- charts ----

    def told(self, tag):
        return self.w.find_accessible("image", tag).description()

    def menu_item(self, state, *parts):
        """Of the card's menu, which is closed again."""
        press_keys("shift+F10")
        item = self.w.until(lambda: next(
            (o for o in self.w.accessible().tree() if "menu item" in o.role()
             and any(p in o.label() for p in parts) and o.place()[2] > 0), None))
        has = state in item.states()
        press_keys("Escape")
        self.w.until(self.w.find_accessible("image", "loss").has_focus)
        return has

    def charts(self):
        press_keys("alt+3")
        self.w.wait(lambda s: s["page"] == "charts" and s["settled"]
                    and s["charts"]["cards"].get("loss"))
        self.focus("image", "loss")
        last = self.told("loss")
        for key, action in (("Home", "first"), ("Right", "right"), ("End", "last"),
                            ("Left", "left")):
            def moved(last=last):
                now = self.told("loss")
                return now.startswith("step ") and now != last
            self.press(key, f"chart.cursor-{action}", "moves the cursor", moved)
            last = self.told("loss")
        # A run that was stopped has a mark at its last step.
        for key, action, said in (("n", "next", "goes to the next mark"),
                                  ("shift+n", "previous", "goes to the mark before")):
            def marked(last=last):
                now = self.told("loss")
                return now.startswith("step ") and now != last
            self.press(key, f"chart.{action}-event", said, marked)
            last = self.told("loss")
        self.press("Escape", "chart.cursor-hide", "hides the cursor",
                   lambda: self.told("loss").startswith("loss: "))
        def view(shown):
            return self.when(lambda s: (s["charts"]["views"]["loss"][0] is not None) == shown)
        self.press("plus", "chart.zoom-in", "comes closer", view(True))
        far = self.w.state()["charts"]["views"]["loss"]
        press_keys("plus")
        near = self.w.wait(lambda s: s["charts"]["views"]["loss"] != far)["charts"]["views"]["loss"]
        self.press("minus", "chart.zoom-out", "goes away",
                   self.when(lambda s: s["charts"]["views"]["loss"] != near))
        for key, action in (("shift+Right", "right"), ("shift+Left", "left")):
            before = self.w.state()["charts"]["views"]["loss"]
            self.press(key, f"chart.pan-{action}", "moves the range that is shown",
                       self.when(lambda s, before=before:
                                 (s["charts"]["views"]["loss"][0] > before[0])
                                 == (action == "right")
                                 and s["charts"]["views"]["loss"] != before))
        self.press("0", "chart.reset-zoom", "shows all steps", view(False))
        for key, action, role, label in (
                ("r", "chart.ranges", "text box", "Start of the horizontal axis"),
                ("t", "chart.values", "label", "Smoothed"),
                ("shift+F10", "card.menu", "menu item", "Pin to the top")):
            self.press(key, action, f"opens what has “{label}”", self.there(role, label))
            press_keys("Escape")
            self.w.until(lambda role=role, label=label: not self.there(role, label)())
        for key, action, words in (("l", "chart.toggle-log", ("ogarithm",)),
                                   ("o", "chart.toggle-outliers", ("utlier",))):
            before = self.menu_item("checked", *words)
            self.press(key, action, f"switches {words[0]}",
                       lambda words=words, before=before:
                       self.menu_item("checked", *words) != before)
            press_keys(key)
        self.press("p", "card.pinned", "pins it", self.when(lambda s: s["charts"]["pinned"]))
        press_keys("p")
        self.press("e", "card.large", "enlarges it",
                   self.when(lambda s: s["charts"]["large"] == ["loss"]))
        press_keys("e")
        self.w.wait(lambda s: not s["charts"]["large"])
        self.press("s", "charts.next-seeds", "draws seeds as a mean",
                   lambda: "chart-seeds='" in self.kept())
        self.histograms()
        chooser = self.there("search box", "Find a tag for the horizontal axis")
        self.press("x", "charts.choose-axis", "asks what to draw over", chooser)
        press_keys("Escape")
        self.w.until(lambda: not chooser())

    def histograms(self):
        self.focus("image", "hidden/weights")
        self.w.until(lambda: " values from " in self.told("hidden/weights"))
        def counts():
            return sorted(o.label() for o in self.w.accessible().tree()
                          if o.role() == "label" and " of " in o.label())
        def other(of, than):
            return lambda: of() != than
        told = lambda: self.told("hidden/weights")
        all_steps = told()
        before = counts()
        self.press("minus", "histogram.fewer-steps", "shows fewer steps", other(counts, before))
        before = counts()
        self.press("plus", "histogram.more-steps", "shows more of them", other(counts, before))
        press_keys("Left")  # the newest, which was read before
        self.press("Left", "histogram.select-older", "reads an older step", other(told, all_steps))
        older = told()
        self.press("Right", "histogram.select-newer", "reads a newer one", other(told, older))
        self.press("Escape", "histogram.select-none", "reads none", lambda: told() == all_steps)

    def run(self):
        os.environ["GTK_USE_PORTAL"] = "0"  # dialogs of this process are seen here
        try:
            self.idle()
            self.open(self.project, "runs", settings={"smoothing": "0.6"})
            self.runs()
            self.window()
            self.graph()
            self.charts()
            self.ends("ctrl+q", "app.quit")
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
        missing = table_of_keys(self.source) - self.pressed - set(ELSEWHERE)
        self.tap.point("every other key of the program's table was pressed", not missing,
                       *sorted(missing))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:4])).run()
