#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What is not translated, found by a language in which every letter has an accent, as TAP.

usage: test-pseudo-locale.py WORKBENCH COMMAND SOURCE

On a display and a session bus of its own: the accessible tree is read on each page, with each
dialog and popover open. A name, a description, a text or a placeholder that has a plain word is a
failure unless the word is data. Of the command the words of its help and of what it prints.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "lib")]
import pseudo_locale
from tap import Tap
from workbench import APPLICATION, Workbench

# Names of things, dtypes and attributes of them, units and what the engine itself calls tags: not
# to be translated.
DATA = set("""dtype NHWC VALID SAME Sluice TensorFlow TensorBoard CPU NULL GPU NaN float double
half int uint int64 idx bool string resource variant complex loss evaluate gradients
true false min ms kB MB GB TB kFLOP MFLOP GFLOP TFLOP FLOP Hz SVG PDF PNG DOT CSV
SIMD MatMul Softmax Adam relu""".split())
TAGS = ("system/cpu", "system/memory", "system/steps-per-second", "system/resident",
        "system/disk-free", "system/disk-written", "system/temperature", "system/energy",
        "evaluate/")
# The toolkit's own, which come from its translations.
TOOLKIT = {"Minimize", "Minimize the window", "Maximize", "Maximize the window", "Close",
           "Close the window", "Back", "Search", "Clear entry", "Menu",
           "(None)", "Preferences", "No Results Found", "Try a different search.",
           "Shortcuts", "Search Results", "Try a different search", "Search Shortcuts",
           "Page_Up", "Page_Down"}
KEYS = {"Shift", "Ctrl", "Alt", "Return", "Escape", "Delete", "Backspace", "BackSpace", "Home",
        "End", "Menu"}
SIGNATURE = re.compile(r"([\w ]+: [\w *]+, )*[\w ]*(: [\w *]+ )?(->|→) ")  # of an op
GLIB_HELP = re.compile(r"Usage:|Help Options:|Application Options:|\[OPTION…\]|Show help options")
CLASS_NAME = re.compile(r"(Gtk|Gdk|Adw|Sluice)[A-Z]\w*$")  # of an accessible without a name


PARAMETERS = {"learning-rate": "q0"}  # of the project: names, too


# What attributes are, in TensorFlow's words, and the file that the text is of.
ATTRS = set("type shape unknown list tensor func int bool float string model pbtxt".split())


def words_of(names):
    return {word for name in names for word in re.split("[_-]", name)}


def parameters_of_layers(source):
    """They are written as they stand in commands."""
    folder = os.path.join(source, "data", "layers")
    names = set()
    for layer in os.listdir(folder):
        if layer.endswith(".layer"):
            with open(os.path.join(folder, layer), encoding="utf-8") as file:
                names |= set(re.findall(r"^parameter (\S+)", file.read(), re.M))
    return words_of(names)


