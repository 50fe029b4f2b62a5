#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""What the desktop is told of a run's end, and what its buttons do, as TAP.

usage: test-notifications.py WORKBENCH COMMAND PROJECT

On a display and a session bus of its own, with a notification service of the test's.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from gi.repository import Gio, GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench

SERVICE = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
INTERFACE = f"""<node><interface name="{SERVICE}">
  <method name="GetCapabilities"><arg direction="out" type="as"/></method>
  <method name="GetServerInformation"><arg direction="out" type="s"/><arg direction="out" type="s"/>
    <arg direction="out" type="s"/><arg direction="out" type="s"/></method>
  <method name="Notify"><arg direction="in" type="s"/><arg direction="in" type="u"/>
    <arg direction="in" type="s"/><arg direction="in" type="s"/><arg direction="in" type="s"/>
    <arg direction="in" type="as"/><arg direction="in" type="a{{sv}}"/>
    <arg direction="in" type="i"/>
    <arg direction="out" type="u"/></method>
  <method name="CloseNotification"><arg direction="in" type="u"/></method>
  <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
  <signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal>
</interface></node>"""


class Desktop:
    """The notification service, in a thread of its own: shown is all that it was told."""

    def __init__(self):
        self.shown, self.bus = [], None
        ready = threading.Event()
        threading.Thread(target=self._serve, args=(ready,), daemon=True).start()
        ready.wait()

    def _serve(self, ready):
        context = GLib.MainContext()
        context.push_thread_default()
        address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SESSION, None)
        self.bus = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        self.bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0],
                                 self._called, None, None)
        self.bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                           "RequestName", GLib.Variant("(su)", (SERVICE, 4)), None, 0, -1, None)
        ready.set()
        GLib.MainLoop.new(context, False).run()

    def _called(self, _bus, _sender, _path, _interface, method, arguments, invocation):
        if method == "Notify":
            self.shown.append(arguments.unpack())
            answer = GLib.Variant("(u)", (len(self.shown),))
        elif method == "GetCapabilities":
            answer = GLib.Variant("(as)", (["actions", "body"],))
        elif method == "GetServerInformation":
            answer = GLib.Variant("(ssss)", ("test", "test", "1", "1.2"))
        else:
            answer = None
        invocation.return_value(answer)

    def press(self, label):
        """A button of the newest notification."""
        actions = self.shown[-1][5]
        action = dict(zip(actions[1::2], actions[::2]))[label]
        self.bus.emit_signal(None, PATH, SERVICE, "ActionInvoked",
                             GLib.Variant("(us)", (len(self.shown), action)))


class Session:
    def __init__(self, program, command, project):
        self.program, self.command = program, command
        self.folder = tempfile.mkdtemp()
        samples = os.path.join(self.folder, "samples")
        shutil.copytree(os.path.dirname(project), samples)
        self.project = os.path.join(samples, os.path.basename(project))
        self.tap = Tap()
        self.desktop = Desktop()

    def change(self, *pairs):
        path = os.path.join(self.project, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def open(self, **settings):
        window = Workbench(self.program, self.project, self.folder, settings=settings)
        window.wait(lambda s: s["settled"])
        return window

    @staticmethod
    def look_away():
        """The root window gets the focus, and the pointer, which could bring it back."""
        root = subprocess.run(["xdotool", "search", "--maxdepth", "0", "--name", ".*"], check=True,
                              capture_output=True, text=True).stdout.strip()
        subprocess.run(["xdotool", "mousemove", "1598", "998", "windowfocus", root], check=True)

    def run_to_its_end(self, window):
        self.look_away()
        window.act("start-run", GLib.Variant("(sas)", ("", [])))
        return window.wait(lambda s: s["control"] == "idle" and s["step"] > 0)

    def events(self, run):
        """What happened to a run, as the command tells it."""
        return subprocess.run([self.command, "log", "--workspace", self.folder, "--run", run,
                               "--kind", "event"], capture_output=True, text=True,
                              check=False).stdout

    def run(self):
        desktop, tap = self.desktop, self.tap
        self.change(("steps=10000", "steps=30"))
        w = self.open(notify="true")
        self.run_to_its_end(w)
        w.until(lambda: desktop.shown)
        tap.point("a run that has finished is told", desktop.shown[0][3].endswith("has finished")
                  and "30" in desktop.shown[0][4], desktop.shown)
        tap.point("with a button, and no way to resume it",
                  "Show" in desktop.shown[0][5] and "Resume" not in desktop.shown[0][5],
                  desktop.shown[0][5])
        self.run_to_its_end(w)
        w.until(lambda: len(desktop.shown) == 2)
        desktop.press("Show")
        w.wait(lambda s: s["front"] == "digits-mlp-2")
        tap.point("the button shows the run", True)

        self.change(("[parameters]", "[alert low]\nmetric=loss\nbelow=1e9\n\n[parameters]"))
        self.run_to_its_end(w)
        w.until(lambda: len(desktop.shown) == 4)
        alerts = [shown for shown in desktop.shown[2:] if shown[3] == "Alert of digits-mlp-3"]
        tap.point("an alert of the project is told, once", len(alerts) == 1
                  and alerts[0][4].startswith("low: loss is"), desktop.shown[2:])
        self.change(("[alert low]\nmetric=loss\nbelow=1e9\n\n[parameters]", "[parameters]"))

        self.change(("scale=0.00392156862745098", "scale=1e30"))
        self.look_away()
        w.act("start-run", GLib.Variant("(sas)", ("", [])))
        w.wait(lambda s: s["control"] == "idle" and s["failure"])
        w.until(lambda: len(desktop.shown) == 5)
        tap.point("a run that goes to NaN is told so", "NaN" in desktop.shown[4][3]
                  and "The loss is NaN at step" in desktop.shown[4][4], desktop.shown[4])
        desktop.press("Show")
        state = w.wait(lambda s: s["front"] == "digits-mlp-4" and s["page"] == "timeline"
                       and s["timeline"]["n_steps"])
        tap.point("and opens at that moment", ".sltrace" in state["timeline"]["file"]
                  and state["timeline"]["step"] == state["step"], state["timeline"])
        # Whoever looks has seen it, and it is gone: another one for the other button.
        self.look_away()
        w.act("start-run", GLib.Variant("(sas)", ("", [])))
        w.until(lambda: len(desktop.shown) == 6)
        w.wait(lambda s: s["control"] == "idle" and s["front"] == "digits-mlp-5")
        desktop.press("Resume")
        w.until(lambda: "resume" in self.events("digits-mlp-5"))
        tap.point("it goes on from its button", w.state()["runs"] == 5)
        w.wait(lambda s: s["control"] == "idle")
        w.quit()

        self.change(("scale=1e30", "scale=0.00392156862745098"))
        shutil.rmtree(os.path.join(self.folder, "glib-2.0"))
        told = len(desktop.shown)
        w = self.open(notify="false")
        self.run_to_its_end(w)
        w.state()
        tap.point("nothing is told where the setting is off", len(desktop.shown) == told,
                  desktop.shown[told:])
        w.quit()
        shutil.rmtree(self.folder)
        tap.end()


if __name__ == "__main__":
    Session(*map(os.path.abspath, sys.argv[1:4])).run()
