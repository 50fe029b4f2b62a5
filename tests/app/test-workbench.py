#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A session with the workbench, driven by its actions over D-Bus and by AT-SPI, as TAP.

usage: test-workbench.py WORKBENCH PROJECT PLUGIN [PICTURES]

On a display and a session bus of its own:

Start, watch, pause, step, resume, stop, open a scope, find a node, close and open again; a failed
start; a loss that is not finite; an op that nobody knows; plugins; a narrow window; loops and
devices; a picture without a display. With PICTURES, a folder, the window is drawn there at each
stage.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import APPLICATION, PATIENCE, Workbench, take_picture


class Session:
    def __init__(self, program, project, plugin, pictures=None):
        self.program, self.plugin, self.pictures = program, plugin, pictures
        self.workspace = tempfile.mkdtemp()
        # What is opened in the window is saved beside the graph: work on a copy, with the data.
        samples = os.path.join(self.workspace, "samples")
        shutil.copytree(os.path.dirname(project), samples)
        self.project = os.path.join(samples, os.path.basename(project))
        self.tap = Tap()
        self.point = self.tap.point

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def open(self, project=None, **options):
        workbench = Workbench(self.program, project or self.project, self.workspace, **options)
        workbench.wait(lambda s: s["settled"])
        return workbench

    def first_look(self, w):
        # It is placed when the window has its size.
        state = w.wait(lambda s: s["settled"] and len(s["graph"]["items"]) > 5)
        self.point("opens on the sample's graph", state["page"] == "graph"
                   and len(state["graph"]["items"]) > 5, str(state["graph"])[:300])
        self.point("invites to start", w.enabled("start") and not w.enabled("pause")
                   and not w.enabled("stop"))
        w.act("show-page", GLib.Variant("s", "charts"))
        state = w.wait(lambda s: s["page"] == "charts")
        self.point("an empty page says so", state["charts"]["state"] == "empty")
        self.picture("charts-empty")
        button = w.find_accessible("button", "Start training")
        self.point("and offers the action, to a screen reader too", button is not None)
        button.act()
        w.wait(lambda s: s["control"] == "running")
        self.point("the button starts a run", True)

    def watch(self, w):
        state = w.wait(lambda s: s["step"] > 20 and "loss" in s["charts"]["cards"])
        self.point("the loss is charted while it learns", state["charts"]["state"] == "cards")
        for _ in range(10):
            last = state["step"]
            state = w.wait(lambda s, last=last: s["step"] > last or s["control"] != "running")
        self.picture("charts-running")
        print(f"# log call to pixel: median {state['latency_ms']} ms of {state['points_seen']} "
              f"points; then the loop was off {state['worst_stall_ms']:.0f} ms at most, "
              f"computed {state['worst_frame_ms']:.1f} ms for a frame, "
              f"{state['worst_other_ms']:.1f} ms beside frames")
        self.point("every point that is logged comes to the screen", state["points_seen"] > 0)
        self.point("the window is in the accessible tree", len(w.accessible().children()) > 0)

    def pause_and_step(self, w):
        w.act("pause")
        state = w.wait(lambda s: s["control"] == "paused")
        step = state["step"]
        again = w.state()
        self.point("pause stays at its step", again["step"] == step)
        w.act("step")
        state = w.wait(lambda s: s["step"] == step + 1 and s["control"] == "paused")
        self.point("one step is one step", state["step"] == step + 1)
        w.act("start")
        state = w.wait(lambda s: s["control"] == "running" and s["step"] > step + 5)
        self.point("start goes on out of a pause", state["runs"] == 1)

    def look_at_graph(self, w):
        w.act("show-page", GLib.Variant("s", "graph"))
        w.act("find-text", GLib.Variant("s", "weights"))
        state = w.wait(lambda s: "weights" in s["inspector"] and s["settled"])
        self.point("find opens the scope and selects the node",
                   any(o for o in state["graph"]["open"]), str(state["graph"])[:300])
        self.point("the inspector shows it", "output 0" in state["inspector"])
        self.picture("graph-running")
        path = os.path.join(self.workspace, "graph.svg")
        w.act("export-graph-to", GLib.Variant("s", path))
        w.until(lambda: os.path.exists(path))
        with open(path, encoding="utf-8") as file:
            self.point("the graph is exported", "<svg" in file.read(400))
        self.point("which says how many there are", " of " in state["found"], state["found"])
        w.act("find-text", GLib.Variant("s", "no such node"))
        state = w.state()
        self.point("a search in vain keeps the selection", "weights" in state["inspector"])
        self.point("and says so", "no such node" in state["found"], state["found"])
        self.walk_hits(w)

    def walk_hits(self, w):
        w.act("find-text", GLib.Variant("s", "op:matmul in:fc1"))
        state = w.wait(lambda s: s["graph"]["selection"] == "fc1/matmul" and s["settled"])
        self.point("nodes are found by op and scope", state["found"] == "1 of 1", state["found"])
        w.act("find-text", GLib.Variant("s", "conv[12]$"))
        first = w.wait(lambda s: s["found"].startswith("1 of "))
        w.act("find-next")
        second = w.wait(lambda s: s["found"].startswith("2 of "))
        w.act("find-previous")
        third = w.wait(lambda s: s["found"].startswith("1 of "))
        self.point("hits are walked to and fro", first["graph"]["selection"]
                   == third["graph"]["selection"] != second["graph"]["selection"],
                   str(second["graph"]["selection"]))
        w.act("find-text", GLib.Variant("s", "learning"))
        w.act("show-page", GLib.Variant("s", "charts"))
        w.act("find-text", GLib.Variant("s", "learning_r"))
        state = w.wait(lambda s: list(s["charts"]["cards"]) == ["learning_rate"])
        self.point("the charts are those that match", True)
        w.act("find-text", GLib.Variant("s", "nothing like that"))
        state = w.wait(lambda s: s["charts"]["state"] == "nothing")
        button = w.find_accessible("button", "Show all charts")
        self.point("none that matches says so, and offers all", button is not None)
        button.act()
        w.wait(lambda s: s["charts"]["state"] == "cards" and len(s["charts"]["cards"]) > 5)
        w.act("show-page", GLib.Variant("s", "graph"))

    def stop_and_reopen(self, w):
        w.act("stop")
        state = w.wait(lambda s: s["control"] == "idle")
        step = state["step"]
        self.point("stop saves and ends", state["failure"] == "" and step > 0, state["failure"])
        # A scope opened just before the window goes must not be lost with it.
        w.act("select", GLib.Variant("s", "logits/weights"))
        w.wait(lambda s: "logits" in s["graph"]["open"])
        self.point("closes without a word", w.quit() == 0)
        w = self.open()
        state = w.wait(lambda s: s["graph"]["open"])
        self.point("what was open is open again", "logits" in state["graph"]["open"],
                   str(state["graph"]["open"]))
        state = w.wait(lambda s: s["runs"] == 1 and "loss" in s["charts"]["cards"])
        self.point("the run is there again, with its points", True)
        w.until(lambda: w.enabled("resume-run"))
        w.act("resume-run")
        state = w.wait(lambda s: s["control"] == "running" and s["step"] > step)
        self.point("it goes on where it stopped", state["step"] > step)
        return w

    def two_runs(self, w):
        w.act("stop")
        step = w.wait(lambda s: s["control"] == "idle")["step"]
        w.act("start")
        state = w.wait(lambda s: s["control"] == "running" and s["step"] > step)
        self.point("start goes on with the selected run that was stopped", state["runs"] == 1)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.act("start-run", GLib.Variant("(sas)", ("", [])))
        w.wait(lambda s: s["runs"] == 2 and "digits-lenet-2" in s["charts"]["cards"]["loss"])
        self.point("two runs in one chart", True)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.act("find-text", GLib.Variant("s", "digits-lenet-2"))
        w.act("delete-run")
        told = "“digits-lenet-2” deleted"
        w.wait(lambda s: s["told"] == told)  # its toast goes soon
        self.point("a run that was found by name is deleted without a question, and said to be "
                   "when it is", w.state()["runs"] == 1)
        w.act("restore-run", GLib.Variant("x", 2))
        # Its points are read after it is listed.
        w.wait(lambda s: s["runs"] == 2
               and "digits-lenet-2" in s["charts"]["cards"].get("loss", ""))
        self.point("and comes back", True)
        w.until(lambda: not w.all_accessible("label", told))
        self.point("which takes the word back", True)
        for text in ("", "digits-lenet-2"):  # the run is selected again
            w.act("find-text", GLib.Variant("s", text))
        w.act("delete-run")
        state = w.wait(lambda s: s["runs"] == 1 and s["told"] == told)
        self.point("a newer word of its kind takes the place of the one before at once",
                   "Restored" not in state["toasts"], state["toasts"])
        w.act("restore-run", GLib.Variant("x", 2))
        w.wait(lambda s: s["runs"] == 2)
        w.act("find-text", GLib.Variant("s", ""))

    def toggles(self, w):
        w.act("toggle-dark", path=APPLICATION)
        w.act("show-page", GLib.Variant("s", "graph"))
        w.wait(lambda s: s["page"] == "graph" and s["settled"])
        self.picture("graph-dark")
        w.act("show-page", GLib.Variant("s", "charts"))
        w.wait(lambda s: s["page"] == "charts")
        self.picture("charts-dark")
        w.act("preferences", path=APPLICATION)
        self.point("preferences open", w.find_accessible("label", "Smoothing") is not None)

    def close_while_running(self, w):
        w.act("quit", path=APPLICATION)
        self.point("closing saves a run under way", w.process.wait(PATIENCE) == 0)

    def changed_project(self, old, new, name="project.ini"):
        """A copy of the project, beside it, with other words in one of its files."""
        folder = tempfile.mkdtemp(dir=os.path.dirname(self.project))
        shutil.copytree(self.project, folder, dirs_exist_ok=True)
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert old in text
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        return folder

    def failed_start(self):
        w = self.open(self.changed_project("batch=", "bacth="))
        w.act("start")
        state = w.wait(lambda s: s["failure"] != "" and s["control"] == "idle")
        self.point("a mistyped key is named with the one that is meant",
                   "bacth" in state["failure"] and "batch" in state["failure"], state["failure"])
        self.picture("failed")
        w.quit()

    def failed_run(self):
        w = self.open(self.changed_project("scale=0.00392156862745098", "scale=1e30"))
        w.act("start")
        state = w.wait(lambda s: s["failure"] != "" and s["control"] == "idle")
        self.point("a loss that is not finite ends the run with the node that began it",
                   "NaN" in state["failure"] and "is the first node" in state["failure"],
                   state["failure"])
        button = w.find_accessible("button", "Show the node")
        button.act()
        state = w.wait(lambda s: s["graph"]["selection"] is not None and s["settled"])
        self.point("which is one click away", state["graph"]["selection"] in state["failure"],
                   str(state["graph"]["selection"]))
        self.picture("failed-run")
        w.quit()

    def unknown_op(self):
        path = os.path.join(self.workspace, "unknown.pbtxt")
        with open(path, "w", encoding="utf-8") as file:
            file.write('node { name: "x" op: "Placeholder" '
                       'attr { key: "dtype" value { type: DT_FLOAT } } }\n'
                       'node { name: "scope/odd" op: "NobodyKnowsThis" input: "x" }\n')
        w = self.open(path, width=560)
        state = w.state()
        self.point("a narrow window folds its panes away", state["folded"])
        self.point("a graph without a project is looked at, not trained", not w.enabled("start"))
        w.act("select", GLib.Variant("s", "scope/odd"))
        state = w.wait(lambda s: s["graph"]["selection"] == "scope/odd" and s["settled"])
        self.point("an op that nobody knows is drawn, and told",
                   "no op of this name is known" in state["inspector"], state["inspector"])
        self.picture("unknown-op")
        w.quit()

        # An op that only a loss of its own would need hinders no training.
        node = 'node { name: "odd" op: "NobodyKnowsThis" input: "input/x" }\nnode {'
        w = self.open(self.changed_project("node {", node, name="model.pbtxt"))
        w.act("select", GLib.Variant("s", "odd"))
        state = w.wait(lambda s: s["graph"]["selection"] == "odd" and s["settled"])
        self.point("it says so on the node of a project", "no op of this name is known"
                   in state["inspector"], state["inspector"])
        w.act("start")
        state = w.wait(lambda s: s["step"] > 5 or s["failure"] != "")
        self.point("and the project trains without it", state["failure"] == "", state["failure"])
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        self.picture("unknown-op-trains")
        w.quit()

    def plugins(self):
        graph = os.path.join(os.path.dirname(self.project), "plugin", "mish.pbtxt")
        w = self.open(graph, settings={"plugins": [self.plugin, "/no/such/plugin.so"]})
        w.act("select", GLib.Variant("s", "y"))
        state = w.wait(lambda s: s["graph"]["selection"] == "y" and s["settled"])
        self.point("an op of a plugin is known", "softplus" in state["inspector"],
                   state["inspector"])
        self.point("a plugin that cannot be loaded is told", w.find_accessible(
            "label", "1 shared object could not be loaded") is not None)
        self.picture("plugin-failed")
        w.act("preferences", path=APPLICATION)
        self.point("why is in the preferences", w.find_accessible(
            "label", "plugin '/no/such/plugin.so' cannot be loaded: cannot open shared object "
            "file: No such file or directory") is not None)
        button = w.find_accessible("button", "Do not load plugin.so")
        button.act()
        w.until(lambda: not w.all_accessible("button", "Do not load plugin.so"))
        self.point("it can be taken off the list",
                   len(w.all_accessible("button", "Do not load mish.so")) == 1)
        w.quit()

    def loops_and_devices(self):
        samples = os.path.dirname(self.project)
        w = self.open(os.path.join(samples, "lstm"))
        w.act("step")
        w.act("select", GLib.Variant("s", "lstm/steps"))
        state = w.wait(lambda s: "Iterations in a step: 64" in s["inspector"] and s["settled"])
        self.point("a loop tells how often it went round",
                   "Loop: lstm/steps\n" in state["inspector"], state["inspector"])
        w.until(lambda: any(o.label().startswith("scope steps, loop · 64 iterations,")
                            for o in w.accessible().tree() if o.role() == "tree item"))
        self.point("to a screen reader too", True)
        w.act("graph", GLib.Variant("s", "open"))
        w.wait(lambda s: "lstm/steps" in s["graph"]["open"] and s["settled"])
        w.act("graph", GLib.Variant("s", "fit"))
        w.wait(lambda s: s["settled"])
        self.picture("loop")
        w.act("graph", GLib.Variant("s", "menu"))
        self.point("a menu says what can be done with it",
                   w.find_accessible("menu item", "Set aside") is not None)
        w.act("open", GLib.Variant("s", os.path.join(samples, "towers")))
        state = w.wait(lambda s: "CPU:3: 116 ops" in s["inspector"] and s["settled"])
        self.point("another project opens beside a run", state["control"] == "paused")
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.act("step")
        w.wait(lambda s: s["control"] == "paused"
               and "towers 2.7" in s["charts"]["cards"].get("loss", ""))
        self.point("and is what starts after it", True)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        self.shown_runs(w)
        self.point("devices are known before anything ran", "CPU:1: 116 ops" in state["inspector"],
                   state["inspector"])
        w.find_in("Graph", "button", "device").act()
        self.point("colours by device have a legend",
                   w.find_accessible("label", "● CPU:3 · 116 ops") is not None)
        self.picture("devices")
        w.quit()

    def shown_runs(self, w):
        """The workspace has runs of several projects; towers is open, and has one."""
        def wait(said, *names):
            state = w.wait(lambda s: [n for n in ("towers", "lstm", "digits-lenet-2")
                                      if f"{n} " in s["charts"]["cards"].get("loss", "")]
                           == list(names))
            self.point(said, True)
            return state

        state = wait("charts are of the open project's runs", "towers")
        self.point("the run that was begun is in front and selected", state["front"] == "towers")
        w.act("show-page", GLib.Variant("s", "charts"))
        w.act("find-text", GLib.Variant("s", "lstm"))
        w.act("find-text", GLib.Variant("s", ""))  # no tag holds that word
        state = wait("a run that is selected is shown too", "towers", "lstm")
        self.point("and in front", state["front"] == "lstm")
        self.point("a run of another project does not go on over this one's graph",
                   not w.enabled("resume-run") and not w.enabled("resume-from"))
        w.act("solo-run")
        wait("alone", "lstm")
        w.act("solo-run")
        wait("and with the others again", "towers", "lstm")
        w.act("toggle-run")
        state = wait("or hidden", "towers")
        self.point("which puts another in front", state["front"] == "towers")
        w.act("show-all-runs")
        wait("all runs can be shown", "towers", "lstm", "digits-lenet-2")
        w.act("isolate-run")
        wait("or all but one hidden", "lstm")
        w.find_accessible("button", "Show the curves of towers").act()
        wait("a run's dot shows it", "towers", "lstm")
        w.act("show-project-runs")
        wait("and the project's own are one action away", "towers", "lstm")
        w.act("show-page", GLib.Variant("s", "graph"))

    def without_display(self):
        """Where nobody watches, styles are found late: of a page that turns dark, too."""
        light, twin, dark = (os.path.join(self.workspace, name)
                             for name in ("page.png", "twin.png", "dark.png"))
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "GDK_BACKEND")}

        def draw(*arguments):
            return subprocess.run([self.program, "--screenshot", "runs", *arguments, "--workspace",
                                   self.workspace, self.project], capture_output=True, text=True,
                                  env={**environment, "GSETTINGS_BACKEND": "memory"},
                                  timeout=PATIENCE, check=False)
        done = draw("--out", light, "--dark-out", twin)
        self.point("a page is drawn without a display",
                   done.returncode == 0 and os.path.exists(light), done.stderr)
        alone = draw("--out", dark, "--dark")
        with open(twin, "rb") as one, open(dark, "rb") as other:
            self.point("turned dark it is the same as begun dark", one.read() == other.read(),
                       alone.stderr)

    def draw(self, *arguments):
        """A picture as --screenshot makes it, without a session bus: (status, words, width and
        height, bytes)."""
        path = os.path.join(self.workspace, "drawn.png")
        if os.path.exists(path):
            os.remove(path)
        environment = {k: v for k, v in os.environ.items() if k != "DBUS_SESSION_BUS_ADDRESS"}
        done = subprocess.run([self.program, "--out", path, "--workspace", self.workspace,
                               *arguments, self.project], capture_output=True, text=True,
                              env=environment, timeout=PATIENCE, check=False)
        data = b""
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read()
        return done.returncode, done.stderr, struct.unpack(">II", data[16:24] or bytes(8)), data

    def drawn_pages(self):
        """Contract of --screenshot: the size asked for, also beyond the screen's; the same bytes
        again; both themes; a page that is none."""
        size = ["--width", "1700", "--height", "1100"]
        for page in ("graph", "charts", "runs"):
            status, words, drawn, data = self.draw("--screenshot", page, *size)
            self.point(f"{page} is drawn in the size asked for", status == 0
                       and drawn == (1700, 1100), f"{drawn} {words}")
            again = self.draw("--screenshot", page, *size)[3]
            self.point(f"{page} drawn again is the same bytes", data == again)
            dark = self.draw("--screenshot", page, *size, "--dark")
            self.point(f"{page} in the dark is another picture", dark[0] == 0 and dark[3] != data)
            self.point(f"and {page} was not left in the dark",
                       self.draw("--screenshot", page, *size)[3] == data)
            twin = os.path.join(self.workspace, "twin.png")
            both = self.draw("--screenshot", page, *size, "--dark-out", twin)
            with open(twin, "rb") as file:
                self.point(f"both pictures of {page} come from one start",
                           both[3] == data and file.read() == dark[3], both[1])
            large = self.draw("--screenshot", page, *size, "--text-scale", "1.5")
            self.point(f"{page} with larger text is another picture", large[0] == 0
                       and large[3] != data)
        for page in ("timeline", "memory"):
            data = self.draw("--screenshot", page, *size)
            self.point(f"{page} drawn again is the same bytes", data[2] == (1700, 1100)
                       and self.draw("--screenshot", page, *size)[3] == data[3], data[1])
        for page in ("graph", "charts", "runs", "timeline", "memory"):
            with tempfile.TemporaryDirectory() as empty:
                drawn = self.draw("--screenshot", page, "--workspace", empty)
                self.point(f"{page} of a workspace without runs is drawn", drawn[0] == 0, drawn[1])
        closed = self.draw("--screenshot", "graph")[3]
        with open(os.path.join(self.project, "model.layout"), "rb") as file:
            kept = file.read()
        opened = self.draw("--screenshot", "graph", "--act", "win.graph::open-all")
        with open(os.path.join(self.project, "model.layout"), "rb") as file:
            self.point("what a picture opens is not kept beside the graph", opened[0] == 0
                       and opened[3] != closed and file.read() == kept, opened[1])
        narrow = self.draw("--screenshot", "graph", "--width", "480", "--height", "300")
        self.point("a picture may be narrower than the window", narrow[2] == (480, 300))
        status, words, _, data = self.draw("--screenshot", "nonsense")
        self.point("a page that there is none of is refused", status == 2 and not data
                   and "graph, charts" in words, words)
        self.point("a size beyond all bounds is refused",
                   self.draw("--screenshot", "graph", "--width", "40000")[0] == 2)

    def run(self):
        try:
            w = self.open()
            self.first_look(w)
            self.watch(w)
            self.pause_and_step(w)
            self.look_at_graph(w)
            w = self.stop_and_reopen(w)
            self.two_runs(w)
            self.toggles(w)
            w.act("start")
            w.wait(lambda s: s["control"] == "running")
            self.close_while_running(w)
            self.failed_start()
            self.failed_run()
            self.unknown_op()
            self.plugins()
            self.loops_and_devices()
            self.without_display()
            self.drawn_pages()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.point("the session goes on to its end", False, str(error))
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:])).run()
