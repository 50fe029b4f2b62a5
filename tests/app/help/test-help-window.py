#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The manual's window, driven by keys and read by AT-SPI, as TAP.

usage: test-help-window.py WORKBENCH PROJECT

On a display and a session bus of its own: F1 opens the page of what is in front; links are followed
by the keyboard; back, forward, search and Escape; German, and English where there is none.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap
from workbench import APPLICATION, Workbench


def text(string):
    return GLib.Variant("s", string)


def press(*keys):
    subprocess.run(["xdotool", "key", *keys], check=True)


class Session:
    def __init__(self, program, project):
        self.program, self.folder = program, tempfile.mkdtemp()
        self.project = os.path.join(self.folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.join(self.folder, "samples"))
        self.tap = Tap()
        self.window = None

    def titles(self):
        return [child.label() for child in self.window.accessible().children()]

    def shows(self, title, ending="Manual"):
        """Waits for a page to be in front."""
        return self.window.until(lambda: f"{title} · {ending}" in self.titles())

    def manual(self):
        """The manual's window in the accessible tree."""
        return next((w for w in self.window.accessible().children() if "· Manual" in w.label()),
                    None)

    def close(self):
        press("Escape")
        self.window.until(lambda: self.manual() is None)

    def context(self):
        w = self.window
        for page, title in (("graph", "The graph page"), ("charts", "Charts")):
            w.act("show-page", text(page))
            w.wait(lambda s, page=page: s["page"] == page)
            press("F1")
            self.tap.point(f"F1 on the page {page} opens “{title}”", self.shows(title))
            self.close()
        self.tap.point("Escape closes the manual", self.manual() is None)
        w.act("find")
        press("F1")
        self.tap.point("F1 in the search field opens “Search”", self.shows("Search"))
        self.close()
        press("Escape")
        w.act("preferences", path=APPLICATION)
        w.find_accessible("label", "Smoothing")
        press("F1")
        self.tap.point("F1 in the preferences opens “Settings”", self.shows("Settings"))
        self.close()
        dialog = next(o for o in w.accessible().children() if o.label() == "Preferences")
        next(o for o in dialog.tree() if o.role() == "button" and o.label() == "Close").act()
        w.until(lambda: len(self.titles()) == 1)
        w.all_accessible("button", "Main menu")[-1].act()
        w.find_accessible("menu item", "Help").act()
        self.tap.point("the main menu has it", w.until(self.manual))
        self.close()

    def walk(self):
        w = self.window
        w.act("help-page", text("index"), path=APPLICATION)
        self.shows("Sluice manual")
        names = [o.label() for o in self.manual().tree() if o.role() == "image"]
        words = ("The window: runs at the left, the graph in the middle, what is selected at the "
                 "right")
        self.tap.point("pictures have their words", words in names, names)
        press("Tab", "Return")
        self.tap.point("Tab and Return follow the first link", self.shows("First run"))
        press("alt+Left")
        self.tap.point("Alt+Left goes back", self.shows("Sluice manual"))
        press("alt+Right")
        self.tap.point("Alt+Right goes forward", self.shows("First run"))
        press("ctrl+f")
        subprocess.run(["xdotool", "type", "outliers"], check=True)
        found = w.until(lambda: [o for o in self.manual().tree() if o.role() == "list item"
                                 and o.label() == "Axes"])
        self.tap.point("the search finds a section, and says where", found
                       and "Charts" in found[0].description(), found[0].description())
        press("Return")
        self.tap.point("Return opens what was found", w.until(
            lambda: any(t in self.titles() for t in ("Charts · Manual", "Keys · Manual"))))
        press("ctrl+f")
        subprocess.run(["xdotool", "type", "qqqq"], check=True)
        w.until(lambda: not self.rows())
        self.tap.point("nothing found is said",
                       w.find_accessible("label", "No page has these words"))
        press("Escape")
        self.tap.point("Escape ends the search first",
                       w.until(lambda: "First run" in self.rows()), self.rows())
        before = self.places()
        press("ctrl+plus", "ctrl+plus", "ctrl+plus")
        self.tap.point("Ctrl+Plus makes text larger", w.until(lambda: self.places() > before))
        press("ctrl+0")
        self.tap.point("Ctrl+0 makes it usual", w.until(lambda: self.places() == before))
        w.act("start")
        w.wait(lambda s: s["step"] > 20)
        self.tap.point("a run goes on meanwhile", self.manual() is not None)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.act("help-page", text("no-such-page"), path=APPLICATION)
        self.tap.point("a page that is not there is told", self.shows("This page is missing"))
        w.act("help-page", text("ops/MatMul"), path=APPLICATION)
        self.tap.point("an op's page is shown", self.shows("MatMul"))

    def rows(self):
        """Of the contents, or of what was found."""
        return [o.label() for o in self.manual().tree() if o.role() == "list item"]

    def places(self):
        """How high the first paragraph of the page is."""
        return next((o.place()[3] for o in self.manual().tree()
                     if o.role() == "label" and len(o.label()) > 60), 0)

    def languages(self):
        os.environ.update(LC_ALL="C.UTF-8", LANGUAGE="de")
        self.window = Workbench(self.program, self.project, os.path.join(self.folder, "de"))
        self.window.act("help-page", text("index"), path=APPLICATION)
        self.tap.point("in German", self.shows("Sluice-Handbuch", "Handbuch"))
        self.window.act("help-page", text("ops/MatMul"), path=APPLICATION)
        self.tap.point("in English where there is no German", self.shows("MatMul", "Handbuch"))
        self.tap.point("both windows close", self.window.quit() == 0)

    def run(self):
        os.environ.update(LC_ALL="C.UTF-8", LANGUAGE="")
        try:
            self.window = Workbench(self.program, self.project, os.path.join(self.folder, "en"))
            self.window.wait(lambda s: s["settled"])
            self.context()
            self.walk()
            self.tap.point("the manual closes with the window", self.window.quit() == 0)
            self.languages()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:3])).run()
