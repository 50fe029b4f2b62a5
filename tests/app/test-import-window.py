#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""Logs of other programs brought into the window, as TAP.

usage: test-import-window.py WORKBENCH PROJECT

On a display and a session bus of its own. Pictures are left in $SLUICE_TEST_PICTURES.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from event_logs import gray_png, image, scalar, version
from tap import Tap
from workbench import Workbench, take_picture


class Window:
    def __init__(self, program, project):
        self.program, self.project = program, project
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.tap = Tap()

    def write(self, name, *parts):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(parts))
        return str(path)

    def picture(self, name):
        folder = os.environ.get("SLUICE_TEST_PICTURES")
        if folder:
            take_picture(os.path.join(folder, f"import-{name}.png"))

    def bring_in(self, w, path):
        """The state once all of it is there."""
        w.act("import-path", GLib.Variant("s", path))
        return w.wait(lambda s: not s["importing"] and s["import"] != "" and s["settled"])

    def good(self, w):
        for run, slope in (("train", 1), ("eval", 2)):
            self.write(f"logs/{run}/events.out.tfevents.1.host", version(),
                       *(scalar(tag, step, slope * step) for step in range(2000)
                         for tag in ("accuracy", "cost")))
        self.write("logs/eval/events.out.tfevents.2.host", version(),
                   *(scalar("accuracy", step, 7) for step in range(1500, 2500)))
        self.tap.point("nothing is said before", w.state()["import"] == "")
        state = self.bring_in(w, str(self.folder / "logs"))
        self.tap.point("runs and points are told in words",
                       state["import"] == "2 runs imported: 9000 scalars", state["import"])
        state = w.wait(lambda s: {"accuracy", "cost"} <= set(s["charts"]["cards"]))
        self.tap.point("their cards stand beside those of the open project", True)
        self.picture("good")
        self.tap.point("their rows are in the tree", w.until(lambda: all(any(
            o.label().startswith(name) for o in w.accessible().tree())
            for name in ("train", "eval"))))
        self.tap.point("what came of it is in the tree", w.until(lambda: any(
            o.label() == state["import"] for o in w.accessible().tree())))
        self.tap.point("there is nothing to cancel any more", not w.enabled("cancel-import"))
        w.find_accessible("button", "Dismiss")
        w.act("dismiss-import")
        self.tap.point("and it goes when it is dismissed", w.wait(lambda s: s["import"] == ""))

    def followed(self, w):
        """What is added to imported logs, and what is not while they are not followed."""
        path = self.folder / "logs" / "train" / "events.out.tfevents.1.host"

        def add(*steps):
            with open(path, "ab") as file:
                file.write(b"".join(scalar("cost", step, 5) for step in steps))

        def last(step):
            words = f"step {step:,}".replace(",", "\u202f")
            return lambda s: words in s["charts"]["cards"].get("cost", "")

        add(2000, 2001)
        self.tap.point("what is added to a file is read", w.wait(last(2001)))
        self.write("logs/late/events.out.tfevents.1.host", version(), scalar("cost", 3000, 1))
        self.tap.point("a run that comes later is shown", w.wait(lambda s: s["runs"] == 3))
        w.act("follow-logs")
        add(2002)
        state = self.bring_in(w, str(self.folder / "logs"))
        self.tap.point("nothing is read where it is not wanted",
                       state["import"] == "3 runs imported: 1 scalar", state["import"])
        w.act("follow-logs")
        add(2003)
        self.tap.point("it goes on", w.wait(last(2003)))

    def bad(self, w):
        path = self.write("torn/events.out.tfevents.1.host", version(), scalar("cost", 0, 1),
                          scalar("cost", 1, 2)[:-2])
        state = self.bring_in(w, path)
        self.tap.point("damage is told by file and byte", state["import"].endswith(
            f"byte {len(version() + scalar('cost', 0, 1))}: the file ends within a record"),
                       state["import"])
        self.picture("damaged")
        state = self.bring_in(w, str(self.folder / "nowhere"))
        self.tap.point("what is not there is told", "nowhere" in state["import"]
                       and "imported" in state["import"], state["import"])
        self.picture("nowhere")
        state = self.bring_in(w, str(self.folder / "logs"))
        self.tap.point("nothing new is told", state["import"] == "3 runs imported: nothing new",
                       state["import"])

    def odd(self, w):
        """Names that are no names, images that no screen has room for, tags by the thousand."""
        names = ["", "  ", "x" * 10000, "a\nb\x01c", "\u202eknil", "\u05e9\u05dc\u05d5\u05dd/x",
                 "../../etc", "<b>&amp;", "/a//b/"]
        self.write("odd/events.out.tfevents.1.host", version(),
                   *(scalar(name, step, step) for name in names for step in range(3)),
                   image("large", 0, 20000, 20000, gray_png(20000, 20000)),
                   image("large", 1, 20000, 1, gray_png(20000, 1)),
                   image("none", 0, 2**31 - 1, 5, b"no picture"))
        self.write("odd/many/events.out.tfevents.1.host", version(),
                   *(scalar(f"many/{i}", 0, i) for i in range(20100)))
        self.bring_in(w, str(self.folder / "odd"))
        w.act("show-page", GLib.Variant("s", "charts"))
        w.act("show-all-runs")
        w.ask("dump-costs")
        state = w.wait(lambda s: s["settled"] and len(s["charts"]["order"]) >= 20100)
        self.tap.point("twenty thousand tags are all there",
                       {f"many/{i}" for i in range(20100)} <= set(state["charts"]["order"]))
        self.tap.point("odd names have their cards", len(state["charts"]["cards"]) > 0
                       and set(names[3:]) <= set(state["charts"]["order"]),
                       set(names[3:]) - set(state["charts"]["order"]))
        self.picture("odd")
        for tag in ("large", "none"):
            w.act("find-text", GLib.Variant("s", tag))
            w.wait(lambda s, tag=tag: s["settled"] and s["charts"]["order"] == [tag])
            self.picture(f"odd-{tag}")
        self.tap.point("images of any size are cards, and so is what is none", True)
        w.act("find-text", GLib.Variant("s", ""))

    def gone(self, w):
        """What vanished or is another file meanwhile."""
        path = self.folder / "logs" / "train"
        shutil.rmtree(path)
        state = self.bring_in(w, str(self.folder / "logs"))
        self.tap.point("a run whose files are gone stays as it is", "imported" in state["import"]
                       and w.state()["runs"] >= 3, state["import"])
        self.write("logs/train", b"not a folder any more")
        state = self.bring_in(w, str(self.folder / "logs"))
        self.tap.point("nor is it lost where something else has its name",
                       w.state()["runs"] >= 3, state["import"])

    def run(self):
        try:
            w = Workbench(self.program, self.project, str(self.folder / "workspace"))
            w.wait(lambda s: s["settled"])
            self.good(w)
            self.followed(w)
            self.bad(w)
            self.odd(w)
            self.gone(w)
            w.quit()
            w = Workbench(self.program, self.project, str(self.folder / "workspace"))
            w.act("show-page", GLib.Variant("s", "charts"))
            self.tap.point("in a window that finds them there they are charted at once", w.wait(
                lambda s: s["settled"] and s["charts"]["cards"].get("cost")))
            self.tap.point("the window ends well", w.quit() == 0)
        except (RuntimeError, StopIteration, GLib.Error, subprocess.SubprocessError) as error:
            self.tap.point("the session goes on to its end", False, repr(error))
            self.picture("failed")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.tap.end()


if __name__ == "__main__":
    Window(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])).run()
