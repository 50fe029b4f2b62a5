#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The page of all runs as an experiment: groups, views, what differs, lineage, the trash for
good; by keys and by what assistive technology reads, as TAP.

usage: test-runs-groups.py WORKBENCH COMMAND MAKE_RUNS PROJECT

On a display and a session bus of its own.
"""
import importlib.util
import os
import shutil
import subprocess
import sys
import traceback

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from workbench import press_keys, type_text

spec = importlib.util.spec_from_file_location(
    "runs_window", os.path.join(HERE, "test-runs-window.py"))
runs_window = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runs_window)

N = 24
SHORT = 18  # short runs: four differences, the two as they are, three seeds each


class Groups(runs_window.Session):
    def choose(self, opens, choice):
        """An entry of the menu that a key opens."""
        press_keys(opens)
        item = self.w.find_accessible("menu item", choice)
        self.w.until(lambda: item.place()[2] > 0)
        item.act()

    def texts(self):
        return [o.label() for o in self.w.accessible().tree()
                if o.role() == "label" and o.place()[2] > 0]

    def says(self, part):
        return self.w.until(lambda: any(part in text for text in self.texts()))

    def rows(self):
        return [o.label() for o in self.w.accessible().tree()
                if o.role() == "row" and o.place()[2] > 0]

    def back_to(self, thing):
        """Into the pane at the left, which comes before the filter."""
        for _ in range(40):
            if thing.has_focus() or (thing.role() == "button" and thing.holds_focus()):
                return
            press_keys("shift+Tab")
        raise RuntimeError(f"Shift+Tab does not come to {thing.label()}")

    # ---- what is asked of it ----

    def groups(self):
        self.filter("learning-rate=0.1")
        page = self.page(lambda p: " of " in p["count"])
        alone = page["names"]
        press_keys("Return")
        self.choose("g", "batch")
        page = self.page(lambda p: p["group"] == "Group: batch")
        names = page["names"]
        self.tap.point("runs of one batch size are one row",
                       {"batch = 128", "batch = 64"} == set(names), names, alone)
        self.tap.point("which says how many they are", any(
            f"{name}, group of" in row for row in self.rows() for name in names), *self.rows())
        means = self.told("loss, last: ")
        self.tap.point("and has the mean of their results and its deviation",
                       any(" ± " in told for told in means), *means)
        press_keys("slash", "Return", "Home", "Right")
        page = self.page(lambda p: len(p["names"]) > len(names))
        members = page["names"][1:-1]
        self.tap.point("Right opens a group in place, with all of its runs",
                       page["names"][0] == names[0] and page["names"][-1] == names[1]
                       and len(members) == 4 and set(members) < set(alone), page["names"])
        press_keys("Down", "Left")
        page = self.page(lambda p: p["names"] == names)
        self.tap.point("Left closes it, from a run in it, too", True)
        press_keys("slash", "Return", "ctrl+a")
        page = self.page(lambda p: len(p["selected"]) == len(alone))
        self.tap.point("a group that is selected means its runs",
                       set(page["selected"]) == set(alone), page["selected"])
        press_keys("slash", "Return")
        self.choose("g", "none")
        self.page(lambda p: p["group"] == "Group: none")

    def differs(self):
        self.filter("name:lenet-1")
        self.page(lambda p: all(name.startswith("lenet-1") for name in p["names"]))
        press_keys("Return", "ctrl+a")
        page = self.page(lambda p: len(p["selected"]) > 1 and p["differs"])
        n = len(page["selected"])
        self.tap.point("what differs between the selected runs is told", "learning-rate: " in
                       page["differs"] and page["differs"].startswith("What differs: "),
                       page["differs"])
        texts = self.texts()
        self.tap.point("a screen reader reads it", "What differs" in texts and any(
            " | " in text and "0.1" in text for text in texts), n, *texts)
        self.tap.point("first whether the results differ by more than seeds give",
                       any(text in texts for text in ("More than seeds alone give",
                                                      "Not more than seeds alone give",
                                                      "Perhaps by seeds alone")), *texts)
        press_keys("d")
        button = self.w.find_accessible("button", "Copy as text")
        self.w.until(lambda: button.has_focus() or press_keys("Tab"))
        press_keys("Escape")
        self.w.until(lambda: not button.has_focus())
        self.tap.point("D goes there, and Escape back", True)
        self.filter("name:mlp-24")
        self.page(lambda p: p["names"] == ["mlp-24"])
        press_keys("Return", "ctrl+a")
        page = self.page(lambda p: p["selected"] == ["mlp-24"])
        self.tap.point("of one run nothing differs: the inspector is there again",
                       page["differs"] == "" and "What differs" not in self.texts())

    def trained(self):
        """Two real ones: a graph that grew, and a setting."""
        for name, project, options in (("small", "digits-mlp", ["--set=batch=32"]),
                                       ("large", "digits-lenet", [])):
            subprocess.run([self.command, "train",
                            os.path.join(os.path.dirname(self.project), project), "--steps=20",
                            f"--run={name}", "--workspace", self.workspace, *options],
                           check=True, stdout=subprocess.DEVNULL)
        self.filter("name:small")
        self.page(lambda p: p["names"] == ["small"])
        self.filter("steps<=200")  # the short runs are to be in the table, too
        self.page(lambda p: p["names"] == ["large", "small"])
        press_keys("Return", "ctrl+a")
        page = self.page(lambda p: "conv1" in p["differs"])
        self.tap.point("of two graphs the nodes are told", "+ conv1/" in page["differs"]
                       and self.says("+ conv1: "), page["differs"][:600])
        self.tap.point("how many are alike", self.says(" the same"))
        self.tap.point("and a line of each other kind",
                       {"Order of data", "Seed", "Start", "Program",
                        "Machine"} <= set(self.texts()),
                       *self.texts())
        page = self.page(lambda p: "short runs" in p["matters"])
        self.tap.point("short runs are proposed, with what they will take",
                       "200 steps each" in page["matters"] and "about" in page["matters"],
                       page["matters"])
        self.press_on("button", "Find out")
        page = self.page(lambda p: "what each difference does" in p["matters"])
        self.tap.point("and say which difference matters", "graph: " in page["matters"]
                       and self.says("what each difference does"), page["matters"])
        self.tap.point("the two stay selected while the short runs begin",
                       sorted(page["selected"]) == ["large", "small"]
                       and len(page["names"]) == SHORT + 2, page["selected"], page["names"])
        short = [name for name in self.runs() if name.startswith("which matters #")]
        self.tap.point("they are runs of the queue, a group by themselves", len(short) == SHORT,
                       *short)
        self.tap.point("the focus is at the answer", self.w.until(lambda: any(
            o.has_focus() and "what each difference" in o.label()
            for o in self.w.accessible().tree())))
        press_keys("Escape")  # back into the rows
        self.tap.point("checkpoints stand in the lineage", any(
            line.startswith("small, finished at step 20, checkpoints at ")
            for line in page["lineage"]), page["lineage"])

    def lineage(self):
        self.filter("name:lenet-5")
        self.page(lambda p: p["names"] == ["lenet-5"])
        press_keys("Return", "ctrl+a")
        page = self.page(lambda p: len(p["lineage"]) == 2)
        wanted = page["lineage"][1]
        self.tap.point("a fork is told with its parent, and what it has otherwise",
                       wanted.startswith("lenet-5, from mlp-4 at step 400, ")
                       and "batch" in wanted and ", finished at step 2\u202f000" in wanted,
                       page["lineage"])
        picture = self.w.find_accessible("image", "Lineage")
        self.tap.point("and to a screen reader", wanted in picture.description(),
                       picture.description())
        press_keys("f", "Down")
        self.w.until(lambda: picture.has_focus() and picture.description() == wanted)
        self.tap.point("F goes there, and Down to the next run", True)

    def views(self):
        self.filter("")
        self.page(lambda p: len(p["names"]) > N)
        starred = next(o for o in self.w.accessible().tree()
                       if o.role() == "list item" and o.label().startswith("Starred, "))
        count = int(starred.label().split(", ")[1])
        self.back_to(self.w.find_accessible("list item", f"All runs, {N + 2 + SHORT}"))
        press_keys("Down", "Return")
        page = self.page(lambda p: p["view"] == "starred")
        self.tap.point("a view shows what its row counts", len(page["names"]) == count,
                       page["names"], count)
        press_keys("Up", "Return")
        self.page(lambda p: p["view"] == "all")
        tag = next(o for o in self.w.accessible().tree()
                   if o.role() == "button" and o.label().startswith("keep, "))
        tag.act()
        page = self.page(lambda p: " of " in p["count"])
        self.tap.point("so does a tag", f"keep, {len(page['names'])} runs" == tag.label(),
                       page["names"], tag.label())
        self.back_to(self.w.find_accessible("button", "New view"))
        press_keys("space")
        self.focus_in("text box", "Name of the view")
        type_text("kept ones")
        press_keys("Return")
        kept = self.page()["names"]
        self.w.find_accessible("list item", f"kept ones, {len(kept)}")
        self.w.quit()
        self.open_again()
        self.page(lambda p: len(p["names"]) > N)
        row = self.w.find_accessible("list item", f"kept ones, {len(kept)}")
        self.back_to(row)
        press_keys("Return")
        page = self.page(lambda p: " of " in p["count"])
        self.tap.point("a view that was given a name is there again", page["names"] == kept,
                       page["names"], kept)
        tag = next(o for o in self.w.accessible().tree()
                   if o.role() == "button" and o.label().startswith("keep, "))
        tag.act()
        self.page(lambda p: len(p["names"]) > N)

    def open_again(self):
        self.w = runs_window.Workbench(self.program, self.project, self.workspace)
        self.w.wait(lambda s: s["settled"])
        press_keys("alt+6")
        self.w.wait(lambda s: s["page"] == "runs" and s["settled"])
        entry = self.w.find_accessible("search box", "Filter the runs")
        for _ in range(80):
            if entry.holds_focus():
                break
            press_keys("Tab")

    def purge(self):
        press_keys("Escape")  # out of the pane
        self.select("lenet-7")
        press_keys("Delete")
        self.page(lambda p: p["shows"] == "nothing")
        self.filter("")
        press_keys("Return", "ctrl+t")
        self.page(lambda p: p["trash"] and p["names"] == ["lenet-7"])
        self.tap.point("the trash says how much is in it", self.w.until(lambda: any(
            o.label().startswith("Trash, 1 · ") for o in self.w.accessible().tree())))
        press_keys("Down", "ctrl+a")
        self.page(lambda p: p["selected"] == ["lenet-7"])
        self.w.find_accessible("button", "Delete for good").act()
        self.w.until(lambda: len(self.w.accessible().children()) == 2)
        press_keys("Escape")
        self.w.until(lambda: len(self.w.accessible().children()) == 1)
        self.tap.point("deleting for good asks, and Escape keeps",
                       "lenet-7" in self.runs("--trash"))
        self.w.all_accessible("button", "Delete for good")[0].act()
        self.w.until(lambda: len(self.w.accessible().children()) == 2)
        self.w.until(lambda: any(o.has_focus() for o in self.w.accessible().children()[-1].tree()))
        press_keys("Tab", "space")  # past Cancel, which has the focus
        self.w.until(lambda: "lenet-7" not in self.runs("--trash"))
        self.page(lambda p: p["shows"] == "clean")
        self.tap.point("then it is gone", "lenet-7" not in self.runs())

    def run(self):
        try:
            subprocess.run([self.make_runs, self.workspace, str(N)], check=True)
            self.open_again()
            for stage in (self.groups, self.differs, self.lineage, self.trained, self.views,
                          self.purge):
                stage()
            self.w.quit()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError, StopIteration) as error:
            state = self.w.state() if self.w and self.w.process.poll() is None else {}
            self.tap.point("the session goes on to its end", False, repr(error),
                           state.get("table"), traceback.format_exc())
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Groups(*map(os.path.abspath, sys.argv[1:5])).run()
