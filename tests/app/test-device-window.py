#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A device with memory and queues of its own in the window, as TAP.

usage: test-device-window.py WORKBENCH COMMAND SAMPLES [--pictures DIR]

On a display and a session bus of its own. The digits are trained on SIM:0, as their project says:
where nodes stand is told before and while they run, a value there is looked at, and the status line
says how full each device is. Another run gets its device, and what that is like, in the form.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, take_picture, type_text

OPTIONS = "memory=256M,latency=20us"
MEMORY = "268.4\u00a0MB"
SIZE = r"[\d.]+[ \u00a0](?:bytes|kB|MB)"


class Session:
    def __init__(self, program, command, samples, pictures):
        self.program, self.command, self.pictures = program, command, pictures
        self.folder = tempfile.mkdtemp()
        self.samples = os.path.join(self.folder, "samples")
        shutil.copytree(samples, self.samples)
        self.workspace = os.path.join(self.folder, "workspace")
        self.tap = Tap()
        self.w = None

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def says(self, *words):
        """A label on the screen that has all the words, once there is one."""
        return self.w.until(lambda: next(
            (o.label() for o in self.w.accessible().tree() if o.role() == "label"
             and all(word in o.label() for word in words) and o.place()[2] > 0), None))

    def read_project(self, folder):
        with open(os.path.join(folder, "project.ini"), encoding="utf-8") as file:
            return file.read()

    def project(self, name, **settings):
        """Its folder; settings: of [train], the others' lines stay."""
        folder = os.path.join(self.samples, name)
        text = self.read_project(folder)
        for key, value in settings.items():
            line = f"{key.replace('_', '-')}={value}\n"
            text = re.sub(rf"(?m)^{key}=.*\n", "", text).replace("[train]\n", "[train]\n" + line)
        with open(os.path.join(folder, "project.ini"), "w", encoding="utf-8") as file:
            file.write(text)
        return folder

    # ---- a project that says its device ----

    def stands(self):
        w = self.w
        w.wait(lambda s: s["settled"] and s["graph"]["items"])
        w.act("graph", GLib.Variant("s", "fit"))
        w.act("graph", GLib.Variant("s", "color-next"))
        self.tap.point("colours by device name it before there is a run", w.until(lambda: next(
            (o.label() for o in w.accessible().tree()
             if o.role() == "label" and "SIM:0" in o.label()), None)))
        self.picture("device-before")
        w.act("select", GLib.Variant("s", "conv2/relu"))
        state = w.wait(lambda s: s["inspector"].startswith("conv2/relu\n"))
        self.tap.point("the inspector says where a node would stand",
                       "\nDevice: SIM:0\n" in state["inspector"], state["inspector"])
        self.tap.point("no memory is told of a run that is not there", state["devices"] == "",
                       state["devices"])

    def looks(self):
        w = self.w
        w.act("start")
        for what, pattern in (
                ("values", r"Min · mean · max: \S+ · \S+ · \S+\n"),
                ("their history", r"mean · steps \d.* to \d"),
                ("its size", r"Output: 64×4×4×48, "),
                ("times", r"Time, this step: [\d.]+\u202f[mµ]s")):
            text = w.wait(lambda s, pattern=pattern: re.search(pattern, s["inspector"]))
            self.tap.point(f"of a node on the device: {what}", "\nDevice: SIM:0\n"
                           in text["inspector"], text["inspector"])
        self.picture("device-inspector")

    def memory(self):
        w = self.w
        state = w.wait(lambda s: s["devices"])
        line, *rows = state["devices"].split("\n")
        rows = [row.split("\t") for row in rows]
        self.tap.point("the status line tells the devices' memory", re.fullmatch(
            rf"CPU:0 {SIZE} · SIM:0 {SIZE} of {MEMORY}", line), line)
        self.tap.point("a table says more of each", [row[0] for row in rows] == ["CPU:0", "SIM:0"]
                       and rows[0][3] == "none" and rows[1][3] == MEMORY
                       and all(re.fullmatch(SIZE, row[i]) for row in rows
                               for i in (1, 2, 4)), *rows)
        w.act("pause")
        w.wait(lambda s: s["control"] == "paused")
        named = "Memory in use: " + w.state()["devices"].split("\n", maxsplit=1)[0]
        self.focus("button", named)
        press_keys("space")
        button = w.all_accessible("button", named)[-1]  # the inner one of a menu button
        w.until(lambda: "pressed" in button.states())
        self.tap.point("it opens from the line", self.says("Memory of the devices")
                       and self.says("At the most"))
        self.picture("device-table")
        press_keys("Escape")
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")

    # ---- one that is chosen in the form ----

    def focus(self, role, label):
        thing = self.w.find_accessible(role, label)
        for _ in range(300):
            if any(thing.holds_focus() for _ in range(5)):
                return thing
            press_keys("Tab")
        raise RuntimeError(f"Tab does not come to {label}")

    def field(self):
        return self.w.find_accessible("text box", "Simulated device")

    def write(self, text):
        self.focus("text box", "Simulated device")
        press_keys("ctrl+a")
        type_text(text)

    def chooses(self):
        w = self.w
        w.act("open", GLib.Variant("s", self.project("digits-mlp", steps=20)))
        w.wait(lambda s: s["settled"] and s["project"].endswith("digits-mlp"))
        w.until(lambda: w.enabled("new-run"))
        w.act("new-run")
        w.wait(lambda s: s["settled"] and s["launch"]["shows"] == "form")
        w.find_accessible("button", "Device, threads and memory").act()
        self.tap.point("what a simulated device is like is asked of none",
                       w.until(lambda: "sensitive" not in self.field().states()))
        self.focus("combo box", "Device")
        press_keys("space", "Down", "Return")
        w.until(lambda: "sensitive" in self.field().states())
        self.tap.point("and of one that is chosen", True)
        self.write("memory=lots")
        self.tap.point("what it cannot be like is told at its row",
                       self.says("memory=lots", "latency=500us"))
        self.picture("device-form")
        self.write(OPTIONS)
        press_keys("ctrl+Return")
        w.wait(lambda s: s["runs"] == 2 and s["control"] == "idle" and s["settled"])
        run = max(map(json.loads, subprocess.run(
            [self.command, "runs", "--json", "--workspace", self.workspace], capture_output=True,
            text=True, check=True).stdout.splitlines()), key=lambda run: run["id"])
        text = self.read_project(os.path.join(self.workspace, "runs", str(run["id"])))
        self.tap.point("the run's project.ini keeps both", "\ndevice=SIM:0\n" in text
                       and f"\ndevice-options={OPTIONS}\n" in text
                       and run["state"] == "finished", text, run)

    def run(self):
        try:
            self.w = Workbench(self.program, self.project(
                "digits-lenet", steps=100000, device="SIM:0", device_options=OPTIONS),
                self.workspace)
            self.stands()
            self.looks()
            self.memory()
            self.chooses()
            self.tap.point("the program ends as it should", self.w.quit() == 0)
        except Exception:
            self.tap.point("no exception", False, traceback.format_exc())
            if self.w is not None:
                self.w.process.kill()
        shutil.rmtree(self.folder)
        self.tap.end()


if __name__ == "__main__":
    arguments = [os.path.abspath(a) for a in sys.argv[1:] if a != "--pictures"]
    Session(*arguments[:3], arguments[3] if len(arguments) > 3 else None).run()
