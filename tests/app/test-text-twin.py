#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The graph is changed as text, with real keys, as TAP.

usage: test-text-twin.py WORKBENCH COMMAND PROJECT

What is typed becomes a command, what is wrong is said with its line and column and changes nothing,
the caret's node is the selection, comments are saved.
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
from workbench import Workbench, press_keys, type_text

# What a run sets in the graph is none of the graph's that is edited.
OVERRIDDEN = """first=hidden/initial/TruncatedNormal:seed
[overrides]
first=99
"""
PICTURES = os.environ.get("SLUICE_PICTURES")  # a folder, to look at them


class Twin:
    def __init__(self, tap, command, w, project):
        self.tap, self.command, self.w = tap, command, w
        self.model = os.path.join(project, "model.pbtxt")
        with open(self.model) as file:
            self.lines = file.read().split("\n")

    def state(self, condition):
        return self.w.wait(lambda s: condition(s["build"]))["build"]

    def text(self, condition):
        return self.state(lambda b: condition(b["text"]))["text"]

    def picture(self, name):
        if PICTURES:
            subprocess.run(["import", "-window", "root",
                            os.path.join(PICTURES, name + ".png")], check=True)

    def line_of(self, node):
        """On which the block of the node begins, from 1."""
        return self.lines.index(f'  name: "{node}"')

    def select(self, node):
        self.w.act("select", GLib.Variant("s", node))
        self.w.wait(lambda s: s["graph"]["selection"] == node)
        self.w.act("show-page", GLib.Variant("s", "build"))
        return self.text(lambda t: t["node"] == node and t["block"])

    def click(self):
        """The pointer brings the focus into the text."""
        view = self.w.find_accessible("text box", "Text of the graph")
        x, y, width, height = view.place()
        subprocess.run(["xdotool", "mousemove", str(x + width // 2), str(y + height // 2), "click",
                        "1"], check=True)
        self.w.until(view.has_focus)

    def go_to(self, node, lines):
        """To the end of a line of its block, by keys."""
        line = self.line_of(node)
        press_keys("ctrl+f", "ctrl+a")
        type_text(f'name: "{node}"')
        self.text(lambda t: t["place"].startswith(f"line {line + 1},"))
        press_keys("Escape", *["Down"] * (lines - 1), "End")
        end = len(self.lines[line + lines - 1]) + 1
        self.text(lambda t: t["place"] == f"line {line + lines}, column {end}")
        return line + lines

    def shown(self):
        self.w.act("show-page", GLib.Variant("s", "build"))
        text = self.text(lambda t: t["state"] == "valid")
        self.tap.point("the text of the file is there", text["lines"] == len(self.lines), text)
        view = self.w.find_accessible("text box", "Text of the graph")
        self.tap.point("and read to whoever does not see it",
                       view.text().startswith("\n".join(self.lines[:40])), view.text()[:80])
        text = self.select("hidden/relu")
        self.tap.point("what is selected stands out in it",
                       text["block"][0] == self.line_of("hidden/relu")
                       and text["place"].startswith(f"line {text['block'][0]},"), text)
        self.picture("selected")
        self.click()

    def typed(self):
        line = self.go_to("hidden/relu", 2)
        press_keys("Left", "BackSpace", "BackSpace", "BackSpace", "BackSpace")
        type_text("Elu")  # nothing that it begins with is an op: a pause makes no command
        state = self.state(lambda b: b["n-undo"] > 0 and b["text"]["state"] == "valid")
        self.tap.point("what is typed becomes one command",
                       state["n-undo"] == 1 and "edit hidden/relu as text" in state["undo"],
                       state["undo"])
        press_keys("End")
        type_text(" zzz")
        text = self.text(lambda t: t["problem"])
        self.tap.point("what is wrong is said with line and column",
                       text["problem"].startswith(f"line {line}, column ")
                       and text["state"] == "not valid", text)
        self.picture("wrong")
        self.tap.point("and leaves the graph as it was", self.w.state()["build"]["n-undo"] == 1)
        press_keys(*["BackSpace"] * 4)
        text = self.text(lambda t: t["state"] == "valid")
        self.tap.point("until it is right again", not text["problem"]
                       and self.w.state()["build"]["n-undo"] == 1, text)

    def taken_back(self):
        press_keys("ctrl+z")
        self.state(lambda b: b["n-redo"] == 1 and b["text"]["state"] == "valid")
        view = self.w.find_accessible("text box", "Text of the graph")
        self.tap.point("undo is the document's", view.text() == "\n".join(self.lines))

    def arranged(self, node):
        layout = os.path.join(os.path.dirname(self.model), "model.layout")

        def has_line():
            with open(layout, encoding="utf-8") as file:
                return f"moved {node} 20 0\n" in file.read()
        self.w.until(lambda: os.path.exists(layout) and has_line())

    def renamed(self):
        """A name that is typed is one command, and what was arranged goes along."""
        self.w.act("edit", GLib.Variant("s", 'layout moved "+moved hidden/relu 20 0"'))
        n = self.state(lambda b: b["n-redo"] == 0 and b["n-undo"] > 0)["n-undo"]
        self.arranged("hidden/relu")
        self.click()
        self.go_to("hidden/relu", 1)
        press_keys("Left")
        type_text("2")
        state = self.state(lambda b: b["n-undo"] == n + 1 and b["text"]["state"] == "valid")
        self.picture("renamed")
        self.tap.point("a name that is typed is a rename",
                       state["undo"] == "Undo “rename hidden/relu to hidden/relu2”", state["undo"])
        view = self.w.find_accessible("text box", "Text of the graph")
        self.w.until(lambda: 'input: "hidden/relu2"' in view.text())
        self.tap.point("whoever reads it follows", True)
        self.arranged("hidden/relu2")
        press_keys("ctrl+z")
        self.state(lambda b: b["n-undo"] == n and b["text"]["state"] == "valid")
        self.w.until(lambda: view.text() == "\n".join(self.lines))
        self.tap.point("one step takes it back", True)
        self.arranged("hidden/relu")
        press_keys("ctrl+z")
        self.state(lambda b: b["n-undo"] == n - 1)

    def follows(self):
        end = self.line_of("hidden/relu")
        self.go_to("hidden/bias_add", 1)
        self.state(lambda b: b["canvas"]["selection"] == "hidden/bias_add")
        press_keys(*["Down"] * (end - self.line_of("hidden/bias_add")))
        state = self.state(lambda b: b["text"]["node"] == "hidden/relu")
        self.tap.point("the caret's node is selected in the picture",
                       state["canvas"]["selection"] == "hidden/relu"
                       and state["text"]["block"][0] == end, state["text"])
        self.w.act("edit", GLib.Variant("s", "add Identity extra hidden/relu"))
        text = self.text(lambda t: t["lines"] > len(self.lines))
        self.tap.point("a command adds its lines", text["state"] == "valid", text)

    def comments(self):
        line = self.line_of("hidden/relu")
        press_keys("End")
        type_text("  # bends")
        place = f"line {line + 1}, column {len(self.lines[line]) + 10}"
        state = self.state(lambda b: b["text"]["state"] == "valid" and b["text"]["place"] == place)
        self.tap.point("a comment is no command", state["n-undo"] == 1
                       and state["saved"].startswith("not saved"), state)
        self.w.find_accessible("button", "Save").act()
        self.state(lambda b: b["saved"].startswith("saved"))
        with open(self.model) as file:
            saved = file.read()
        self.tap.point("and is saved, with all others",
                       self.lines[line] + "  # bends\n" in saved
                       and saved.startswith("\n".join(self.lines[:2]))
                       and 'name: "extra"' in saved)
        checked = subprocess.run([self.command, "check", self.model], capture_output=True,
                                 text=True, check=False)
        self.tap.point("into a sound file", checked.returncode == 0, checked.stderr)

    def inspected(self):
        """An attribute is set in its row, by keys, and one that cannot be says why there."""
        node = "hidden/initial/TruncatedNormal"
        n = self.select(node) and self.w.state()["build"]["n-undo"]
        seed = self.w.find_accessible("text box", "seed")
        self.tap.point("a row tells what the op's definition says, and what the file has",
                       seed.description() == "int · default 0" and seed.text() == "1",
                       (seed.description(), seed.text()))
        x, y, width, height = seed.place()
        subprocess.run(["xdotool", "mousemove", str(x + width // 2), str(y + height // 2),
                        "click", "1"], check=True)
        self.w.until(seed.has_focus)
        text = self.text(lambda t: t["attr"] == "seed" and t["field"])
        self.tap.point("its lines stand out in the text", text["node"] == node, text)
        press_keys("ctrl+a")
        type_text("soon")
        press_keys("Return")
        self.w.until(lambda: [o for o in self.w.accessible().tree()
                              if "soon" in o.text() and o.role() == "label"])
        self.tap.point("a value that cannot be says why", self.w.state()["build"]["n-undo"] == n)
        press_keys("ctrl+a")
        type_text("7")
        press_keys("Return")
        state = self.state(lambda b: b["n-undo"] == n + 1)
        self.picture("attributes")
        self.tap.point("one that can is a command", node in state["undo"], state["undo"])
        view = self.w.find_accessible("text box", "Text of the graph")
        self.w.until(lambda: "i: 7" in view.text())

    def put(self, name, value):
        """A row's field is set by keys."""
        field = self.w.find_accessible("text box", name)
        x, y, width, height = field.place()
        subprocess.run(["xdotool", "mousemove", str(x + width // 2), str(y + height // 2),
                        "click", "1"], check=True)
        self.w.until(field.has_focus)
        press_keys("ctrl+a")
        type_text(value)
        press_keys("Return")

    def layer(self):
        """Parameters of a layer are rows, too; a button takes it apart."""
        self.w.act("edit", GLib.Variant("s", "layer dense wide input=hidden/relu units=12"))
        self.w.act("select", GLib.Variant("s", "wide"))
        self.w.act("show-page", GLib.Variant("s", "build"))
        n = self.state(lambda b: b["canvas"]["selection"] == "wide")["n-undo"]
        units = self.w.find_accessible("text box", "units")
        self.tap.point("a layer's parameters are told as its template has them",
                       units.text() == "12"
                       and units.description()
                       == "How many values it makes\nint, at least 1 · no default",
                       (units.text(), units.description()))
        self.put("units", "0")
        self.w.until(lambda: [o for o in self.w.accessible().tree()
                              if o.role() == "label" and "units is 0" in o.text()])
        self.tap.point("what cannot be says why", self.w.state()["build"]["n-undo"] == n)
        self.put("units", "20 bias=false")
        self.w.until(lambda: [o for o in self.w.accessible().tree()
                              if o.role() == "label" and "several values" in o.text()])
        self.put("units", "20")
        state = self.state(lambda b: b["n-undo"] == n + 1)
        self.tap.point("another value makes it again in its place",
                       state["undo"] == "Undo “change the layer wide”"
                       and state["canvas"]["selection"] == "wide", state["undo"])
        self.picture("layer")
        self.w.find_accessible("button", "Take apart").act()
        state = self.state(lambda b: b["n-undo"] == n + 2)
        self.tap.point("and is taken apart", "take the layer wide apart" in state["undo"],
                       state["undo"])

    def block(self):
        """What was taken apart becomes a block, by the inspector's buttons and a key."""
        n = self.w.state()["build"]["n-undo"]
        self.w.find_accessible("button", "Make a block").act()
        self.state(lambda b: b["n-undo"] == n + 1)
        self.w.find_accessible("button", "One more").act()
        self.state(lambda b: b["n-undo"] == n + 2)
        self.w.act("edit", GLib.Variant("s", "insert Relu wide/first wide/in_0"))
        self.w.find_accessible("button", "Apply to the other").act()
        state = self.state(lambda b: b["n-undo"] == n + 4)
        view = self.w.find_accessible("text box", "Text of the graph")
        self.w.until(lambda: 'name: "wide_1/first"' in view.text())
        self.tap.point("what is changed in one of a block is done to the other",
                       "make all others be as wide" in state["undo"], state["undo"])
        self.w.act("show-page", GLib.Variant("s", "build"))

    def found(self):
        self.click()
        press_keys("ctrl+f", "ctrl+a")
        type_text("logits/matmul\"")
        state = self.state(lambda b: b["text"]["place"].startswith(
            f"line {self.line_of('logits/matmul') + 1},"))
        self.tap.point("Ctrl+F finds in the text", True, state["text"])
        press_keys("Escape")

    def folded(self):
        press_keys("ctrl+t")
        self.text(lambda t: not t["shown"])
        self.w.act("show-page", GLib.Variant("s", "build"))
        self.w.find_accessible("button", "Text").act()
        text = self.text(lambda t: t["shown"])
        self.tap.point("Ctrl+T folds the text away, a button shows it again", text["shown"], text)

    def run(self):
        self.w.wait(lambda s: s["settled"] and s["graph"]["items"])
        self.shown()
        self.typed()
        self.taken_back()
        self.renamed()
        self.follows()
        self.comments()
        self.inspected()
        self.layer()
        self.block()
        self.found()
        self.folded()


def main():
    program, command, project = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "samples", os.path.basename(project))
        shutil.copytree(os.path.dirname(project), os.path.dirname(copy))
        with open(os.path.join(copy, "project.ini"), "a") as file:
            file.write(OVERRIDDEN)
        w = Workbench(program, copy, os.path.join(folder, "workspace"))
        try:
            Twin(tap, command, w, copy).run()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError):
            tap.point("the session goes on to its end", False, traceback.format_exc(),
                      w.state()["build"]["text"])
        finally:
            w.quit()
    tap.end()


if __name__ == "__main__":
    main()
