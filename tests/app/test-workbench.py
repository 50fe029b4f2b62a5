#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A session with the workbench, driven by its actions over D-Bus and by AT-SPI, as TAP.

usage: test-workbench.py WORKBENCH PROJECT [PICTURES]   (on a display and a session bus of its own)

Start, watch, pause, step, resume, stop, open a scope, find a node, close and open again; a failed
start; the preferences. With PICTURES, a folder, the window is drawn there at each stage.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import pyatspi
from gi.repository import Gio, GLib

WINDOW = "/org/sluice/Workbench/window/1"
APPLICATION = "/org/sluice/Workbench"
PATIENCE = 60  # seconds; a condition that does not come true in this time is a failure


class Workbench:
    """One run of the program."""

    def __init__(self, program, project, workspace):
        environment = {**os.environ, "SLUICE_PROBE": "1", "GSETTINGS_BACKEND": "memory"}
        self.process = subprocess.Popen(
            [program, project, "--workspace", workspace, "--width", "1440", "--height", "900"],
            stdout=subprocess.PIPE, text=True, env=environment)
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        self.name = self.until(self._find_name)

    def _call(self, name, path, interface, method, arguments=None):
        return self.bus.call_sync(name, path, interface, method, arguments, None, 0, 20000, None)

    def _find_name(self):
        daemon = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        for name in self._call(*daemon, "ListNames").unpack()[0]:
            try:
                pid = self._call(*daemon, "GetConnectionUnixProcessID",
                                 GLib.Variant("(s)", (name,))).unpack()[0]
                if pid == self.process.pid:
                    self._call(name, WINDOW, "org.gtk.Actions", "List")
                    return name
            except GLib.Error:
                continue  # gone meanwhile, or a connection without the window
        return None

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
        self._call(self.name, path, "org.gtk.Actions", "Activate",
                   GLib.Variant("(sava{sv})", (action, list(arguments), {})))

    def enabled(self, action):
        return self._call(self.name, WINDOW, "org.gtk.Actions", "Describe",
                          GLib.Variant("(s)", (action,))).unpack()[0][0]

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
            desktop = pyatspi.Registry.getDesktop(0)
            for child in desktop:
                if child is not None and child.get_process_id() == self.process.pid:
                    return child
            return None
        return self.until(look)

    def find_accessible(self, role, name):
        def look():
            root = self.accessible()
            root.clear_cache()
            return pyatspi.findDescendant(
                root, lambda o: o.getRoleName() == role and o.name == name)
        return self.until(look)

    def quit(self):
        self.act("quit", path=APPLICATION)
        return self.process.wait(PATIENCE)


class Session:
    def __init__(self, program, project, pictures):
        self.program, self.pictures = program, pictures
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

    def open(self, project=None):
        workbench = Workbench(self.program, project or self.project, self.workspace)
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
        button = w.find_accessible("push button", "Start training")
        self.point("and offers the action, to a screen reader too", button is not None)
        button.queryAction().doAction(0)
        w.wait(lambda s: s["control"] == "running")
        self.point("the button starts a run", True)

    def watch(self, w):
        state = w.wait(lambda s: s["step"] > 20 and "loss" in s["charts"]["cards"])
        self.point("the loss is charted while it learns", state["charts"]["state"] == "cards")
        latencies, stalls = [], []
        for _ in range(10):
            last = state["step"]
            state = w.wait(lambda s, last=last: s["step"] > last or s["control"] != "running")
            latencies.append(state["latency"])
            stalls.append(state["worst_stall_ms"])
        self.picture("charts-running")
        print(f"# log call to applied point: median {sorted(latencies)[5] * 1000:.0f} ms; "
              f"longest stall of the main loop {max(stalls):.0f} ms")
        row = w.accessible()
        self.point("the window is in the accessible tree", row.childCount > 0)

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
        w.act("find-text", GLib.Variant("s", "no such node"))
        state = w.state()
        self.point("a search in vain keeps the selection", "weights" in state["inspector"])

    def stop_and_reopen(self, w):
        w.act("stop")
        state = w.wait(lambda s: s["control"] == "idle")
        step = state["step"]
        self.point("stop saves and ends", state["failure"] == "" and step > 0, state["failure"])
        self.point("closes without a word", w.quit() == 0)
        w = self.open()
        state = w.wait(lambda s: s["runs"] == 1 and "loss" in s["charts"]["cards"])
        self.point("the run is there again, with its points", True)
        w.act("resume-run")
        state = w.wait(lambda s: s["control"] == "running" and s["step"] > step)
        self.point("it goes on where it stopped", state["step"] > step)
        return w

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

    def failed_start(self):
        broken = tempfile.mkdtemp()
        for name in os.listdir(self.project):
            shutil.copy(os.path.join(self.project, name), broken)
        path = os.path.join(broken, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("batch=", "bacth=", 1))
        w = self.open(broken)
        w.act("start")
        state = w.wait(lambda s: s["failure"] != "" and s["control"] == "idle")
        self.point("a mistyped key is named with the one that is meant",
                   "bacth" in state["failure"] and "batch" in state["failure"], state["failure"])
        self.picture("failed")
        w.quit()
        shutil.rmtree(broken)

    def run(self):
        try:
            w = self.open()
            self.first_look(w)
            self.watch(w)
            self.pause_and_step(w)
            self.look_at_graph(w)
            w = self.stop_and_reopen(w)
            self.toggles(w)
            self.close_while_running(w)
            self.failed_start()
        except (RuntimeError, GLib.Error, subprocess.SubprocessError) as error:
            self.point("the session goes on to its end", False, str(error))
        print(f"1..{self.number}")
        shutil.rmtree(self.workspace, ignore_errors=True)
        return self.failures != 0


if __name__ == "__main__":
    sys.exit(Session(sys.argv[1], os.path.abspath(sys.argv[2]), (sys.argv + [None])[3]).run())
