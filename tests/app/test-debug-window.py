#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""A training run stops in the window, and goes on, as TAP.

usage: test-debug-window.py WORKBENCH SLUICE SAMPLES [--pictures DIR]

On a display and a session bus of its own.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap
from workbench import Workbench, press_keys, take_picture, type_text


# A softmax that is written down as the formula has it, and a learning rate a thousand times too
# large.
NAIVE = """
add Placeholder x dtype=DT_FLOAT shape=[-1,64]
add Placeholder y dtype=DT_INT64 shape=[-1]
layer dense logits input=x:0 units=10
add Exp softmax/exp logits/output:0
add Const softmax/axis value=[1]
add Sum softmax/sum softmax/exp softmax/axis keep_dims=true
add RealDiv softmax/p softmax/exp softmax/sum
add Const labels/depth value=10
add Const labels/on value=1.0
add Const labels/off value=0.0
add OneHot labels y labels/depth labels/on labels/off
add Log loss/log softmax/p:0
add Mul loss/mul labels loss/log
add Sum loss/sum loss/mul softmax/axis
add Neg loss/neg loss/sum
add Const loss/axes value=[0]
add Mean loss/value loss/neg loss/axes
train loss/value:0 optimizer=sgd learning-rate=100
"""
NAIVE_PROJECT = """[project]
name=Naive
graph=model.pbtxt
init=init
train=train
loss=loss/value:0
[train]
steps=100000
batch=64
seed=1
[data]
source=idx
train-x={0}/train-images-idx3-ubyte.gz
train-y={0}/train-labels-idx1-ubyte.gz
scale=0.00392156862745098
shuffle=true
shape=64
x=x:0
y=y:0
"""