def rename(project):
    """Gives nodes, tags and run names without a word: what is left of English is the program's."""
    path = os.path.join(project, "model.pbtxt")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    parts = {part for name in re.findall(r'\bname: "([^"]*)"', text) for part in name.split("/")}
    parts |= {part for tag in re.findall(r'string_val: "([^"]*)"', text) for part in tag.split("/")}
    numbers = {part: f"q{n}" for n, part in enumerate(sorted(parts)) if part and
               not part.startswith("gradients")}

    def renamed(match):
        name = re.sub(r"[^/:^@]+", lambda part: numbers.get(part[0], part[0]), match[2])
        return match[1] + name + match[3]

    text = re.sub(r'(\b(?:name|input|string_val|s|shared_name): ")([^"]*)(")', renamed, text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    path = os.path.join(project, "project.ini")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            if re.match(r"(init|train|loss|step|summaries|x|y|fetches|learning-rate)=", line):
                key, value = line.split("=", 1)
                value = re.sub(r"[^/:;]+", lambda part: numbers.get(part[0], part[0]), value)
                line = f"{PARAMETERS.get(key, key)}={value}"
            file.write(line + "\n")


class Walk:
    def __init__(self, program, command, source):
        self.program, self.command, self.source = program, command, source
        self.folder = tempfile.mkdtemp()
        self.samples = os.path.join(self.folder, "samples")
        shutil.copytree(os.path.join(source, "data", "samples"), self.samples)
        self.project = os.path.join(self.samples, "q0")
        os.rename(os.path.join(self.samples, "digits-mlp"), self.project)
        rename(self.project)
        with open(os.path.join(self.project, "model.pbtxt"), encoding="utf-8") as file:
            model = file.read()
        self.data = DATA | KEYS | ATTRS | set(re.findall(r'\bop: "(\w+)"', model))
        self.data |= words_of(re.findall(r'\bkey: "(\w+)"', model)) | parameters_of_layers(source)
        self.translations = os.path.join(self.folder, "translations")
        pseudo_locale.make(source, self.translations)
        self.environment = pseudo_locale.environment(self.translations)
        self.tap = Tap()
        self.window, self.nodes, self.verbs = None, [], set()

    # ---- the command ----

    def command_line(self, *arguments):
        """What it prints, both ways."""
        done = subprocess.run([self.command, *arguments], capture_output=True, text=True,
                              env=self.environment, check=False, cwd=self.folder)
        return done.stdout + done.stderr

    def check_command(self, name, text, data=()):
        own = GLIB_HELP.sub("", text)
        wrong = [f"{word}: {line.strip()}" for line in own.splitlines()
                 for word in pseudo_locale.plain_words(line, self.data | set(data))]
        self.tap.point(f"sluice {name}: every word is translated", text and not wrong,
                       *wrong[:20], text if not text else "")

    def help(self):
        overview = self.command_line("--help")
        verbs = re.findall(r"^  ([a-z-]+) +⟦", overview, re.M)
        self.verbs = set(verbs)
        self.tap.point("the overview lists verbs", len(verbs) > 10, overview)
        self.check_command("--help", overview, {"sluice", *verbs})
        for verb in verbs:
            text = self.command_line(verb, "--help")
            # Options are typed as they stand; so are the names of arguments, formats and tags.
            options = set(re.findall(r"[a-z]+", " ".join(re.findall(r"--[a-z-]+", text))))
            self.check_command(verb + " --help", text, {"sluice", verb, *options, *verbs})

    def outputs(self):
        workspace = ("--workspace", os.path.join(self.folder, "command"))
        names = {"sluice", "runs", "txt", "samples", "command", "train", "workspace", "step",
                 "checkpoints", "safetensors"}
        names |= set(re.findall(r"[A-Za-z]+", self.folder))
        self.check_command("train", self.command_line("train", self.project, *workspace,
                                                      "--steps", "40"), names)
        for verb in (("info",), ("info", self.project), ("check", self.project),
                     ("checkpoints", "q0"), ("place", self.project), ("reindex",),
                     ("nosuchverb",), ("train",), ("run",), ("export", "--run", "q0")):
            text = self.command_line(*verb, *(workspace if verb[0] in ("info", "checkpoints",
                                                                       "reindex") else ()))
            self.check_command(" ".join(verb[:1]), text, names | set(verb) | self.verbs)

    # ---- the window ----

    def plain_words(self, text):
        for tag in TAGS:
            text = text.replace(tag, "")
        return pseudo_locale.plain_words(text, self.data)

    def look(self, where):
        """A point: nothing that is shown or told now has a word that nobody translated."""
        wrong = set()
        for thing in self.window.accessible().tree():
            # What is in a field, somebody has typed.
            written = "" if "editable" in thing.states() else thing.text()
            texts = (thing.label(), thing.description(), written,
                     thing.attributes().get("placeholder-text", ""))
            for text in texts:
                if text in TOOLKIT or CLASS_NAME.match(text) or SIGNATURE.match(text):
                    continue
                words = self.plain_words(text)
                if words:
                    wrong.add(f"{thing.role()}: {' '.join(words)} in “{text}”")
        wrong.discard("application: sluice workbench in “sluice-workbench”")
        self.tap.point(f"{where}: every word is translated", not wrong, *sorted(wrong))

    def named(self, role, message):
        return self.window.find_accessible(role, pseudo_locale.translate(message))

    def windows(self):
        return self.window.accessible().children()

    def press(self, message):
        """A menu button's, which is two buttons in the tree: the inner one acts."""
        name = pseudo_locale.translate(message)
        self.window.until(lambda: self.window.all_accessible("button", name))
        self.window.all_accessible("button", name)[-1].act()

    def close(self, role, name):
        """Escape, until what has the name is gone."""
        subprocess.run(["xdotool", "key", "Escape"], check=True)
        self.window.until(lambda: not self.window.all_accessible(role, name))

    def drawn(self, where):
        """What is drawn only, as the window's state tells it."""
        state = self.window.state()
        texts = [item["title"] or "" for item in state["graph"]["items"]]
        texts += [line for line in state["inspector"].splitlines() if not SIGNATURE.match(line)]
        texts += [state["status"], state["failure"], state["found"]]
        texts += map(str, state["charts"]["cards"].values())
        wrong = {f"{' '.join(words)} in “{text}”" for text in texts
                 for words in [self.plain_words(text)] if words}
        self.tap.point(f"{where}: so is every word drawn", not wrong, *sorted(wrong))

    def graph(self):
        w = self.window
        self.look("graph")
        self.drawn("graph")
        w.act("graph", GLib.Variant("s", "open-all-here"))
        state = w.wait(lambda s: s["graph"]["open"] and s["settled"])
        self.drawn("open graph")
        kinds = {}
        for item in state["graph"]["items"]:
            if item["name"]:
                kinds.setdefault(item["kind"], item["name"])
        for name in [*kinds.values(), *self.nodes]:
            w.act("select", GLib.Variant("s", name))
            w.wait(lambda s, name=name: s["graph"]["selection"] == name and s["settled"])
            self.look(f"{name} selected")
            w.act("graph", GLib.Variant("s", "menu"))
            self.named("menu item", "_Zoom to it".replace("_", ""))
            self.look(f"menu of {name}")
            self.close("menu item", pseudo_locale.translate("Zoom to it"))
        self.press("More to colour by")
        self.look("more to colour by")
        subprocess.run(["xdotool", "key", "Escape"], check=True)
        for mode in ("device", "time", "bytes"):
            self.named("button", mode).act()
            self.look(f"coloured by {mode}")
        self.named("button", "structure").act()

    def search(self):
        w = self.window
        for words in ("op:matmul", "nothing like that".replace(" ", "5"), "[", "dtype:q5"):
            w.act("find")
            w.act("find-text", GLib.Variant("s", words))
            w.wait(lambda s: s["settled"])
            self.look(f"search for {words}")
        w.act("find-text", GLib.Variant("s", ""))
        subprocess.run(["xdotool", "key", "Escape"], check=True)

    def dialogs(self):
        w = self.window
        self.press("Main menu")
        self.named("menu item", "Preferences")
        self.look("main menu")
        self.close("menu item", pseudo_locale.translate("Preferences"))
        for action, path, label in (("preferences", APPLICATION, "Smoothing"),
                                    ("show-help-overlay", None, "Quit"),
                                    ("about", APPLICATION, "Build, train and understand dataflow "
                                     "graphs on your own machine.")):
            w.act(action, **({"path": path} if path else {}))
            self.named("label", label)
            if action != "about":  # most of which is the toolkit's
                self.look(action)
            for number in ("2", "3", "4"):
                for other in w.all_accessible("button", number):
                    other.act()
                    self.named("label", "Along the wires, up")
                    self.look(f"{action}, page {number}")
            subprocess.run(["xdotool", "key", "Escape"], check=True)
            w.until(lambda: len(self.windows()) == 1)
        # Without its pages, which are not messages.
        w.act("help-page", GLib.Variant("s", "q0"), path=APPLICATION)
        self.named("label", "This page is missing")
        self.look("manual")
        subprocess.run(["xdotool", "key", "Escape"], check=True)
        w.until(lambda: len(self.windows()) == 1)

    def charts(self):
        w = self.window
        w.act("show-page", GLib.Variant("s", "charts"))
        self.look("no charts yet")
        w.act("start")
        w.wait(lambda s: s["step"] > 60 and len(s["charts"]["cards"]) > 8)
        w.act("pause")
        state = w.wait(lambda s: s["control"] == "paused" and s["settled"])
        self.look("paused")
        self.drawn("paused")
        for tag in sorted(state["charts"]["cards"]):
            menu = pseudo_locale.translate("Menu of %s").replace("%s", tag)
            w.find_accessible("button", menu).act()
            pinned = self.named("menu item", "Pin to the top").label()
            self.look(f"menu of {tag}")
            self.close("menu item", pinned)
        enlarge = pseudo_locale.translate("Enlarge %s").replace("%s", TAGS[0])
        w.find_accessible("button", enlarge).act()
        w.wait(lambda s: s["charts"]["large"] == [TAGS[0]])
        for key, role, label in (("r", "text box", "Start of the horizontal axis"),
                                 ("t", "label", "Smoothed")):
            subprocess.run(["xdotool", "key", key], check=True)
            self.named(role, label)
            self.look(f"chart after {key}")
            self.close(role, pseudo_locale.translate(label))
        w.act("show-page", GLib.Variant("s", "graph"))
        w.act("select", GLib.Variant("s", self.nodes[0]))
        w.act("step")
        w.wait(lambda s: s["control"] == "paused" and s["settled"])
        self.look("a node's values")
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        self.look("stopped")

    def runs(self):
        w = self.window
        w.act("resume-from")
        self.named("label", "Accept data files that have changed")
        self.look("resume dialog")
        self.close("label", pseudo_locale.translate("Accept data files that have changed"))
        w.act("show-page", GLib.Variant("s", "runs"))
        w.wait(lambda s: s["table"]["shows"] == "table")
        self.look("table of runs")
        w.act("show-page", GLib.Variant("s", "graph"))
        w.act("find-text", GLib.Variant("s", "q0"))
        w.act("find-text", GLib.Variant("s", ""))
        w.act("delete-run")
        w.wait(lambda s: s["runs"] == 0)
        self.look("run deleted")
        w.act("restore-run", GLib.Variant("x", 1))
        w.wait(lambda s: s["runs"] == 1)

    def failure(self):
        """A loss that is not finite: the message itself is the engine's."""
        path = os.path.join(self.project, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("scale=0.00392156862745098", "scale=1e30"))
        w = self.window
        w.act("start-run", GLib.Variant("(sas)", ("", [])))
        failure = w.wait(lambda s: s["failure"] and s["control"] == "idle")["failure"]
        self.data |= set(re.findall(r"[A-Za-z]+", failure.split(". ⟦")[0]))
        self.look("failed")
        w.act("show-page", GLib.Variant("s", "charts"))
        self.look("failed, charts")

    def walk(self):
        os.environ.update(self.environment, SLUICE_HELP_DIR=os.path.join(self.folder, "q2"))
        self.data.add("index")
        with open(os.path.join(self.project, "model.pbtxt"), encoding="utf-8") as file:
            nodes = re.findall(r'name: "([^"]*)"\s+op: "(\w+)"', file.read())
        first = {op: name for name, op in reversed(nodes)}
        self.nodes = [first[op] for op in ("MatMul", "Const", "VarHandleOp", "Placeholder")]
        self.data |= set(re.findall(r"[A-Za-z]+", self.folder))  # of the recent workspaces
        self.window = Workbench(self.program, self.project, os.path.join(self.folder, "q1"))
        self.window.wait(lambda s: s["settled"])
        for stage in (self.graph, self.search, self.dialogs, self.charts, self.runs, self.failure):
            stage()
        self.tap.point("the window closes", self.window.quit() == 0)

    def run(self):
        try:
            self.help()
            self.outputs()
            self.walk()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the walk goes on to its end", False, repr(error))
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    Walk(*map(os.path.abspath, sys.argv[1:4])).run()
