#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The page of all runs, by keys and by what assistive technology reads, as TAP.

usage: test-runs-window.py WORKBENCH COMMAND MAKE_RUNS PROJECT

On a display and a session bus of its own. Filter, sort, star, tag, rename, notes, trash and back,
columns; what another program changes meanwhile; thousands of runs; no runs.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, type_text

N = 12
MANY = 2000


def inside(inner, outer):
    """Both x, y, width, height."""
    return (inner[0] >= outer[0] and inner[1] >= outer[1]
            and inner[0] + inner[2] <= outer[0] + outer[2]
            and inner[1] + inner[3] <= outer[1] + outer[3])


class Session:
    def __init__(self, program, command, make_runs, project):
        self.program, self.command, self.make_runs = program, command, make_runs
        self.folder = tempfile.mkdtemp()
        self.project = os.path.join(self.folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(self.project))
        self.workspace = os.path.join(self.folder, "workspace")
        self.tap = Tap()
        self.w = None
        self.clicked_at = 80

    # ---- what is there ----

    def open(self, workspace):
        self.w = Workbench(self.program, self.project, workspace)
        self.w.wait(lambda s: s["settled"])
        press_keys("alt+6", "F8")  # without the pane, whose rows are many stops
        page = self.w.wait(lambda s: s["page"] == "runs" and s["settled"])["table"]
        entry = self.w.find_accessible("search box", "Filter the runs")
        for _ in range(50):
            if entry.holds_focus():
                break
            press_keys("Tab")
        return page

    def page(self, condition=lambda page: True):
        """The page's state, once it is as the condition says."""
        return self.w.wait(lambda s: s["settled"] and condition(s["table"]))["table"]

    def runs(self, *options):
        done = subprocess.run([self.command, "runs", "--json", "--workspace", self.workspace,
                               *options], capture_output=True, text=True, check=True)
        return {run["run"]: run for run in map(json.loads, done.stdout.splitlines())}

    def told(self, start):
        """What the cells say whose words begin so, from the top."""
        return [o.label()[len(start):] for o in self.w.accessible().tree()
                if o.label().startswith(start) and o.place()[2] > 0]

    def filter(self, text):
        entry = self.w.find_accessible("search box", "Filter the runs")
        if not entry.holds_focus():
            press_keys("slash")
            self.w.until(entry.holds_focus)
        press_keys("ctrl+a", "BackSpace")
        if text:
            type_text(text)

    def press_on(self, role, label):
        """Tab, until it is there, and Space."""
        thing = self.w.find_accessible(role, label)
        for _ in range(100):
            if thing.has_focus():
                press_keys("space")
                return
            press_keys("Tab")
        raise RuntimeError(f"Tab does not come to {label}")

    def select(self, *names):
        """The rows of a filter that finds just these; several have a name's start in common."""
        self.filter("name:" + (names[0] if len(names) == 1 else names[0].split("-")[0]))
        self.page(lambda p: set(names) == set(p["names"]))
        press_keys("Return", "ctrl+a")
        return self.page(lambda p: set(names) == set(p["selected"]))

    def focus_in(self, role, label):
        return self.w.until(lambda: any(o.holds_focus()
                                        for o in self.w.all_accessible(role, label)))

    # ---- what is asked of it ----

    def reads(self):
        page = self.page(lambda p: len(p["names"]) == N)
        self.tap.point("all runs are in the table, the newest first",
                       page["shows"] == "table" and page["names"][0] == f"mlp-{N}",
                       page)
        self.tap.point("it says how many", page["count"] == f"{N} runs", page["count"])
        rows = [o.label() for o in self.w.accessible().tree() if o.role() == "row"]
        self.tap.point("a row is told by name, state and star", "mlp-10, stopped, starred" in rows
                       and "mlp-6, failed" in rows, *rows)
        rates = self.told("learning-rate: ")
        wanted = [f"{run['settings']['learning-rate']:g}" for run in self.runs().values()]
        self.tap.point("settings that differ are told run by run", rates == wanted, rates, wanted)
        self.tap.point("one that does not differ has no column", not self.told("decay: "))
        self.tap.point("results are told", len(self.told("loss, last: 0.")) > 5,
                       *self.told("loss, last: "))

    def chips(self):
        """What is chosen at the side stands in the field, before what is typed."""
        self.filter("learning-rate>=0.1")
        everything = self.page(lambda p: " of " in p["count"])["count"]
        tag = next(o for o in self.w.accessible().tree() if o.role() == "button"
                   and o.label().startswith("lenet,"))
        for way in ("Space on it", "Backspace before the text"):
            tag.act()
            page = self.page(lambda p: p["count"] == f"3 of {N} runs")
            chip = self.w.find_accessible("button", "Remove the filter “lenet”")
            entry = self.w.find_accessible("search box", "Filter the runs")
            self.tap.point("a tag is a chip in the filter's field", page["names"] == [
                "lenet-9", "lenet-5", "lenet-1"] and inside(chip.place(), entry.place()),
                chip.place(), entry.place())
            press_keys("slash")
            self.w.until(entry.holds_focus)
            if way == "Space on it":
                self.press_on("button", "Remove the filter “lenet”")
            else:
                press_keys("Home", "BackSpace")
            page = self.page(lambda p: p["count"] == everything)
            self.tap.point(f"{way} takes it away, and the focus is in the field",
                           entry.holds_focus(), page)

    def filters(self):
        self.filter("tag:lenet learning-rate>=0.1")
        page = self.page(lambda p: p["count"] == f"3 of {N} runs")
        self.tap.point("a filter finds what its terms say",
                       page["names"] == ["lenet-9", "lenet-5", "lenet-1"], page)
        self.chips()
        self.filter("learning-rate<")
        page = self.page(lambda p: p["problem"])
        self.tap.point("what is wrong with one stands under it, in words",
                       "learning-rate" in page["problem"]
                       and self.w.find_accessible("label", page["problem"]), page)
        self.filter("tag:nothing")
        self.page(lambda p: p["shows"] == "nothing")
        self.w.find_accessible("button", "Clear the filter").act()
        page = self.page(lambda p: p["shows"] == "table")
        self.tap.point("where nothing matches, a button clears it", len(page["names"]) == N, page)

    def sorts(self):
        press_keys("Return")  # out of the filter, into the rows
        press_keys("o")
        button = self.w.find_accessible("button", "Sort by loss, last")
        button.act()
        page = self.page(lambda p: p["sort"] == "last:loss")
        runs = self.runs()
        wanted = sorted(runs, key=lambda name: runs[name]["results"]["loss"]["last"])
        self.tap.point("sorted by a result, the least first", page["names"] == wanted,
                       page["names"], wanted)
        button.act()
        page = self.page(lambda p: p["descending"])
        self.tap.point("and the other way round", page["names"] == wanted[::-1], page["names"])
        button.act()
        page = self.page(lambda p: p["sort"] == "")
        self.tap.point("and the newest first again", page["names"][0] == f"mlp-{N}", page)
        press_keys("Escape")

    def edges(self):
        """How far what stands in the table reaches over its edge: pixels, by column."""
        told = [o for o in self.w.accessible().tree() if o.place()[2] > 0]
        x, _, width, _ = next(o for o in told if o.label() == "Table of runs").place()
        return {o.label().split(": ")[0]: o.place()[0] + o.place()[2] - x - width for o in told
                if o.role() == "grid cell"}

    def fits(self):
        edges = self.w.until(lambda: (edges := self.edges()) and max(edges.values()) <= 0 and edges)
        self.tap.point("the columns that stand there by themselves are all in sight, less what "
                       "tells least", "Tags" in edges and "Started" not in edges, edges)

    def columns(self):
        press_keys("o")
        self.press_on("checkbox", "decay")
        page = self.page(lambda p: "setting:decay" in p["columns"])
        self.tap.point("a column is chosen", self.told("decay: ") != [], page["columns"])
        self.press_on("checkbox", "Loss")
        page = self.page(lambda p: " curve " not in p["columns"])
        self.tap.point("and another one taken away", "curve" not in page["columns"].split(), page)
        logs = os.path.join(self.folder, "newcomer.csv")
        with open(logs, "w", encoding="utf-8") as file:
            file.write("step,perplexity\n1,3\n2,2\n")
        subprocess.run([self.command, "import", logs, "--workspace", self.workspace], check=True,
                       stdout=subprocess.DEVNULL)
        self.tap.point("a result that comes while they are chosen is among them",
                       self.w.find_accessible("checkbox", "perplexity, last"))
        self.tap.point("and the keyboard is where it was",
                       self.w.until(self.w.find_accessible("checkbox", "Loss").has_focus))
        press_keys("Escape")
        for verb in ("delete", "empty"):
            subprocess.run([self.command, "runs", "--workspace", self.workspace, verb, "newcomer"],
                           check=True, stdout=subprocess.DEVNULL)
        self.page(lambda p: p["count"] == f"{N} runs")

    def says(self):
        self.select("lenet-3")
        press_keys("s")
        self.w.until(lambda: self.runs()["lenet-3"]["starred"])
        self.tap.point("S gives the star", True)
        press_keys("t")
        self.focus_in("text box", "New tag")
        type_text("best one")
        press_keys("Return")
        self.w.until(lambda: "best one" in self.runs()["lenet-3"]["tags"])
        self.tap.point("T gives a tag", True)
        self.page()
        press_keys("ctrl+z")
        self.w.until(lambda: "best one" not in self.runs()["lenet-3"]["tags"])
        self.tap.point("Ctrl+Z takes it away again", True)
        press_keys("n")
        self.focus_in("text box", "Notes, in Markdown")
        type_text("**Good** at seven")
        press_keys("Escape")
        self.w.until(lambda: self.runs()["lenet-3"]["notes"] == "**Good** at seven")
        state = self.w.wait(lambda s: "Good" in s["inspector"])
        self.tap.point("notes are saved as they are written, and the inspector has them",
                       "lenet-3" in state["front"], state["inspector"])
        press_keys("F2")
        self.focus_in("text box", "Name of the run")
        type_text("mlp-2")
        press_keys("Return")
        self.w.find_accessible("label", "Another run has this name; choose another one")
        press_keys("ctrl+a")
        type_text("renamed")
        press_keys("Return")
        self.w.until(lambda: "renamed" in self.runs())
        self.tap.point("F2 gives another name, but none that is taken",
                       "lenet-3" not in self.runs())
        self.select("renamed")
        press_keys("ctrl+z")
        self.w.until(lambda: "lenet-3" in self.runs())

    def click(self, name, *modifiers, button="1"):
        """On the row's name, with the pointer."""
        row = self.w.until(lambda: next((o for o in self.w.accessible().tree()
                                         if o.role() == "row" and o.place()[2] > 0
                                         and o.label().startswith(name + ",")), None))
        x, y, _, height = row.place()
        # Never twice at one place: that would be a double click.
        self.clicked_at = 170 - self.clicked_at
        keys = [word for key in modifiers for word in ("keydown", key)]
        ups = [word for key in modifiers for word in ("keyup", key)]
        subprocess.run(["xdotool", "mousemove", str(x + self.clicked_at),
                        str(y + height // 2), *keys,
                        "click", button, *ups], check=True)

    def pointer(self):
        self.filter("name:lenet")
        names = self.page(lambda p: len(p["names"]) == N // 2)["names"]
        self.click(names[1])
        self.page(lambda p: p["selected"] == [names[1]])
        self.click(names[3], "ctrl")
        page = self.page(lambda p: len(p["selected"]) == 2)
        self.tap.point("Ctrl+click adds a run", page["selected"] == [names[1], names[3]], page)
        self.click(names[3], "ctrl")
        page = self.page(lambda p: len(p["selected"]) == 1)
        self.tap.point("and takes it away again", page["selected"] == [names[1]], page)
        self.click(names[1])
        self.click(names[4], "shift")
        page = self.page(lambda p: len(p["selected"]) == 4)
        self.tap.point("Shift+click selects all up to it", page["selected"] == names[1:5], page)
        self.click(names[2], button="3")
        self.w.find_accessible("menu item", "Move to trash")
        page = self.page()
        self.tap.point("the menu of one of them is about all", page["selected"] == names[1:5], page)
        press_keys("Escape")
        self.w.until(lambda: all(o.place()[2] <= 0 for o in self.w.all_accessible(
            "menu item", "Move to trash")))
        self.click(names[0], button="3")
        page = self.page(lambda p: p["selected"] == names[:1])
        self.tap.point("that of another run is about that one", page["selected"] == names[:1], page)
        press_keys("Escape")
        self.w.until(lambda: all(o.place()[2] <= 0 for o in self.w.all_accessible(
            "menu item", "Move to trash")))
        press_keys("ctrl+a")
        page = self.page(lambda p: len(p["selected"]) == len(names))
        self.tap.point("Ctrl+A all that are found", page["selected"] == names, page)

    def drag(self, start, end, y):
        """To the side, step by step."""
        subprocess.run(["xdotool", "mousemove", str(start), str(y), "mousedown", "1"], check=True)
        for i in range(1, 9):
            subprocess.run(["xdotool", "mousemove", str(start + (end - start) * i // 8), str(y)],
                           check=True)
        subprocess.run(["xdotool", "mouseup", "1"], check=True)

    def titles(self):
        """A column is dragged to another place, and a star is clicked."""
        def title(name):
            return self.w.find_accessible("column header", name).place()
        self.filter("name:lenet")
        self.page(lambda p: len(p["names"]) == N // 2)
        x, y, width, height = title("batch")
        to, _, to_width, _ = title("test accuracy, best")
        self.drag(x + width // 2, to + to_width // 2 - 10, y + height // 2)
        page = self.page(lambda p: "state setting:batch" in p["columns"])
        self.tap.point("a title that is dragged takes its column along", page["columns"])
        row = self.w.find_accessible("row", "lenet-9, finished")
        x, y, _, height = row.place()
        subprocess.run(["xdotool", "mousemove", str(x + 17), str(y + height // 2), "click", "1"],
                       check=True)
        self.w.find_accessible("row", "lenet-9, finished, starred")
        self.tap.point("a click on its star gives it", True)

    def sweep(self):
        """Which settings decide, of the runs that are selected."""
        page = self.page()
        self.tap.point("settings and results of the selected runs stand below",
                       "learning-rate" in page["sweep"] and "%" in page["sweep"], page["sweep"])
        words = self.w.find_accessible("label", "What decides evaluate/accuracy")
        lines = self.w.find_accessible("image", "Settings and results of each run")
        self.tap.point("each run's line can be read",
                       words and all(f"{name}:" in lines.description()
                                     for name in page["selected"]), lines.description()[:400])
        self.select(page["names"][0])
        page = self.page(lambda p: len(p["selected"]) == 1)
        self.tap.point("one run alone has none", page["sweep"] == "", page["sweep"])

    def menu(self):
        self.select("lenet-5")
        press_keys("shift+F10")
        self.w.find_accessible("menu item", "Only these in charts")
        press_keys("Escape")
        self.w.until(lambda: all(o.place()[2] <= 0 for o in self.w.all_accessible(
            "menu item", "Only these in charts")))
        self.tap.point("Shift+F10 opens the menu of what is selected", True)
        press_keys("s")
        self.w.until(lambda: self.runs()["lenet-5"]["starred"])
        self.page()
        press_keys("ctrl+z")
        self.w.until(lambda: not self.runs()["lenet-5"]["starred"])
        self.page()
        press_keys("ctrl+shift+z")
        self.w.until(lambda: self.runs()["lenet-5"]["starred"])
        self.tap.point("Ctrl+Shift+Z does again what was taken back", True)
        self.color()

    def color(self):
        press_keys("k")
        green = self.w.find_accessible("button", "Green")
        self.focus_in("button", "Blue")
        press_keys("Right", "Right", "Return")
        self.w.until(lambda: self.runs()["lenet-5"]["color"] == "#2ec27e")
        self.tap.point("a colour is chosen by keys", green.label() == "Green")
        self.page()
        press_keys("ctrl+z")
        self.w.until(lambda: self.runs()["lenet-5"]["color"] is None)
        self.tap.point("and taken back", True)

    def many(self):
        self.select(*(f"mlp-{i}" for i in range(2, N + 1, 2)))
        press_keys("t")
        self.focus_in("text box", "New tag")
        type_text("all of them")
        press_keys("Return")
        self.w.until(lambda: sum("all of them" in run["tags"]
                                 for run in self.runs().values()) == N // 2)
        self.tap.point("a tag is given to many at once", True)

    def trash(self):
        self.select("lenet-3")
        press_keys("Delete")
        self.page(lambda p: "lenet-3" not in p["names"])
        self.tap.point("Delete moves to the trash at once", "lenet-3" not in self.runs()
                       and "lenet-3" in self.runs("--trash"))
        self.w.until(lambda: next((o for o in self.w.accessible().tree() if o.role() == "button"
                                   and o.label().endswith("Undo")), None)).act()
        self.w.until(lambda: "lenet-3" in self.runs())
        self.tap.point("and its message takes that back", True)
        self.select("lenet-3")
        press_keys("Delete")
        self.page(lambda p: p["shows"] == "nothing")
        self.filter("")
        press_keys("Return")
        press_keys("ctrl+t")
        page = self.page(lambda p: p["trash"] and p["names"] == ["lenet-3"])
        self.tap.point("Ctrl+T shows the trash", page["shows"] == "table", page)
        press_keys("Down", "ctrl+a")
        self.page(lambda p: p["selected"] == ["lenet-3"])
        press_keys("shift+Delete")
        self.page(lambda p: p["shows"] == "clean")
        self.tap.point("Shift+Delete restores", "lenet-3" in self.runs())
        self.w.find_accessible("button", "Back to the runs").act()
        self.page(lambda p: not p["trash"] and len(p["names"]) == N)

    def elsewhere(self):
        """The command changes what the window shows."""
        self.select("lenet-7")
        subprocess.run([self.command, "runs", "--workspace", self.workspace, "tag", "lenet-7",
                        "+elsewhere"], check=True, stdout=subprocess.DEVNULL)
        self.w.until(lambda: any("elsewhere" in told for told in self.told("Tags: ")))
        self.tap.point("what the command says of a run is seen", True)
        subprocess.run([self.command, "runs", "--workspace", self.workspace, "delete", "lenet-7"],
                       check=True, stdout=subprocess.DEVNULL)
        page = self.page(lambda p: p["shows"] == "nothing")
        self.tap.point("a run that goes while it is selected is selected no more",
                       page["selected"] == [], page)
        subprocess.run([self.command, "runs", "--workspace", self.workspace, "restore", "lenet-7"],
                       check=True, stdout=subprocess.DEVNULL)
        self.page(lambda p: p["names"] == ["lenet-7"])
        with open(os.path.join(self.folder, "long.md"), "w", encoding="utf-8") as file:
            file.write("long " * 200000)
        with open(os.path.join(self.folder, "long.md"), encoding="utf-8") as file:
            subprocess.run([self.command, "runs", "--workspace", self.workspace, "note", "lenet-7",
                            "-"], check=True, stdin=file, stdout=subprocess.DEVNULL)
        self.select("lenet-7")
        self.w.wait(lambda s: "long long" in s["inspector"])
        press_keys("n")
        self.w.until(lambda: any("too long" in o.label() for o in self.w.accessible().tree()
                                 if o.role() == "label"))
        press_keys("Escape")
        self.page()
        self.tap.point("notes of a million characters are told of, and stay as they are",
                       len(self.runs()["lenet-7"]["notes"]) == 1000000)

    def charts(self):
        self.select("lenet-5")
        press_keys("shift+c")
        state = self.w.wait(lambda s: s["page"] == "charts" and s["settled"])
        self.tap.point("Shift+C shows only these in the charts", state["front"] == "lenet-5",
                       state["front"])
        press_keys("alt+6")
        self.page()

    def remembers(self):
        self.filter("")
        self.page(lambda p: len(p["names"]) == N)
        press_keys("Return", "o")
        self.w.find_accessible("button", "Sort by decay").act()
        before = self.page(lambda p: p["sort"] == "setting:decay")
        press_keys("Escape")
        self.tap.point("the window closes, sorted as it is", self.w.quit() == 0)
        page = self.open(self.workspace)
        page = self.page(lambda p: len(p["names"]) == N)
        self.tap.point("the choice of columns is there again",
                       page["columns"] == before["columns"], page["columns"], before["columns"])
        self.w.quit()

    def empty(self):
        page = self.open(os.path.join(self.folder, "empty"))
        page = self.page(lambda p: p["shows"] != "loading")
        self.tap.point("without runs it says what would be here, and offers to begin one",
                       page["shows"] == "empty"
                       and self.w.find_accessible("button", "New run…"), page)
        self.w.quit()

    def thousands(self):
        workspace = os.path.join(self.folder, "many")
        subprocess.run([self.make_runs, workspace, str(MANY)], check=True)
        self.open(workspace)
        page = self.page(lambda p: p["count"].startswith("2"))
        self.tap.point("thousands of runs are in the table", page["names"][0] == f"mlp-{MANY}",
                       page["count"])
        self.filter("tag:keep learning-rate=0.01")
        page = self.page(lambda p: " of " in p["count"])
        self.tap.point("and are filtered", page["shows"] in ("table", "nothing"), page["count"])
        self.w.quit()

    def run(self):
        try:
            subprocess.run([self.make_runs, self.workspace, str(N)], check=True)
            self.open(self.workspace)
            for stage in (self.reads, self.fits, self.filters, self.sorts, self.columns, self.says,
                          self.pointer, self.sweep, self.menu, self.titles, self.many, self.trash,
                          self.elsewhere, self.charts, self.remembers, self.empty,
                          self.thousands):
                stage()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            state = self.w.state() if self.w and self.w.process.poll() is None else {}
            self.tap.point("the session goes on to its end", False, repr(error),
                           state.get("table"), traceback.format_exc())
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:5])).run()
