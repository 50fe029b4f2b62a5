#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The window narrow, with large text, mirrored, in high contrast and without motion, as TAP.

usage: test-modes.py WORKBENCH COMMAND PROJECT SOURCE

On a display and a session bus of its own. In each mode everything that is shown lies inside the
window, on both pages; drawn texts that must give way are shortened, controls are not.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "lib")]
import pseudo_locale
from tap import Tap
from workbench import Workbench, take_picture, type_text

CONTROLS = {"button", "toggle button", "slider", "search box", "tab"}
SIZE = (480, 900)


def set_text_scale(scale):
    """On X11 a desktop's wish comes from here; the file of settings says nothing of it."""
    subprocess.run(["xrdb", "-nocpp", "-merge"], input=f"Xft.dpi: {96 * scale}\n", text=True,
                   check=True)


class Session:
    def __init__(self, program, command, project, source):
        self.program, self.project, self.source = program, project, source
        self.folder = tempfile.mkdtemp()
        self.tap = Tap()
        subprocess.run([command, "train", project, "--workspace", self.path("workspace"),
                        "--steps", "100"], check=True, stdout=subprocess.DEVNULL)

    def path(self, name):
        return os.path.join(self.folder, name)

    def outside(self, window):
        """Controls that lie half in the window. Those that lie wholly outside are in panes that are
        folded away, or in what is scrolled. The switcher has its pages in several widths, of which
        one is shown: a tab that another one of its name stands for is none of them."""
        wrong, whole = [], set()
        top = window.accessible().children()[0]
        # What lies around it is the frame's shadow.
        left, _, inner, _ = top.children()[0].place()
        right = left + inner
        for thing in top.tree():
            if thing.role() not in CONTROLS:
                continue
            x, y, w, h = thing.place()
            if w > 0 and h > 0 and (x < left < x + w or x < right < x + w):
                wrong.append((thing.role(), thing.label(), f"{x} to {x + w} of {left} to {right}"))
            elif left <= x < right and thing.role() == "tab":
                whole.add(thing.label())
        return inner, [" ".join(thing) for thing in wrong
                       if thing[0] != "tab" or thing[1] not in whole]

    def height(self, window):
        """Of a line of text; the window goes."""
        height = window.find_accessible("label", "Ready").place()[3]
        window.quit()
        return height

    def table(self, window, titles):
        """Some columns are left out of it, for want of room."""
        window.act("show-page", GLib.Variant("s", "runs"))
        window.wait(lambda s: s["page"] == "runs" and s["settled"] and s["table"]["names"])

        def look():
            rows = [(o.label(), o.place()[::2]) for o in window.accessible().tree()
                    if o.role() == "row"]
            return [place for label, place in sorted(rows, key=lambda row: row[0] != titles)][:2]
        places = window.until(lambda: (lambda p: p if p[1:] and p[0] == p[1] else None)(look()))
        self.tap.point("mirrored: rows stand below the titles of their columns", places, places)

    def line(self, name, window):
        """The buttons at the head of the form fold before they stand below each other."""
        window.until(window.find_accessible("text box", "Name").has_focus)
        type_text("changed")
        away = window.find_accessible("button", "Throw away")
        window.until(lambda: away.place()[2] > 0)
        tops = {window.find_accessible("button", label).place()[1]
                for label in ("Throw away", "Check again", "Add to queue", "Start 1 run")}
        away.act()
        window.wait(lambda s: s["launch"]["draft"] == 0)
        self.tap.point(f"{name}: what can be done with the form stands in one line",
                       max(tops) - min(tops) <= 2, *tops)  # with less text, less high

    def drawn(self, environment):
        """What the graph page looks like, in the bytes of a PNG."""
        picture = self.path("drawn.png")
        subprocess.run([self.program, "--screenshot", "graph", "--out", picture, "--workspace",
                        self.path("workspace"), self.project], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, **environment})
        with open(picture, "rb") as file:
            return file.read()

    def mode(self, name, width=1280, environment=None, settings=None):
        saved = dict(os.environ)
        os.environ.update(environment or {})
        config = self.path("config-" + name.replace(" ", "-"))
        os.makedirs(os.path.join(config, "gtk-4.0"))
        with open(os.path.join(config, "gtk-4.0", "settings.ini"), "w", encoding="utf-8") as file:
            file.write("[Settings]\n" + "".join(f"{k}={v}\n" for k, v in (settings or {}).items()))
        os.environ["XDG_CONFIG_HOME"] = config
        try:
            window = Workbench(self.program, self.project, self.path("workspace"), width=width)
        finally:
            os.environ.clear()
            os.environ.update(saved)
        window.wait(lambda s: s["settled"])
        for page in ("runs", "launch", "build", "graph", "charts"):
            if page == "launch":
                window.until(lambda: window.enabled("new-run"))
                window.act("new-run")
            else:
                window.act("show-page", GLib.Variant("s", page))
            state = window.wait(lambda s, page=page: s["page"] == page and s["settled"]
                                and s["charts"]["cards"].get("loss")
                                and (page != "launch" or s["launch"]["shows"] == "form"))
            inner, wrong = self.outside(window)
            self.tap.point(f"{name}: {page} is no wider than asked for", inner <= width, inner)
            self.tap.point(f"{name}: no control of {page} is cut", not wrong, *wrong)
            if page == "launch" and not environment:
                self.line(name, window)
            pictures = os.environ.get("SLUICE_TEST_PICTURES")
            if pictures:
                take_picture(os.path.join(pictures, f"{name.replace(' ', '-')}-{page}.png"))
        return window, state

    def run(self):
        try:
            window, state = self.mode("480 pixels", width=SIZE[0])
            self.tap.point("480 pixels: the panes fold away", state["folded"])
            window.quit()
            usual = self.height(self.mode("text scale 1")[0])
            set_text_scale(2)
            large = self.height(self.mode("text scale 2")[0])
            set_text_scale(1)
            self.tap.point("text scale 2: text is larger", large >= 1.6 * usual,
                           large, usual)
            pseudo_locale.make(self.source, self.path("he"), "he")
            subprocess.run(["localedef", "-c", "-i", "he_IL", "-f", "UTF-8",
                            self.path("he_IL.UTF-8")], check=False, stderr=subprocess.DEVNULL)
            window, state = self.mode("mirrored", environment={
                "TEXTDOMAINDIR": self.path("he"), "LANGUAGE": "he", "LOCPATH": self.folder,
                "LC_ALL": "he_IL.UTF-8"})
            start = window.find_accessible("button", pseudo_locale.translate("Start")).place()
            self.tap.point("mirrored: the controls stand at the right", start[0] > 640, start)
            self.table(window, pseudo_locale.translate("Titles of the columns"))
            window.quit()
            contrast = {"ADW_DEBUG_HIGH_CONTRAST": "1"}
            self.mode("high contrast", environment=contrast)[0].quit()
            self.tap.point("high contrast: the graph is drawn otherwise",
                           self.drawn({}) == self.drawn({}) != self.drawn(contrast))
            self.mode("no motion", settings={"gtk-enable-animations": "false"})[0].quit()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:5])).run()
