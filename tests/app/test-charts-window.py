#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The cards of the charts page: pointer, keys, actions and the accessible tree, as TAP.

usage: test-charts-window.py WORKBENCH COMMAND LOG-RECORDS PROJECT

On a display and a session bus of its own. Pictures are left in $SLUICE_TEST_PICTURES.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, take_picture


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


def rows_of(window):
    """What the rows of runs and groups of seeds are called."""
    labels = [o.label() for o in window.accessible().tree() if o.role() == "list item"]
    return [label for label in labels if label.startswith("seed")]


class Charts:
    def __init__(self, program, command, log_records, project):
        self.program, self.command, self.log_records = program, command, log_records
        self.folder = tempfile.mkdtemp()
        samples = os.path.join(self.folder, "samples")
        shutil.copytree(os.path.dirname(project), samples)
        self.project = os.path.join(samples, os.path.basename(project))
        self.workspace = os.path.join(self.folder, "workspace")
        os.mkdir(self.workspace)
        self.tap = Tap()
        self.window = self.settings = None

    def train(self, name, *options):
        subprocess.run([self.command, "train", self.project, "--workspace", self.workspace,
                        "--run", name, "--json", *options], check=True,
                       stdout=subprocess.DEVNULL)

    def open(self):
        self.window = Workbench(self.program, self.project, self.workspace, settings=self.settings)
        self.window.wait(lambda s: s["settled"])
        self.window.act("show-page", GLib.Variant("s", "charts"))
        return self.charts(lambda c: c["state"] == "cards" and c["cards"].get("loss"))

    def charts(self, condition):
        """The page's state once the condition is true of it and it is drawn: keys go to what has
        the focus then."""
        return self.window.wait(lambda s: condition(s["charts"]) and s["settled"])["charts"]

    def picture(self, name):
        folder = os.environ.get("SLUICE_TEST_PICTURES")
        if folder:
            take_picture(os.path.join(folder, f"charts-{name}.png"))

    def enlarge(self, tag):
        """Presses the card's button. GTK clicks a quarter of a second later, and not where the card
        was laid out anew meanwhile: then it is pressed again."""
        button = self.window.find_accessible("button", f"Enlarge {tag}")
        wanted = set(self.charts(lambda c: True)["large"]) ^ {tag}
        for _ in range(20):
            self.window.until(lambda: button.place()[3] > 0)
            button.act()
            end = time.monotonic() + 3
            while time.monotonic() < end:
                if set(self.charts(lambda c: True)["large"]) == wanted:
                    return
        raise RuntimeError(f"{tag} cannot be enlarged")

    def press(self, label):
        self.window.find_accessible("button", label).act()

    def pins(self):
        w = self.window
        before = self.charts(lambda c: True)
        self.tap.point("nothing is pinned or large at first",
                       before["pinned"] == before["large"] == [], before)
        self.enlarge("loss")
        self.tap.point("a card is enlarged by its button",
                       self.charts(lambda c: c["large"] == ["loss"]))
        # The card has the focus now: its keys work.
        xdotool("key", "p")
        self.tap.point("P pins it", self.charts(lambda c: c["pinned"] == ["loss"]))
        self.tap.point("under a heading", w.find_accessible("button", "Pinned"))
        self.picture("pinned")
        xdotool("key", "e")
        self.tap.point("E makes it small again", self.charts(lambda c: c["large"] == []))
        self.tap.point("its menu is in the tree", w.find_accessible("button", "Menu of loss"))
        w.quit()
        self.open()
        self.tap.point("what is pinned stays over restarts",
                       self.charts(lambda c: c["pinned"] == ["loss"]))
        self.tap.point("with its heading", self.window.find_accessible("button", "Pinned"))

    def table(self):
        w = self.window
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == ["loss"])
        xdotool("key", "t")
        self.tap.point("T opens the table of values",
                       w.find_accessible("window", "Values of loss"))
        self.tap.point("with a row a run",
                       w.find_accessible("label", "first") and w.find_accessible("label", "second"))
        self.picture("table")
        self.sort("Run")
        xdotool("key", "Escape")
        self.tap.point("Escape closes it",
                       w.until(lambda: not w.all_accessible("window", "Values of loss")))
        self.enlarge("loss")

    def sort(self, column):
        """The rows by a column: its header is clicked."""
        title = "Values of loss"
        table = self.window.find_accessible("window", title)
        found = subprocess.run(["xdotool", "search", "--name", title], check=True,
                               stdout=subprocess.PIPE, text=True).stdout.split()

        def rows():
            tops = {o.label(): o.place()[1] for o in table.tree()
                    if o.role() == "label" and o.label() in ("first", "second")}
            return sorted(tops, key=tops.get)

        header = next(o for o in table.tree() if o.role() == "label" and o.label() == column)
        x, y, width, height = header.place()
        self.tap.point("the rows are in the order of the runs", rows() == ["second", "first"])
        xdotool("mousemove", "--window", found[-1], x + width // 2, y + height // 2, "click", "1")
        self.tap.point(f"a click on {column} sorts them",
                       self.window.until(lambda: rows() == ["first", "second"]))

    def zoom(self):
        w = self.window
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == ["loss"])
        xdotool("key", "plus")
        views = self.charts(lambda c: c["views"]["loss"][0] is not None)["views"]
        self.tap.point("a zoom is that of every chart", len(views) > 2
                       and all(v == views["loss"] for v in views.values()), views)
        xdotool("key", "0")
        views = self.charts(lambda c: c["views"]["loss"][0] is None)["views"]
        self.tap.point("and so is the way back", not any(map(any, views.values())), views)
        xdotool("key", "r")
        w.find_accessible("text box", "Start of the horizontal axis")
        self.picture("ranges")
        xdotool("type", "50")
        xdotool("key", "Tab")
        xdotool("type", "1x0")
        xdotool("key", "Return")
        w.find_accessible("label", "Write a number, or nothing for where the data end")
        self.tap.point("what is no number is said", not any(self.charts(lambda c: True)
                                                            ["views"]["loss"]))
        xdotool("key", "Escape")
        xdotool("key", "r")
        w.find_accessible("text box", "Start of the horizontal axis")
        xdotool("key", "ctrl+a")
        xdotool("type", "50")
        xdotool("key", "Tab")
        xdotool("type", "150")
        xdotool("key", "Tab")
        xdotool("type", "0.1")
        xdotool("key", "Tab")
        xdotool("type", "2")
        xdotool("key", "Return")
        views = self.charts(lambda c: c["views"]["loss"] == [50, 150, 0.1, 2])["views"]
        self.tap.point("typed ranges: x of all, y of the one card",
                       views["accuracy"] == [50, 150, None, None], views)
        self.picture("zoomed")
        xdotool("key", "0")
        self.charts(lambda c: not any(c["views"]["loss"]))
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == [])

    def told(self, *words):
        """Labels of the inspector: those of names that are there to be read."""
        labels = {o.label() for o in self.window.accessible().tree() if o.role() == "label"}
        return set(words) <= labels

    def click_title(self, tag):
        """Where the card is when everything is laid out and drawn."""
        card = self.window.find_accessible("image", tag)
        for _ in range(20):
            self.charts(lambda c: True)
            x, y, width, _ = card.place()
            xdotool("mousemove", x + width // 4, y + 20, "click", "1")
            end = time.monotonic() + 3
            while time.monotonic() < end:
                if card.has_focus():
                    return
        raise RuntimeError(f"{tag} cannot be clicked")

    def inspector(self):
        """It tells more of the tag whose card was chosen, by its title or by the keyboard."""
        w = self.window
        self.click_title("loss")
        self.tap.point("the inspector says that the run in front has nothing of a tag",
                       w.wait(lambda s: s["inspector"].startswith("records\n")
                              and "\nPoints: none in this run\n" in s["inspector"]))
        w.act("find-text", GLib.Variant("s", "first"))
        w.wait(lambda s: s["inspector"].startswith("first\n"))
        w.act("find-text", GLib.Variant("s", ""))
        state = w.wait(lambda s: "\nBest: " in s["inspector"])
        self.tap.point("it follows the card whose title was clicked",
                       re.search(r"First: \S+ at step \d", state["inspector"])
                       and re.search(r"Not finite: 0\n", state["inspector"])
                       and w.until(lambda: self.told("loss", "First", "Last", "Best", "Least",
                                                     "Greatest", "Not finite", "Points", "Over")),
                       state["inspector"])
        self.picture("inspector")
        self.click_title("loss")
        for _ in range(60):
            if w.find_accessible("image", "accuracy").has_focus():
                break
            xdotool("key", "Tab")
        state = w.wait(lambda s: re.search(r"Greatest: .*%", s["inspector"]))
        self.tap.point("and the one that the keyboard comes to",
                       w.until(lambda: self.told("accuracy", "Greatest")), state["inspector"])
        w.act("find-text", GLib.Variant("s", "hidden/weights"))
        self.charts(lambda c: c["order"] == ["hidden/weights"])
        self.click_title("hidden/weights")
        state = w.wait(lambda s: re.search(r"First: step \d+\n", s["inspector"]))
        self.tap.point("of a histogram it tells the steps", re.search(
            r"Last: step \d+\nSteps: \d+\n", state["inspector"]), state["inspector"])
        w.act("find-text", GLib.Variant("s", ""))

    def histograms(self):
        w = self.window
        text = self.charts(lambda c: "second" in c["cards"]["hidden/weights"])["cards"]
        self.tap.point("a histogram is that of every run, by name",
                       "first: " in text["hidden/weights"], text["hidden/weights"])
        self.enlarge("hidden/weights")
        self.charts(lambda c: c["large"] == ["hidden/weights"])
        before = w.until(lambda: self.steps_shown())
        xdotool("key", "minus")
        self.tap.point("the number of steps stands on the card, and keys change it",
                       w.until(lambda: self.steps_shown()[0] < before[0]), before)
        for mode in ("overlay", "heat", "bands"):
            w.find_accessible("button", mode).act()
            self.picture(mode)
        # Over steps there are all of them.
        self.tap.point("so do the modes", w.until(lambda: len(self.steps_shown()) < len(before)))
        w.find_accessible("button", "ridges").act()
        w.until(lambda: len(self.steps_shown()) == len(before))
        self.enlarge("hidden/weights")

    def steps_shown(self):
        """How many steps each histogram shows, where not all."""
        labels = [o.label() for o in self.window.accessible().tree() if o.role() == "label"]
        return [int(words[0]) for words in (label.split(" of ") for label in labels)
                if len(words) == 2 and all(word.isdigit() for word in words)]

    def images(self):
        w = self.window
        self.tap.point("the images of a summary share a card",
                       "digits" in self.charts(lambda c: True)["order"])
        self.enlarge("digits")
        newest = int(self.charts(lambda c: c["cards"]["digits"])["cards"]["digits"])
        slider = w.find_accessible("slider", "Step of the images")
        self.picture("images")
        x, y, width, height = slider.place()
        xdotool("mousemove", x + width // 4, y + height // 2, "click", 1)
        self.tap.point("the slider at their foot moves them",
                       self.charts(lambda c: int(c["cards"]["digits"]) < newest))
        step = self.charts(lambda c: True)["cards"]["digits"]
        scrolled = self.charts(lambda c: True)["scrolled"]
        xdotool("mousemove", x + width // 2, y + height // 2, "click", 4, "click", 4)
        after = self.charts(lambda c: c["scrolled"] < scrolled)
        self.tap.point("the wheel over it scrolls the page", after["cards"]["digits"] == step)
        self.enlarge("digits")

    def records(self):
        expected = {"notes": "The third try.", "confusion": "[2,2]", "speech": "1 channel",
                    "detector": "records: area"}
        self.window.act("find-text", GLib.Variant("s", "speech"))
        for tag, words in expected.items():
            self.window.act("find-text", GLib.Variant("s", tag))
            state = self.window.wait(lambda s, tag=tag: s["charts"]["cards"].get(tag))
            text = state["charts"]["cards"][tag]
            self.tap.point(f"a card of {tag}", words in text, text)
            self.picture(tag)
            if tag == "speech":
                words = "Waveform, at most 24.4\u202f% of full level"
                self.tap.point("a sound is seen, also where it cannot be heard",
                               self.window.find_accessible("image", words))
                self.tap.point("and played, or saved where nothing plays it", self.window.until(
                    lambda: [o for o in self.window.accessible().tree()
                             if (o.role(), o.label()) == ("button", "Save the sound…")
                             or o.role() == "slider" and o.label() == "Position"]))
        self.window.act("find-text", GLib.Variant("s", ""))

    def kept(self):
        """What was chosen of cards is there when the workspace is opened again; and all of them go
        on paper."""
        w = self.window
        w.find_accessible("button", "Menu of loss").act()
        w.find_accessible("menu item", "accuracy").act()
        self.charts(lambda c: "first · accuracy" in c["cards"]["loss"])
        self.enlarge("hidden/weights")
        w.find_accessible("button", "heat").act()
        self.enlarge("digits")
        slider = w.find_accessible("slider", "Step of the images")
        x, y, width, height = slider.place()
        before = self.charts(lambda c: c["cards"]["digits"])["cards"]["digits"]
        xdotool("mousemove", x + width * 2 // 3, y + height // 2, "click", 1)
        state = self.charts(lambda c: c["cards"]["digits"] != before)
        step, shown = state["cards"]["digits"], state["order"]
        path = os.path.join(self.folder, "charts.pdf")
        w.act("print-to", GLib.Variant("s", path))
        w.until(lambda: os.path.exists(path) and os.path.getsize(path) > 0)
        w.wait(lambda s: s["settled"])
        with open(path, "rb") as file:
            sheets = [int(n) for n in re.findall(rb"/Count (\d+)", file.read())]
        # Two columns of four on a sheet.
        self.tap.point("all cards are printed, also those far from the view",
                       sheets == [-(-len(shown) // 8)], (sheets, len(shown)))
        w.quit()
        self.open()
        w = self.window
        state = self.charts(lambda c: "digits" in c["order"] and "hidden/weights" in c["order"])
        self.tap.point("large cards and joined charts are as they were",
                       sorted(state["large"]) == ["digits", "hidden/weights"]
                       and "accuracy" not in state["order"], state)
        w.act("find-text", GLib.Variant("s", "digits"))
        self.tap.point("so is the images' step",
                       self.charts(lambda c: c["cards"].get("digits") == step))
        w.act("find-text", GLib.Variant("s", "hidden/weights"))
        self.tap.point("and the way a histogram is shown", w.until(
            lambda: [o for o in w.all_accessible("button", "heat") if o.is_pressed()]))
        w.act("find-text", GLib.Variant("s", ""))
        w.find_accessible("button", "Menu of loss + accuracy").act()
        w.find_accessible("menu item", "Draw each alone").act()
        self.charts(lambda c: "accuracy" in c["order"])

    def runs(self):
        """Which runs are looked at, and over what."""
        w = self.window

        def shows(*names):
            self.charts(lambda c: c["cards"]["loss"].count(" at step ") == len(names)
                        and all(name in c["cards"]["loss"] for name in names))
            return True

        button = w.find_accessible("button", "Show the curves of first").place()
        xdotool("mousemove", button[0] + 60, button[1] + button[3] // 2, "click", 1)
        w.wait(lambda s: s["front"] == "first")
        self.tap.point("a run that is selected is in front, with the others",
                       shows("first", "second"))
        w.act("solo-run")
        self.tap.point("solo: it alone", shows("first"))
        w.act("solo-run")
        self.tap.point("and once more: with the others again", shows("first", "second"))
        w.act("isolate-run")
        self.tap.point("the others are hidden", shows("first"))
        w.act("show-all-runs")
        self.tap.point("all are shown", shows("first", "second"))
        w.act("toggle-run")
        self.tap.point("it is hidden", shows("second"))
        w.act("show-project-runs")
        self.tap.point("those of the open project are shown", shows("first", "second"))
        for axis in ("Relative", "Wall", "Step"):
            w.find_accessible("button", axis).act()
            self.tap.point(f"the axis is chosen: {axis}", w.until(
                w.find_accessible("button", axis).is_pressed))
            self.picture("axis-" + axis.lower())
        w.act("find-text", GLib.Variant("s", "no such tag"))
        self.tap.point("where nothing matches the page says so", self.charts(
            lambda c: c["state"] == "nothing") and w.find_accessible(
                "label", "No tag of the runs that are shown matches “no such tag”."))
        w.act("find-text", GLib.Variant("s", ""))
        self.charts(lambda c: c["state"] == "cards" and c["cards"]["loss"])

    def join(self):
        w = self.window
        w.find_accessible("button", "Menu of loss").act()
        w.find_accessible("menu item", "accuracy").act()
        state = self.charts(lambda c: "first · accuracy" in c["cards"]["loss"])
        self.tap.point("a chart is drawn in another one, and has no card meanwhile",
                       "accuracy" not in state["order"], state)
        w.find_accessible("image", "loss + accuracy")
        self.picture("joined")
        w.find_accessible("button", "Menu of loss + accuracy").act()
        w.find_accessible("menu item", "Draw each alone").act()
        state = self.charts(lambda c: "accuracy" in c["order"])
        self.tap.point("and stands alone again", "accuracy" not in state["cards"]["loss"], state)
        # By the pointer: the title of one onto another one, in steps, as a hand does.
        self.window.act("find-text", GLib.Variant("s", "loss"))
        self.charts(lambda c: c["order"] == ["loss", "evaluate/loss"])
        start, end = (w.find_accessible("image", tag).place() for tag in ("loss", "evaluate/loss"))
        xdotool("mousemove", start[0] + 40, start[1] + 20, "mousedown", 1)
        for i in range(1, 11):
            xdotool("mousemove", start[0] + 40 + (end[0] - start[0]) * i // 10,
                    start[1] + 20 + (end[1] - start[1] + 100) * i // 10)
            w.state()  # a frame or two
        for _ in range(10):  # until what is under the pointer has said that it takes it
            xdotool("mousemove_relative", 1, 0)
            w.state()
        self.picture("dragged")
        xdotool("mouseup", 1)
        state = self.charts(lambda c: c["order"] == ["evaluate/loss"])
        self.tap.point("a chart is dragged onto another one", w.find_accessible(
            "image", "evaluate/loss + loss"), state)
        self.window.act("find-text", GLib.Variant("s", ""))
        w.find_accessible("button", "Menu of evaluate/loss + loss").act()
        w.find_accessible("menu item", "Draw each alone").act()
        self.charts(lambda c: "loss" in c["order"])

    def axis(self):
        w = self.window
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == ["loss"])
        w.find_accessible("button", "Over a tag").act()
        w.find_accessible("search box", "Find a tag for the horizontal axis")
        self.picture("axis-tags")
        xdotool("type", "accur")
        xdotool("key", "Return")
        text = self.charts(lambda c: "loss over accuracy: " in c["cards"]["loss"])["cards"]["loss"]
        self.tap.point("X and a tag: the values of all charts over its values",
                       "second" in text, text)
        w.find_accessible("button", "Over accuracy")
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == [])
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == ["loss"])
        xdotool("key", "Right")
        w.find_accessible("image", "loss")
        self.picture("axis-over")
        w.find_accessible("button", "Step").act()
        self.tap.point("a button goes back to steps",
                       self.charts(lambda c: "over" not in c["cards"]["loss"]))
        w.find_accessible("button", "Over a tag")
        # A button that was acted on takes the focus when it clicks: the page is settled then.
        xdotool("mousemove", 700, 890, "click", 1)
        w.until(lambda: w.find_accessible("image", "loss").holds_focus())
        xdotool("key", "x")
        entry = w.find_accessible("search box", "Find a tag for the horizontal axis")
        w.until(entry.holds_focus)
        xdotool("type", "evaluate/l")
        xdotool("key", "Return")
        self.tap.point("X asks for a tag by the keyboard alone", self.charts(
            lambda c: "loss over evaluate/loss: " in c["cards"]["loss"]))
        w.find_accessible("button", "Step").act()
        self.charts(lambda c: "over" not in c["cards"]["loss"])
        w.find_accessible("button", "Over a tag")
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == [])

    def fold_seeds(self):
        """One row for the three, by the arrow at its end and by keys."""
        w, group = self.window, "seed × 3 seeds"
        names = w.until(lambda: rows_of(w) if len(rows_of(w)) == 3 else None)
        w.find_accessible("button", f"Fold the runs of {group}").act()
        self.tap.point("a group of seeds folds to one row", w.until(lambda: rows_of(w) == [group]))
        self.picture("seeds-folded")
        self.tap.point("its curves stay",
                       self.charts(lambda c: c["cards"]["loss"].count(" at step ") == 4))
        w.until(lambda: any(o.has_focus() for o in w.all_accessible("list item", group)))
        xdotool("key", "Right")
        self.tap.point("Right shows its runs again", w.until(lambda: rows_of(w) == names), *names)
        xdotool("key", "Left")
        w.until(lambda: rows_of(w) == [group])
        w.quit()
        self.open()
        self.tap.point("it is folded when the workspace is opened again",
                       self.window.until(lambda: rows_of(self.window) == [group]))
        self.window.find_accessible("button", f"Show the runs of {group}").act()
        self.window.until(lambda: len(rows_of(self.window)) == 3)

    def seeds(self):
        """Three runs that differ by their seed alone: one curve instead of three."""
        w = self.window
        each = self.charts(lambda c: c["cards"]["loss"])["cards"]["loss"]
        self.tap.point("at first each run has a curve", each.count(" at step ") == 4, each)
        self.tap.point("they stand together in the list of runs, under their mean",
                       w.find_accessible("label", "seed × 3 seeds"))
        self.fold_seeds()
        w = self.window
        self.tap.point("whose rows say in which settings runs differ",
                       w.find_accessible("label", "batch 16"))
        heading = "Show the curves of seed × 3 seeds"
        w.find_accessible("button", heading).act()
        self.tap.point("the heading hides all of them",
                       self.charts(lambda c: c["cards"]["loss"].count(" at step ") == 1))
        w.find_accessible("button", heading).act()
        self.charts(lambda c: c["cards"]["loss"].count(" at step ") == 4)
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == ["loss"])
        xdotool("mousemove", 700, 890, "key", "n")  # no pointer over the plot moves the cursor
        image = w.find_accessible("image", "loss")
        text = w.until(lambda: "checkpoint" in image.description() and image.description())
        self.tap.point("N goes to the next mark, and a screen reader hears what it is",
                       "step 0" in text or "step 1" in text, text)
        self.picture("marks")
        xdotool("key", "s")
        text = self.charts(lambda c: "seed × 3, ± deviation" in c["cards"]["loss"])["cards"]
        self.tap.point("S: runs of other seeds are their mean, with its members' names",
                       "(seed-1, seed-2, seed-3)" in text["loss"] and "first" in text["loss"], text)
        self.tap.point("with deviation and number", "±" in text["loss"] and ", n 3" in text["loss"],
                       text["loss"])
        xdotool("key", "Right")
        self.picture("seeds-deviation")
        xdotool("key", "t")
        w.find_accessible("window", "Values of loss")
        w.find_accessible("label", "seed × 3, ± deviation (seed-1, seed-2, seed-3)")
        self.picture("seeds-table")
        xdotool("key", "Escape")
        w.until(lambda: not w.all_accessible("window", "Values of loss"))
        xdotool("key", "s")
        self.tap.point("then with all between the least and the greatest",
                       self.charts(lambda c: "least to greatest" in c["cards"]["loss"]))
        self.picture("seeds-range")
        w.find_accessible("button", "Show the curves of seed-3").act()
        self.tap.point("a run that is hidden is not in it",
                       self.charts(lambda c: "(seed-1, seed-2)" in c["cards"]["loss"]))
        self.enlarge("loss")
        self.charts(lambda c: c["large"] == [])
        # Its table scrolls sideways; up and down the page does.
        table = w.find_accessible("group", "Settings and results").place()
        scrolled = self.charts(lambda c: True)["scrolled"]
        xdotool("mousemove", table[0] + table[2] // 2, table[1] + 100,
                "click", *(4 if scrolled > 0 else 5,))
        self.tap.point("the wheel over a table scrolls the page",
                       self.charts(lambda c: c["scrolled"] != scrolled))
        xdotool("mousemove", 300, 20)  # the run that is pointed at would be told alone
        self.hyper_parameters()
        w.find_accessible("button", "Options of the charts").children()[0].act()
        w.find_accessible("menu item", "Each run").act()
        self.tap.point("the page's menu goes back to each run",
                       self.charts(lambda c: "×" not in c["cards"]["loss"]))
        w.quit()

    def hyper_parameters(self):
        """What runs were begun with and what came of it."""
        w, card = self.window, "Settings and results"
        text = self.charts(lambda c: "seed-2" in c["cards"].get(card, ""))["cards"][card]
        self.tap.point("a card of settings that differ, and of results",
                       "batch 16" in text and "evaluate/accuracy" in text and "steps" not in text,
                       text)
        w.find_accessible("button", "Enlarge " + card).act()
        self.charts(lambda c: c["large"] == [card])
        self.picture("settings-table")
        w.find_accessible("button", "parallel").act()
        plot = w.find_accessible("image", "Settings and results of each run")
        x, y, _, height = w.until(lambda: plot.place() if plot.place()[3] > 0 else None)
        # The end of the first axis: the run with the smallest batch.
        xdotool("mousemove", x + 44, y + height - 40)
        text = self.charts(lambda c: ";" not in c["cards"][card])["cards"][card]
        self.tap.point("a run that is pointed at is marked", text.startswith("first: "), text)
        self.picture("settings-marked")
        xdotool("mousemove", x + 44, y - 20)
        self.charts(lambda c: ";" in c["cards"][card])
        w.find_accessible("button", "scatter").act()
        w.find_accessible("image", "A result over a setting of each run")
        self.picture("settings-scatter")
        self.tap.point("a scatter has its columns chosen",
                       w.find_accessible("combo box", "Vertical axis of the scatter"))
        w.find_accessible("button", "table").act()
        w.find_accessible("button", "Enlarge " + card).act()
        self.charts(lambda c: c["large"] == ["loss"] or c["large"] == [])

    def run_seeds(self):
        self.train("first", "--steps", "100", "--set", "batch=16")
        for seed in ("1", "2", "3"):
            self.train("seed-" + seed, "--steps", "100", "--seed", seed)
        self.open()
        self.seeds()
        shutil.rmtree(self.workspace)
        os.mkdir(self.workspace)

    def gone(self):
        """A run that is deleted gives its place to none that was hidden."""
        w = self.window
        button = w.find_accessible("button", "Show the curves of first").place()
        xdotool("mousemove", button[0] + 60, button[1] + button[3] // 2, "click", 1)
        w.wait(lambda s: s["front"] == "first" and s["settled"])
        w.act("isolate-run")
        self.charts(lambda c: "second" not in c["cards"]["loss"])
        n = w.state()["runs"]
        xdotool("key", "ctrl+Delete")
        state = w.wait(lambda s: s["runs"] == n - 1 and s["settled"])
        self.tap.point("a run that goes gives its place to no hidden one",
                       state["front"] == "" and state["charts"]["state"] == "empty", state["front"],
                       state["charts"]["state"])

    def run_odd(self):
        """One point, nothing but NaN, steps that go back, a tag of 10 kB, 12,345 tags."""
        subprocess.run([self.log_records, self.workspace, os.path.basename(self.project), "odd"],
                       check=True)
        self.window = w = Workbench(self.program, self.project, self.workspace)
        w.wait(lambda s: s["settled"])
        w.act("show-page", GLib.Variant("s", "charts"))
        self.tap.point("twelve thousand tags are charts, in groups",
                       self.charts(lambda c: len(c["order"]) == 12345 + 4)
                       and w.find_accessible("button", "many"))
        expected = {"odd/one": "0.5000 at step 5", "odd/nan": "NaN at step 99",
                    "odd/back": "0 at step 100"}
        for tag, words in expected.items():
            w.act("find-text", GLib.Variant("s", tag))
            text = self.charts(lambda c, tag=tag: c["order"] == [tag] and ":" in c["cards"][tag])
            self.tap.point(f"{tag} says what it is", words in text["cards"][tag], text["cards"])
            self.picture(tag.replace("/", "-"))
        w.act("find-text", GLib.Variant("s", "many/"))
        self.tap.point("a search of more than a turn can look at finds all", w.wait(
            lambda s: s["settled"] and "12345" in "".join(filter(str.isdigit, s["found"]))))
        w.act("find-text", GLib.Variant("s", "long/"))
        order = self.charts(lambda c: len(c["order"]) == 1 and c["cards"][c["order"][0]])["order"]
        self.tap.point("a tag of 10 kB is a card like others", len(order[0]) > 9000)
        self.picture("odd-long")
        w.quit()
        shutil.rmtree(self.workspace)
        os.mkdir(self.workspace)

    def run(self):
        self.run_odd()
        self.run_seeds()
        self.train("first", "--steps", "300")
        self.train("second", "--steps", "200", "--seed", "5")
        subprocess.run([self.log_records, self.workspace, os.path.basename(self.project)],
                       check=True)
        # A keyfile, which the second window reads again.
        self.settings = {"smoothing": "0.5"}
        self.open()
        self.settings = {}
        self.pins()
        self.table()
        self.zoom()
        self.inspector()
        self.axis()
        self.histograms()
        self.images()
        self.records()
        self.runs()
        self.join()
        self.kept()
        self.gone()
        self.window.quit()
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Charts(*map(os.path.abspath, sys.argv[1:5])).run()
