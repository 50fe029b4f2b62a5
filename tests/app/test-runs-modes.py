#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The page of all runs in German, and mirrored, by the pointer and by keys, as TAP.

usage: test-runs-modes.py WORKBENCH COMMAND MAKE_RUNS PROJECT SOURCE

On a display and a session bus of its own. All columns are in sight; a chip in the filter's field is
taken away by a press; columns become wider by their titles' edges and by keys; titles stand above
their columns however those are scrolled.
"""
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "lib")]
import pseudo_locale
from tap import Tap
from workbench import Workbench, press_keys, type_text

N = 12
LANGUAGES = {"de": "de_DE", "he": "he_IL"}
SCROLL = {"left": "6", "right": "7"}  # X11's buttons


def plain(text):
    return text


class Session:
    def __init__(self, program, command, make_runs, project, source):
        self.program, self.command, self.make_runs = program, command, make_runs
        self.project, self.source = project, source
        self.folder = tempfile.mkdtemp()
        self.tap = Tap()
        self.w, self.say = None, plain

    # ---- what is there ----

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, language):
        """In which the program speaks it, where it is not English."""
        if language not in LANGUAGES:
            return {}
        place = self.path(language)
        name = LANGUAGES[language]
        if os.path.exists(place):
            pass
        elif language == "de":
            messages = os.path.join(place, language, "LC_MESSAGES")
            os.makedirs(messages)
            subprocess.run(["msgfmt", "-o", os.path.join(messages, "sluice.mo"),
                            os.path.join(self.source, "po", "de.po")], check=True)
        else:
            pseudo_locale.make(self.source, place, language)
        subprocess.run(["localedef", "-c", "-i", name, "-f", "UTF-8",
                        self.path(name + ".UTF-8")], check=False, stderr=subprocess.DEVNULL)
        return {"TEXTDOMAINDIR": place, "LANGUAGE": language, "LOCPATH": self.folder,
                "LC_ALL": name + ".UTF-8"}

    def open(self, language, width=1440, tags=True):
        workspace = self.path(f"workspace-{language}-{width}-{tags}")
        subprocess.run([self.make_runs, workspace, str(N)], check=True)
        if not tags:
            with contextlib.closing(sqlite3.connect(os.path.join(workspace, "sluice.db"))) as db:
                with db:
                    db.execute("DELETE FROM run_tags")
        saved = dict(os.environ)
        os.environ.update(self.environment(language))
        try:
            self.w = Workbench(self.program, self.project, workspace, width=width)
        finally:
            os.environ.clear()
            os.environ.update(saved)
        self.say = pseudo_locale.translate if language == "he" else plain
        self.w.wait(lambda s: s["settled"])
        self.w.act("show-page", GLib.Variant("s", "runs"))
        return self.page(lambda p: len(p["names"]) == N)

    def page(self, condition=lambda page: True):
        """The page's state, once it is as the condition says."""
        return self.w.wait(lambda s: s["page"] == "runs" and s["settled"]
                           and condition(s["table"]))["table"]

    def shown(self, role):
        return [o for o in self.w.accessible().tree() if o.role() == role and o.place()[2] > 0]

    def press(self, thing):
        x, y, width, height = thing.place()
        subprocess.run(["xdotool", "mousemove", str(x + width // 2), str(y + height // 2), "click",
                        "1"], check=True)

    def go_to(self, role, label):
        thing = self.w.find_accessible(role, label)
        for _ in range(100):
            if thing.has_focus():
                return
            press_keys("Tab")
        raise RuntimeError(f"Tab does not come to {label}")

    def title(self, name):
        return self.w.find_accessible("column header", name).place()

    # ---- German ----

    def german(self):
        self.open("de")
        table = next(o.place() for o in self.w.accessible().tree()
                     if o.label() == "Tabelle der Läufe")
        last = self.w.until(lambda: [o.place() for o in self.shown("grid cell")
                                     if o.label().startswith("Schlagwörter:")])[0]
        self.tap.point("German: the last column is in sight",
                       last[0] + last[2] <= table[0] + table[2], last, table)
        self.w.quit()

    # ---- the filter's field ----

    def chip(self, language):
        """Taken away by a press, which leaves the caret in the field."""
        tag = next(o for o in self.shown("button") if o.label().strip("⟦").startswith("lenet,"))
        tag.act()
        self.page(lambda p: len(p["names"]) == N // 2)
        self.press(self.w.find_accessible(
            "button", self.say("Remove the filter “%s”").replace("%s", "lenet")))
        self.page(lambda p: len(p["names"]) == N)
        self.tap.point(f"{language}: a press takes a chip out of the filter's field", True)
        type_text("name:mlp")
        page = self.page(lambda p: len(p["names"]) == N // 2)
        self.tap.point(f"{language}: and what is typed then stands in the field",
                       all(name.startswith("mlp") for name in page["names"]), page["names"])
        press_keys("ctrl+a", "BackSpace")
        self.page(lambda p: len(p["names"]) == N)

    # ---- columns ----

    def drag(self, start, end, y):
        """To the side, step by step."""
        subprocess.run(["xdotool", "mousemove", str(start), str(y), "mousedown", "1"], check=True)
        for i in range(1, 9):
            subprocess.run(["xdotool", "mousemove", str(start + (end - start) * i // 8), str(y)],
                           check=True)
        subprocess.run(["xdotool", "mouseup", "1"], check=True)

    def edge(self):
        """Where a column ends, at the left, it is dragged."""
        x, y, width, height = self.title("batch")
        self.drag(x, x - 60, y + height // 2)
        wide = self.w.until(lambda: (lambda place: place[2] != width and place)(
            self.title("batch")))
        self.tap.point("mirrored: a column's edge follows the pointer", abs(wide[2] - width - 60)
                       <= 6, width, wide)
        self.tap.point("mirrored: where it begins it stays", abs(wide[0] + wide[2] - x - width)
                       <= 1, x + width, wide)
        self.above("a column is dragged wider")

    def keys(self):
        press_keys("o")
        self.go_to("checkbox", "batch")
        before = self.title("batch")[2]
        press_keys("ctrl+plus")
        wider = self.w.until(lambda: (lambda width: width > before and width)(
            self.title("batch")[2]))
        press_keys("ctrl+minus")
        self.w.until(lambda: self.title("batch")[2] == before)
        self.tap.point("mirrored: keys make a column wider and narrower", wider > before, before,
                       wider)
        order = self.page()["columns"].split()
        press_keys("alt+Up")
        page = self.page(lambda p: p["columns"].split() != order)
        at = order.index("setting:batch")
        self.tap.point("mirrored: Alt+Up takes it to where reading begins",
                       page["columns"].split().index("setting:batch") == at - 1, page["columns"])
        press_keys("ctrl+0", "Escape")
        self.w.until(lambda: self.title("batch")[2] < before)
        self.above("a column is as by itself again")

    def places(self):
        """Of the titles, and of the first row: x and width."""
        titles = self.say("Titles of the columns")
        rows = [(o.label(), o.place()[::2]) for o in self.w.accessible().tree()
                if o.role() == "row"]
        return [place for label, place in sorted(rows, key=lambda row: row[0] != titles)][:2]

    def above(self, when):
        """Once everything rests: what is wrong then stays so."""
        self.page()
        places = self.places()
        self.tap.point(f"titles stand above the columns: {when}", places[1:]
                       and places[0] == places[1], places)

    def scroll(self, way, times):
        x, y, width, height = self.shown("grid cell")[0].place()
        subprocess.run(["xdotool", "mousemove", str(x + width // 2), str(y + height // 2), "click",
                        "--repeat", str(times), "--delay", "20", SCROLL[way]], check=True)

    def scrolled(self, language, way, column):
        """From the far end a column is taken away, and comes back."""
        before = self.places()
        self.scroll(way, 30)
        self.w.until(lambda: self.places() != before)
        self.above(f"{language}, scrolled")
        for when in ("one is gone", "and is there again"):
            held = self.page()["columns"]
            press_keys("o")
            self.go_to("checkbox", column)
            press_keys("space")
            self.page(lambda p, held=held: p["columns"] != held)
            press_keys("Escape")
            self.above(f"{language}, {when}")

    def mirrored(self):
        self.open("he")
        self.chip("mirrored")
        press_keys("Return")
        self.edge()
        self.keys()
        self.w.quit()

    def narrow(self):
        for language, name, way in (("en", "English", "right"), ("he", "mirrored", "left")):
            self.open(language, width=900)
            self.press(next(o for o in self.shown("row") if o.label().strip("⟦").startswith("mlp")))
            self.scrolled(name, way, self.say("Tags"))
            self.w.quit()

    def untagged(self):
        """A column without a tag in it leaves its room to the others."""
        widths = []
        for tags in (True, False):
            self.open("en", width=1560, tags=tags)
            self.page()
            widths.append((self.title("Name")[2], self.title("Tags")[2]))
            self.w.quit()
        (name, tags), (name_then, tags_then) = widths
        self.tap.point("where no run has a tag, their column leaves its room to the others",
                       name_then >= name and tags_then <= tags - 40, widths)

    def run(self):
        try:
            for stage in (self.german, self.mirrored, self.narrow, self.untagged):
                stage()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError, StopIteration) as error:
            state = self.w.state() if self.w and self.w.process.poll() is None else {}
            self.tap.point("the session goes on to its end", False, repr(error),
                           state.get("table"), traceback.format_exc())
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:6])).run()