class Debug:
    def __init__(self, program, sluice, samples, pictures):
        self.program, self.sluice, self.samples = program, sluice, samples
        self.pictures = pictures
        self.tap = Tap()

    def picture(self, name):
        if self.pictures:
            take_picture(os.path.join(self.pictures, name + ".png"))

    def open(self, sample, workspace):
        """A copy of it: layouts are saved beside it."""
        folder = workspace + "-" + sample
        shutil.copytree(os.path.join(self.samples, sample), folder)
        path = os.path.join(folder, "project.ini")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("=../data/", f"={os.path.abspath(self.samples)}/data/")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        w = Workbench(self.program, folder, workspace)
        w.wait(lambda s: s["settled"] and s["graph"]["items"])
        return w

    def button(self, w, label):
        return w.find_accessible("button", label)

    def non_finite(self, workspace):
        """A learning rate a thousand times too large: where it shows, and a stop of the run."""
        w = self.open("digits-lenet", workspace)
        press_keys("ctrl+shift+F9")
        w.act("start-run", GLib.Variant("(sas)", ("", ["learning-rate=50"])))
        state = w.wait(lambda s: s["stop"])
        self.tap.point("the run stops at the first bad node",
                       "stopped behind L2Loss “conv1/norm” on CPU:0" in state["stop"],
                       state["stop"])
        state = w.wait(lambda s: s["graph"]["selection"] == "conv1/norm")
        self.tap.point("which is selected", True)
        text = w.until(lambda: next((o.label() for o in w.accessible().tree()
                                     if "input conv1/weights/read:0" in o.label()), None))
        self.tap.point("its inputs are finite, its output is not",
                       text and "not finite" not in text.split("output")[0]
                       and "output conv1/norm:0  float [] = inf" in text, text)
        self.picture("debug-nan")
        w.act("stop")
        state = w.wait(lambda s: s["control"] == "idle")
        self.tap.point("a stop ends the run, which need not go on to its loss", not state["stop"],
                       state["stop"])
        w.quit()

    def dots(self, state):
        """The breakpoints that the graph's page draws."""
        return {item["name"]: item["break"] for item in state["graph"]["items"]
                if "break" in item}

    def values(self, w):
        return next((o.label() for o in w.accessible().tree()
                     if o.label().startswith("input hidden")), "")

    def why(self, w):
        """Of the others it is said what they wait for; the one that it stands at needs no words."""
        for node, words in (("logits/bias_add", "waits for logits/matmul:0 (the run has stopped "
                                                "at it)"), ("hidden/relu", "has run")):
            w.act("select", GLib.Variant("s", node))
            said = w.until(lambda n=node: next((o.label() for o in w.accessible().tree() if
                                                f"'{n}' on CPU:0: " in o.label()), None))
            self.tap.point(f"{node}: {words.split(' (')[0]}", words in said, said)
        self.picture("debug-why")
        w.act("select", GLib.Variant("s", "logits/matmul"))
        w.until(lambda: not any("' on CPU:0: " in o.label() for o in w.accessible().tree()))
        self.tap.point("of the node where it stands no more is said", True)

    def change(self, w):
        """A value of the step that is stopped, and back."""
        before = w.until(lambda: self.values(w))
        press_keys("ctrl+shift+e")
        w.until(self.button(w, "Change…").is_pressed)
        press_keys("Tab")
        w.until(w.find_accessible("text box", "New value").has_focus)
        type_text("*0")
        press_keys("Return")
        w.wait(lambda s: "another value" in s["told"])
        self.tap.point("a value is changed by keys", "float [64,128], from 0 to 0"
                       in self.values(w).split("\n")[0], self.values(w))
        self.picture("debug-change")
        type_text("x")
        press_keys("Return")
        state = w.wait(lambda s: "*0x" in s["told"])
        self.tap.point("what is no value is told", "must be a number" in state["told"],
                       state["told"])
        press_keys("Escape", "ctrl+alt+e")
        w.wait(lambda s: "what it was" in s["told"])
        self.tap.point("and back", self.values(w) == before, self.values(w))

    def steps(self, workspace):
        w = self.open("digits-mlp", workspace)
        w.act("select", GLib.Variant("s", "logits/matmul"))
        w.wait(lambda s: s["graph"]["selection"] == "logits/matmul")
        press_keys("shift+F9")
        w.wait(lambda s: "logits/matmul" in s["told"])
        w.wait(lambda s: self.dots(s).get("logits/matmul") == "break")
        w.act("select", GLib.Variant("s", "init"))
        w.act("toggle-breakpoint")
        w.wait(lambda s: self.dots(s).get("init") == "break")
        press_keys("F5")
        state = w.wait(lambda s: s["stop"])
        self.tap.point("a breakpoint that a key has set stops the run that a key began",
                       state["stop"].startswith("Step 1: stopped before MatMul “logits/matmul”"),
                       state["stop"])
        state = w.wait(lambda s: self.dots(s).get("logits/matmul") == "stop"
                       and self.dots(s).get("init") == "break-idle")
        self.tap.point("the canvas shows where it stands, and what will not stop", True)
        self.tap.point("and says why", w.until(lambda: any(
            "init does not run: nothing that is fetched or run needs it" in o.label()
            for o in w.accessible().tree())))
        self.picture("debug-step")
        self.why(w)
        self.change(w)
        press_keys("ctrl+F10")
        state = w.wait(lambda s: s["stop"] and "logits/matmul" not in s["stop"])
        self.tap.point("one node further", "Step 1: stopped before" in state["stop"],
                       state["stop"])
        press_keys("ctrl+F6")
        state = w.wait(lambda s: s["stop"].startswith("Step 2"))
        self.tap.point("another key goes on to the next stop", "logits/matmul" in state["stop"],
                       state["stop"])
        w.act("select", GLib.Variant("s", "logits/matmul"))
        self.button(w, "Next stop").act()
        w.wait(lambda s: s["stop"].startswith("Step 3"))
        w.act("toggle-breakpoint")
        press_keys("ctrl+F5")
        w.wait(lambda s: not s["stop"] and s["step"] > 3)
        self.tap.point("without the breakpoint it trains on", True)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.quit()

    def inject(self, w):
        """On the line that is chosen, in the run under way."""
        press_keys("ctrl+shift+f")
        w.until(w.find_accessible("text box", "New value").has_focus)
        type_text("*0")
        press_keys("Return")
        state = w.wait(lambda s: "hidden/bias_add:0 *0 from step" in s["told"])
        self.tap.point("a key puts another value on the line", state["control"] == "paused",
                       state["told"])
        w.act("inject-value", GLib.Variant("(ss)", ("hidden/bias_add:0", "")))
        w.wait(lambda s: s["told"].startswith("hidden/bias_add:0 from step"))

    def watch(self, w):
        """A window of its own: nothing hears keys here once it is closed."""
        press_keys("Escape", "ctrl+shift+h")  # the box, not its line
        w.until(lambda: any(o.label() == "hidden/relu:0" for o in w.accessible().children()))
        w.find_accessible("tab", "Table").press()
        w.until(lambda: any(o.label().startswith("                0          1")
                            for o in w.accessible().tree()))
        self.picture("debug-watch")
        self.tap.point("a key watches its value, whose elements are a table, too", True)

    @staticmethod
    def choose_line(w, edge):
        """By keys; returns those on the way, of which none comes twice."""
        lines = []
        while not lines or (len(lines) < 4 and edge not in lines[-1]):
            press_keys("ctrl+Down")
            lines.append(w.wait(lambda s: s["graph"]["line"] not in ("", *lines))["graph"]["line"])
        return lines

    def on_a_line(self, workspace):
        """A breakpoint on a value, with a condition, made, changed and removed by keys."""
        w = self.open("digits-mlp", workspace)
        w.act("select", GLib.Variant("s", "hidden/relu"))
        w.wait(lambda s: s["graph"]["selection"] == "hidden/relu")
        press_keys("alt+1", "alt+2")
        lines = self.choose_line(w, "hidden/bias_add:0")
        self.tap.point("a key chooses the lines of the box, one after the other",
                       "hidden/bias_add:0" in lines[-1], lines)
        press_keys("ctrl+F9")
        check = w.find_accessible("checkbox", "Only where a number is not finite")
        w.until(check.has_focus)
        press_keys("Tab")
        type_text("x")
        press_keys("Return")
        wrong = w.until(lambda: next((o.label() for o in w.accessible().tree()
                                      if "is no number" in o.label()), None))
        self.tap.point("what is no condition is told in the popover", True, wrong)
        press_keys("ctrl+a")
        type_text("1e9")
        press_keys("Return")
        state = w.wait(lambda s: "hidden/bias_add:0 if |x| > 1" in s["told"])
        state = w.wait(lambda s: s["graph"]["line_breaks"])
        self.tap.point("the condition is set, and the line has its dot",
                       [one["kind"] for one in state["graph"]["line_breaks"]] == ["break"]
                       and self.dots(state).get("hidden/bias_add") == "break",
                       state["graph"]["line_breaks"])
        w.act("start-run", GLib.Variant("(sas)", ("", ["steps=1000000"])))
        w.wait(lambda s: s["step"] > 5 and not s["stop"])
        w.act("pause")  # a step as it is, and the machine is the window's
        w.wait(lambda s: s["control"] == "paused")
        self.inject(w)
        press_keys("ctrl+F9")
        w.until(w.find_accessible("checkbox", "Only where a number is not finite").has_focus)
        press_keys("Tab", "ctrl+a")
        type_text("0")
        press_keys("Return")
        w.wait(lambda s: "|x| > 0" in s["told"])
        w.act("start")
        state = w.wait(lambda s: s["stop"])
        self.tap.point("it is changed there, and the run under way stops behind the node",
                       "stopped behind BiasAdd “hidden/bias_add”" in state["stop"], state["stop"])
        self.picture("debug-line")
        w.act("select", GLib.Variant("s", "hidden/relu"))  # the stop has selected its node
        w.wait(lambda s: s["graph"]["selection"] == "hidden/relu")
        self.choose_line(w, "hidden/bias_add:0")
        press_keys("shift+F9")
        state = w.wait(lambda s: not s["graph"]["line_breaks"])
        self.tap.point("and removed", self.dots(state).get("hidden/bias_add") == "stop",
                       self.dots(state))
        w.act("debug-go")
        self.watch(w)
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.quit()

    def naive(self, folder):
        os.mkdir(folder)
        subprocess.run([self.sluice, "edit", "--new", "--script", "-", "--out",
                        os.path.join(folder, "model.pbtxt")], input=NAIVE, text=True, check=True)
        with open(os.path.join(folder, "project.ini"), "w", encoding="utf-8") as file:
            file.write(NAIVE_PROJECT.format(os.path.join(os.path.abspath(self.samples),
                                                         "data/digits")))
        return folder

    def log(self, workspace, *options):
        done = subprocess.run([self.sluice, "log", "--workspace", workspace, "--json", *options],
                              capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def edit_and_go_on(self, workspace):
        """The first bad node, a clip on what it reads, and the same run goes on; and back."""
        w = Workbench(self.program, self.naive(workspace + "-naive"), workspace)
        w.wait(lambda s: s["settled"] and s["graph"]["items"])
        press_keys("ctrl+shift+F9", "F5")
        state = w.wait(lambda s: s["stop"])
        self.tap.point("the run stops where exp overflows",
                       "Step 2: stopped behind Exp “softmax/exp”" in state["stop"], state["stop"])
        w.wait(lambda s: s["graph"]["selection"] == "softmax/exp")
        press_keys("ctrl+shift+k")
        w.until(self.button(w, "Clip…").is_pressed)
        self.picture("debug-clip")
        self.button(w, "Insert clip").act()
        w.wait(lambda s: "F5 lets the run go on" in s["told"])
        self.picture("debug-edited")
        press_keys("F5")
        told = w.wait(lambda s: "edited graph" in s["told"])["told"]
        state = w.wait(lambda s: s["step"] > 120)
        self.tap.point("the same run goes on with the edited graph",
                       state["control"] == "running" and not state["stop"]
                       and told.startswith("From step 1 on")
                       and "3 variables kept, 0 new, 0 dropped" in told, told)
        press_keys("F6")
        w.wait(lambda s: s["control"] == "paused")
        self.picture("debug-goes-on")
        runs = {one["run"] for one in self.log(workspace, "--tag", "^loss$")}
        losses = self.log(workspace, "--tag", "^loss$")[0]["values"]
        self.tap.point("and its loss falls", len(runs) == 1 and losses[1] > 10
                       and max(losses[100:120]) < losses[1] / 4, losses[:4], losses[100:120])
        events = [one for one in self.log(workspace, "--kind", "event") if one["tag"] == "edit"]
        self.tap.point("with an event that says what was done", len(events) == 1
                       and events[0]["steps"] == [1]
                       and events[0]["values"] == ["clip logits/output:0"], events)
        press_keys("ctrl+alt+z")
        state = w.wait(lambda s: "before the edit" in s["told"] and s["control"] == "paused")
        losses = self.log(workspace, "--tag", "^loss$")[0]["values"]
        self.tap.point("taken back, graph and run are what they were before",
                       state["step"] == 1 and len(losses) == 1
                       and not w.enabled("save-graph"), state["step"], len(losses))
        press_keys("F5")
        state = w.wait(lambda s: s["stop"])
        self.tap.point("so that it stops there again", "“softmax/exp”" in state["stop"],
                       state["stop"])
        w.act("stop")
        w.wait(lambda s: s["control"] == "idle")
        w.quit()

    def run(self):
        workspace = tempfile.mkdtemp()
        try:
            self.non_finite(os.path.join(workspace, "a"))
            self.steps(os.path.join(workspace, "b"))
            self.on_a_line(os.path.join(workspace, "d"))
            self.edit_and_go_on(os.path.join(workspace, "c"))
        finally:
            shutil.rmtree(workspace, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    pictures = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
    Debug(*sys.argv[1:4], pictures).run()
