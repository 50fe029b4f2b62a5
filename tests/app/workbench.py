# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The window, driven by its actions over D-Bus and by AT-SPI: on a display and a session bus of its
own (tests/lib/xvfb-test.sh), by Debian's own python3, the one that has gi."""
import json
import os
import subprocess
import time

from gi.repository import Gio, GLib

WINDOW = "/org/sluice/Workbench/window/1"
APPLICATION = "/org/sluice/Workbench"
DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
ACTIVATE = ("org.gtk.Actions", "Activate")
ATSPI = "org.a11y.atspi."
PATIENCE = 60  # seconds; a condition that does not come true in this time is a failure


def call(bus, name, path, interface, method, arguments=None):
    return bus.call_sync(name, path, interface, method, arguments, None, 0, 20000, None).unpack()


def connection_pid(bus, name):
    return call(bus, *DAEMON, "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,)))[0]


def take_picture(path):
    """Of the whole display."""
    subprocess.run(["sh", "-c", 'xwd -root -silent | convert xwd:- "$0"', path], check=True)


def press_keys(*keys):
    """One after the other, as a person presses them: where the focus is."""
    for key in keys:
        subprocess.run(["xdotool", "key", key], check=True)


def type_text(text):
    subprocess.run(["xdotool", "type", "--delay", "12", text], check=True)


# The bits of AT-SPI's set of states that tests ask for, by their numbers there.
STATES = {4: "checked", 7: "editable", 8: "enabled", 11: "focusable", 12: "focused",
          16: "modal", 20: "pressed", 23: "selected", 24: "sensitive", 25: "showing",
          30: "visible"}


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

    def description(self):
        return self._ask("org.freedesktop.DBus.Properties", "Get",
                         GLib.Variant("(ss)", (ATSPI + "Accessible", "Description")), "")

    def attributes(self):
        return self._ask(ATSPI + "Accessible", "GetAttributes", None, {})

    def states(self):
        """Those of STATES that it is in."""
        low, high = self._ask(ATSPI + "Accessible", "GetState", None, (0, 0))
        return {name for bit, name in STATES.items() if (low | high << 32) >> bit & 1}

    def has_focus(self):
        return "focused" in self.states()

    def text(self):
        """What is written in it: of a label and an entry; of other things nothing. GTK 4.8 takes -1
        for no end, and tells nothing of an entry."""
        return self._ask(ATSPI + "Text", "GetText",
                         GLib.Variant("(ii)", (0, 1 << 20)), "")

    def press(self):
        """The object's first action: a button is pressed. Was it?"""
        return self._ask(ATSPI + "Action", "DoAction", GLib.Variant("(i)", (0,)), False)

    def place(self):
        """Where it lies in its window: (x, y, width, height)."""
        return self._ask(ATSPI + "Component", "GetExtents", GLib.Variant("(u)", (1,)), (0,) * 4)

    def is_pressed(self):
        """Of a toggle button."""
        return "pressed" in self.states()

    def holds_focus(self):
        """Has it, or what is in it, the keyboard's focus?"""
        return any(o.has_focus() for o in self.tree())

    def act(self):
        if not self.press():
            raise RuntimeError(f"{self.label()} cannot be acted on")


class Workbench:
    """One run of the program."""

    def __init__(self, program, project, workspace, width=1440, settings=None, state=None,
                 height=900):
        """project: None is what was open last in the workspace. settings: by key, in the text of a
        GVariant each; an empty dictionary leaves those of the window before, which had some, as
        they are. state: where what is edited and not saved is kept; None: a folder of the
        workspace's own."""
        # What is edited and not saved is kept there, and another test opens the same samples.
        environment = {**os.environ, "SLUICE_PROBE": "1", "GSETTINGS_BACKEND": "memory",
                       "XDG_STATE_HOME": state or os.path.abspath(workspace) + "-state"}
        if settings:
            folder = os.path.join(workspace, "glib-2.0", "settings")
            os.makedirs(folder)
            with open(os.path.join(folder, "keyfile"), "w", encoding="utf-8") as file:
                file.write("[org/sluice/Workbench]\n"
                           + "".join(f"{key}={value}\n" for key, value in settings.items()))
        if settings is not None:
            environment.update(GSETTINGS_BACKEND="keyfile", XDG_CONFIG_HOME=workspace)
        self.process = subprocess.Popen(
            [program, *([project] if project else []), "--workspace", workspace,
             "--width", str(width), "--height", str(height)],
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

    def until(self, condition, longest=0.05):
        """What the condition says once it says anything true. It is asked again and again, at
        intervals that grow to the longest, in seconds."""
        end = time.monotonic() + PATIENCE
        pause = 0.002
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the workbench ended with {self.process.returncode}")
            value = condition()
            if value:
                return value
            time.sleep(pause)
            pause = min(2 * pause, longest)
        raise RuntimeError("waited in vain")

    def act(self, action, *arguments, path=WINDOW):
        call(self.bus, self.name, path, *ACTIVATE,
             GLib.Variant("(sava{sv})", (action, list(arguments), {})))

    def ask(self, action):
        """What the action prints. Its call is not waited for: a long line fills the pipe, and who
        prints it waits for us to read."""
        self.bus.call(self.name, WINDOW, *ACTIVATE,
                      GLib.Variant("(sava{sv})", (action, [], {})), None, 0, -1, None, None)
        return json.loads(self.process.stdout.readline())

    def enabled(self, action):
        return call(self.bus, self.name, WINDOW, "org.gtk.Actions", "Describe",
                    GLib.Variant("(s)", (action,)))[0][0]

    def state(self):
        """What is shown once all keys that were pressed so far are done."""
        return self.ask("dump-state")

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

    def find_in(self, tree, role, label):
        """In a graph: the pages that are not shown have theirs, too."""
        return self.until(lambda: next(
            (o for graph in self.all_accessible("tree", tree) for o in graph.tree()
             if o.role() == role and o.label() == label), None))

    def walk_to(self, holds_focus, key="Tab", press=press_keys):
        """By Tab, as somebody without a pointer goes; around the window at the most."""
        for _ in range(100):
            if holds_focus():
                return
            press(key)
            self.state()  # by then the key is done
        raise RuntimeError(f"what was wanted is not reached by {key}")

    def in_canvas(self):
        """Is the keyboard in the graph that is built?"""
        return any(o.holds_focus() for o in self.all_accessible("tree", "Graph to change"))

    def quit(self):
        self.act("quit", path=APPLICATION)
        return self.process.wait(PATIENCE)
