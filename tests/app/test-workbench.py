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
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from gi.repository import Gio, GLib

WINDOW = "/org/sluice/Workbench/window/1"
APPLICATION = "/org/sluice/Workbench"
DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
ATSPI = "org.a11y.atspi."
PATIENCE = 60  # seconds; a condition that does not come true in this time is a failure


def call(bus, name, path, interface, method, arguments=None):
    return bus.call_sync(name, path, interface, method, arguments, None, 0, 20000, None).unpack()


def connection_pid(bus, name):
    return call(bus, *DAEMON, "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,)))[0]


class Accessible:
    """An object that assistive technology meets: AT-SPI over D-Bus, nothing remembered.

    libatspi keeps a copy of the tree that it mends while it is read; in a window that is just being
    built that is a crash now and then. What is gone by the time that it is asked has no children,
    role or label.
    """

    def __init__(self, bus, name, path):
        self.bus, self.name, self.path = bus, name, path

    def _ask(self, interface, method, arguments, absent):
        try:
            return call(self.bus, self.name, self.path, interface, method, arguments)[0]
        except GLib.Error as error:
            if error.matches(Gio.dbus_error_quark(), Gio.DBusError.UNKNOWN_OBJECT) \
                    or error.matches(Gio.dbus_error_quark(), Gio.DBusError.UNKNOWN_METHOD):
                return absent
            raise

    def children(self):
        return [Accessible(self.bus, name, path)
                for name, path in self._ask(ATSPI + "Accessible", "GetChildren", None, ())]

    def tree(self):
        yield self
        for child in self.children():
            yield from child.tree()

    def role(self):
        return self._ask(ATSPI + "Accessible", "GetRoleName", None, "")

    def label(self):
        return self._ask("org.freedesktop.DBus.Properties", "Get",
                         GLib.Variant("(ss)", (ATSPI + "Accessible", "Name")), "")

    def act(self):
        """The object's first action: a button is pressed."""
        if not self._ask(ATSPI + "Action", "DoAction", GLib.Variant("(i)", (0,)), False):
            raise RuntimeError(f"{self.label()} cannot be acted on")


class Workbench:
    """One run of the program."""

    def __init__(self, program, project, workspace, width=1440, plugins=()):
        environment = {**os.environ, "SLUICE_PROBE": "1", "GSETTINGS_BACKEND": "memory"}
        if plugins:
            settings = os.path.join(workspace, "glib-2.0", "settings")
            os.makedirs(settings)
            with open(os.path.join(settings, "keyfile"), "w", encoding="utf-8") as file:
                file.write(f"[org/sluice/Workbench]\nplugins={list(plugins)}\n")
            environment.update(GSETTINGS_BACKEND="keyfile", XDG_CONFIG_HOME=workspace)
        self.process = subprocess.Popen(
            [program, project, "--workspace", workspace, "--width", str(width),
             "--height", "900"],
            stdout=subprocess.PIPE, text=True, env=environment)
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        # The program says itself when it answers: who calls a connection before, finds one that is
        # not ready for it.
        self.name = self.process.stdout.readline().strip()
        self.until(self._has_window)
        address = call(self.bus, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")[0]
        self.a11y = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)

    def _has_window(self):
        try:
            call(self.bus, self.name, WINDOW, "org.gtk.Actions", "List")
        except GLib.Error:
            return False  # not yet
        return True

    def until(self, condition):
        """What the condition says once it says anything true. It is asked again and again."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the workbench ended with {self.process.returncode}")
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise RuntimeError("waited in vain")

    def act(self, action, *arguments, path=WINDOW):
        call(self.bus, self.name, path, "org.gtk.Actions", "Activate",
             GLib.Variant("(sava{sv})", (action, list(arguments), {})))

    def enabled(self, action):
        return call(self.bus, self.name, WINDOW, "org.gtk.Actions", "Describe",
                    GLib.Variant("(s)", (action,)))[0][0]

    def state(self):
        self.act("dump-state")
        return json.loads(self.process.stdout.readline())

    def wait(self, condition):
        def ask():
            state = self.state()
            return state if condition(state) else None
        return self.until(ask)

    def accessible(self):
        """The program's object in the accessible tree."""
        def look():
            registry = Accessible(self.a11y, "org.a11y.atspi.Registry",
                                  "/org/a11y/atspi/accessible/root")
            for child in registry.children():
                if connection_pid(self.a11y, child.name) == self.process.pid:
                    return child
            return None
        return self.until(look)

    def all_accessible(self, role, label):
        return [o for o in self.accessible().tree() if o.role() == role and o.label() == label]

    def find_accessible(self, role, label):
        return self.until(lambda: next(iter(self.all_accessible(role, label)), None))

    def quit(self):
        self.act("quit", path=APPLICATION)
        return self.process.wait(PATIENCE)


class Session:
    def __init__(self, program, project, plugin, pictures=None):
        self.program, self.plugin, self.pictures = program, plugin, pictures
        self.workspace = tempfile.mkdtemp()
        # What is opened in the window is saved beside the graph: work on a copy, with the data.
        samples = os.path.join(self.workspace, "samples")
        shutil.copytree(os.path.dirname(project), samples)
        self.project = os.path.join(samples, os.path.basename(project))
        self.number = self.failures = 0

    def point(self, name, good, detail=""):
        self.number += 1
        self.failures += not good
        print(f"{'ok' if good else 'not ok'} {self.number} - {name}")
        if not good and detail:
            print(f"# {detail}")
        sys.stdout.flush()

    def picture(self, name):
        if self.pictures:
            path = os.path.join(self.pictures, name)
            subprocess.run(["sh", "-c", 'xwd -root -silent | convert xwd:- "$0"', path + ".png"],
                           check=True)

    def open(self, project=None, **options):
        workbench = Workbench(self.program, project or self.project, self.workspace, **options)
        workbench.wait(lambda s: s["settled"])
        return workbench

    def first_look(self, w):
        state = w.state()
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
        w.act("find-text", GLib.Variant("s", "no such node"))
        state = w.state()
        self.point("a search in vain keeps the selection", "weights" in state["inspector"])

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
        w.act("resume-run")
        state = w.wait(lambda s: s["control"] == "running" and s["step"] > step)
        self.point("it goes on where it stopped", state["step"] > step)
        return w

    def two_runs(self, w):
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.act("start")
        w.wait(lambda s: s["runs"] == 2 and "digits-lenet-2" in s["charts"]["cards"]["loss"])
        self.point("two runs in one chart", True)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.act("find-text", GLib.Variant("s", "digits-lenet-2"))
        w.act("delete-run")
        state = w.wait(lambda s: s["runs"] == 1)
        self.point("a run that was found by name is deleted without a question", True)
        w.act("restore-run", GLib.Variant("x", 2))
        state = w.wait(lambda s: s["runs"] == 2)
        self.point("and comes back", "digits-lenet-2" in state["charts"]["cards"]["loss"])
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
        w = self.open(path, width=760)
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
        w = self.open(graph, plugins=(self.plugin, "/no/such/plugin.so"))
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
                   "Loop: lstm/steps/while_context" in state["inspector"], state["inspector"])
        w.until(lambda: any(o.label().startswith("scope steps, loop · 64 iterations,")
                            for o in w.accessible().tree() if o.role() == "tree item"))
        self.point("to a screen reader too", True)
        w.act("graph", GLib.Variant("s", "open"))
        w.wait(lambda s: "lstm/steps" in s["graph"]["open"] and s["settled"])
        w.act("graph", GLib.Variant("s", "fit"))
        w.wait(lambda s: s["settled"])
        self.picture("loop")
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.act("open", GLib.Variant("s", os.path.join(samples, "towers")))
        state = w.wait(lambda s: "CPU:3: 116 ops" in s["inspector"] and s["settled"])
        self.point("devices are known before anything ran", "CPU:1: 116 ops" in state["inspector"],
                   state["inspector"])
        w.find_accessible("button", "device").act()
        self.point("colours by device have a legend",
                   w.find_accessible("label", "● CPU:3 · 116 ops") is not None)
        self.picture("devices")
        w.quit()

    def without_display(self):
        path = os.path.join(self.workspace, "page.png")
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "GDK_BACKEND")}
        done = subprocess.run([self.program, "--screenshot", "graph", "--out", path, "--workspace",
                               self.workspace, self.project], capture_output=True, text=True,
                              env={**environment, "GSETTINGS_BACKEND": "memory"}, timeout=PATIENCE,
                              check=False)
        good = done.returncode == 0 and os.path.exists(path)
        self.point("a page is drawn without a display", good, done.stderr)

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
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.point("the session goes on to its end", False, str(error))
        print(f"1..{self.number}")
        shutil.rmtree(self.workspace, ignore_errors=True)
        return self.failures != 0


if __name__ == "__main__":
    sys.exit(Session(*map(os.path.abspath, sys.argv[1:])).run())
