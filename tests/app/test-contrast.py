#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Sluice authors
"""The contrast of what app/style.css colours, as TAP: test-contrast.py STYLESHEET

Each rule that dims or colours something is set on every ground of the window, in libadwaita's light
and dark colours as this machine has them; what the canvas and the charts draw is tests/ui/common's.
Words have 4.5 : 1 to their ground, things of shape alone 3 : 1.
"""
import os
import re
import sys

import gi
gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gdk, Gtk

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap

GROUNDS = ("window_bg_color", "headerbar_bg_color", "card_bg_color", "view_bg_color",
           "popover_bg_color")
# Named by what they are on: pictures and marks of a state, whose word stands beside them.
SHAPES = re.compile(r"image|\.run-starred|slider|\.type-")
# Nothing is shown: what a pointer or the focus brings out, or stands beside its word elsewhere.
HIDDEN = re.compile(r"\.card-buttons$|\.palette-pin:not\(:checked\)$|box\.wide image$")
# Borders and fills that only separate carry no meaning of their own.
PROPERTY = re.compile(r"(?:^|[;{\s])(opacity|color)\s*:\s*([^;}]+)")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
# What the window uses of libadwaita's own.
LIBADWAITA = [("text", {"opacity": "1"}), (".error", {"color": "@error_color"})]
LEAST = {"words": 4.5, "shape": 3.0}


def luminance(color):
    def linear(c):
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
    r, g, b = map(linear, color)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    a, b = sorted((luminance(a), luminance(b)))
    return (b + 0.05) / (a + 0.05)


def over(color, ground, opacity=1):
    alpha = color.alpha * opacity
    return tuple(c * alpha + g * (1 - alpha)
                 for c, g in zip((color.red, color.green, color.blue), ground))


class Theme:
    def __init__(self, dark):
        Adw.StyleManager.get_default().set_color_scheme(
            Adw.ColorScheme.FORCE_DARK if dark else Adw.ColorScheme.FORCE_LIGHT)
        self.context = Gtk.Window().get_style_context()
        window = self.named("window_bg_color")
        self.window = (window.red, window.green, window.blue)
        self.grounds = {name: over(self.named(name), self.window) for name in GROUNDS}
        self.grounds["side pane"] = tuple(c * 0.98 for c in self.window)
        # A selected row of the runs.
        for name in ("window_bg_color", "side pane"):
            self.grounds[f"selected on {name}"] = over(self.named("accent_bg_color"),
                                                       self.grounds[name], 0.16)

    def named(self, name):
        found, color = self.context.lookup_color(name)
        if not found:
            raise KeyError(name)
        return color

    def color(self, text):
        """Of a value that the stylesheet writes; None for one that is inherited."""
        if text in ("inherit", "currentColor"):
            return None
        faded = re.fullmatch(r"alpha\((.*), ([\d.]+)\)", text)
        if faded:
            color = self.color(faded[1]).copy()
            color.alpha *= float(faded[2])
            return color
        if text.startswith("@"):
            return self.named(text[1:])
        color = Gdk.RGBA()
        if not color.parse(text):
            raise ValueError(f"“{text}” is a way to write a colour that this test does not know")
        return color


def rules(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    for selector, body in RULE.findall(text):
        found = {name: value.strip() for name, value in PROPERTY.findall(body)}
        selector = selector.strip()
        if found.get("opacity") in ("0", "1"):
            assert HIDDEN.search(selector) or found["opacity"] == "1", selector
            continue
        if found and found.get("color") != "inherit":
            yield selector, found


def short(theme, selector, found):
    """The grounds on which a rule falls short, and how."""
    color = theme.color(found.get("color", "currentColor")) or theme.named("window_fg_color")
    least = LEAST["shape" if SHAPES.search(selector) else "words"]
    opacity = float(found.get("opacity", 1))
    ratios = {name: contrast(over(color, ground, opacity), ground)
              for name, ground in theme.grounds.items()}
    return [f"on {name}: {ratio:.2f} of {least}" for name, ratio in ratios.items() if ratio < least]


def main():
    Adw.init()
    sheet = Gtk.CssProvider()
    sheet.load_from_path(sys.argv[1])
    Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), sheet,
                                              Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
    tap = Tap()
    found = list(rules(sys.argv[1]))
    tap.point("the stylesheet has rules that colour", len(found) > 8, len(found))
    for dark in (False, True):
        theme = Theme(dark)
        name = "dark" if dark else "light"
        for selector, properties in [*LIBADWAITA, *found]:
            wrong = short(theme, selector, properties)
            tap.point(f"{name}: {selector}", not wrong, *wrong)
    tap.end()


if __name__ == "__main__":
    main()
