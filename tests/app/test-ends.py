#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""However the window ends while a run is under way, the run is saved, as TAP.

usage: test-ends.py WORKBENCH PROJECT

On a display and a session bus of its own, with a session manager that this program plays.
"""
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading

from gi.repository import Gio, GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import PATIENCE, Workbench

SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1")
STOPPED = 3
MANAGER = "org.gnome.SessionManager"
CLIENT = "/org/gnome/SessionManager/Client1"
INTERFACES = """
<node>
  <interface name="org.gnome.SessionManager">
    <method name="RegisterClient">
      <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="o" direction="out"/>
    </method>
    <method name="UnregisterClient"><arg type="o" direction="in"/></method>
    <method name="Inhibit">
      <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
      <arg type="u" direction="in"/><arg type="u" direction="out"/>
    </method>
    <method name="Uninhibit"><arg type="u" direction="in"/></method>
    <property name="SessionIsActive" type="b" access="read"/>
  </interface>
  <interface name="org.gnome.SessionManager.ClientPrivate">
    <method name="EndSessionResponse">
      <arg type="b" direction="in"/><arg type="s" direction="in"/>
    </method>
    <signal name="QueryEndSession"><arg type="u"/></signal>
    <signal name="EndSession"><arg type="u"/></signal>
    <signal name="Stop"/>
  </interface>
</node>
"""


class SessionManager:
    """GNOME's, as far as a program that ends meets it."""

    def __init__(self):
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        self.calls = []
        self.client = None
        manager, client = Gio.DBusNodeInfo.new_for_xml(INTERFACES).interfaces
        for path, interface in (("/org/gnome/SessionManager", manager), (CLIENT, client)):
            self.bus.register_object(path, interface, self.called,
                                     lambda *_: GLib.Variant("b", True), None)
        self.bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                           "RequestName", GLib.Variant("(su)", (MANAGER, 0)), None, 0, -1, None)

    def called(self, _bus, sender, _path, _interface, method, arguments, invocation):
        self.calls.append(method)
        answers = {"RegisterClient": ("(o)", (CLIENT,)), "Inhibit": ("(u)", (7,))}
        if method == "RegisterClient":
            self.client = sender
        invocation.return_value(GLib.Variant(*answers[method]) if method in answers else None)

    def wait(self, condition):
        """Answers calls until the condition is true."""
        context = GLib.MainContext.default()
        late = []
        GLib.timeout_add_seconds(PATIENCE, lambda: late.append(True))
        GLib.timeout_add(20, lambda: not condition())
        while not condition() and not late:
            context.iteration(True)
        return condition()

    def say(self, name, *flags):
        arguments = GLib.Variant("(u)", flags) if flags else None
        self.bus.emit_signal(self.client, CLIENT, MANAGER + ".ClientPrivate", name, arguments)


class Ends:
    def __init__(self, program, project):
        self.program = program
        self.folder = tempfile.mkdtemp()
        samples = os.path.join(self.folder, "samples")
        shutil.copytree(os.path.dirname(project), samples)
        self.project = os.path.join(samples, os.path.basename(project))
        self.n = 0
        self.tap = Tap()

    def train(self):
        """A window with a run under way, in a workspace of its own."""
        self.n += 1
        workspace = os.path.join(self.folder, str(self.n))
        os.mkdir(workspace)
        ini = os.path.join(self.project, "project.ini")
        with open(ini, encoding="utf-8") as file:
            text = file.read()
        with open(ini, "w", encoding="utf-8") as file:
            file.writelines("steps=100000000\n" if line.startswith("steps=") else line
                            for line in text.splitlines(keepends=True))
        window = Workbench(self.program, self.project, workspace)
        window.wait(lambda s: s["settled"])
        window.act("start")
        window.wait(lambda s: s["control"] == "running" and s["step"] > 5)
        return window, workspace

    def check(self, name, window, workspace):
        status = window.process.wait(PATIENCE)
        with sqlite3.connect(os.path.join(workspace, "sluice.db")) as database:
            runs = database.execute("SELECT state, step FROM runs").fetchall()
            saved = database.execute("SELECT max (step) FROM checkpoints").fetchall()
        self.tap.point(name, status == 0 and len(runs) == 1 and runs[0][0] == STOPPED
                       and runs[0][1] == saved[0][0] > 0, status, runs, saved)

    def signals(self):
        for name in SIGNALS:
            window, workspace = self.train()
            window.process.send_signal(getattr(signal, name))
            window.process.send_signal(signal.SIGTERM)
            self.check(f"{name} saves the run and closes the window", window, workspace)

    def session(self):
        manager = SessionManager()
        window, workspace = self.train_with(manager)
        manager.say("QueryEndSession", 0)
        self.tap.point("a session that wants to end is asked to wait",
                       manager.wait(lambda: "Inhibit" in manager.calls), manager.calls)
        manager.wait(lambda: window.process.poll() is not None)
        self.check("the run is saved before it does", window, workspace)
        window, workspace = self.train_with(manager)
        manager.say("EndSession", 0)
        manager.wait(lambda: window.process.poll() is not None)
        self.check("one that does not wait finds it saved, too", window, workspace)

    def train_with(self, manager):
        """The manager answers on this program's main context, which waiting for the window would
        block: so the window is driven on a thread. GTK forgets the path of a session's client,
        and nothing in the trace of LeakSanitizer tells this from leaks of ours."""
        os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        manager.client, result = None, []
        worker = threading.Thread(target=lambda: result.append(self.train()))
        worker.start()
        manager.wait(lambda: not worker.is_alive())
        worker.join()
        return result[0]

    def lost_database(self):
        """A window on a workspace whose database is gone lists its runs again."""
        window, workspace = self.train()
        window.act("stop")
        window.wait(lambda s: s["control"] == "idle")
        window.quit()
        for name in os.listdir(workspace):
            if name.startswith("sluice.db"):
                os.unlink(os.path.join(workspace, name))
        window = Workbench(self.program, self.project, workspace)
        state = window.wait(lambda s: s["settled"])
        self.tap.point("a window opens where the database is lost", state["runs"] == 0)
        window.act("reindex-runs")
        state = window.wait(lambda s: s["runs"] == 1)
        self.tap.point("and lists its runs again", state["runs"] == 1)
        window.quit()

    def run(self):
        self.signals()
        self.lost_database()
        self.session()
        shutil.rmtree(self.folder)
        self.tap.end()


Ends(*sys.argv[1:]).run()
