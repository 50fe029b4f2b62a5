/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/keys.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define RUN    N_ ("Run")
#define WINDOW N_ ("Window")
#define GRAPH  N_ ("Graph")
#define BUILD  N_ ("Build")
#define CHARTS N_ ("Charts")
#define TIME   N_ ("Timeline")
#define MEMORY N_ ("Memory")
#define TABLE  N_ ("Table of runs")
#define LAUNCH N_ ("New run")
#define QUEUE  N_ ("Queue")
#define MANUAL N_ ("Manual")

/* clang-format off */
static const SluiceKey keys[] = {
  { RUN, N_ ("Start, or go on with the selected run"), "win.start", "F5" },
  { RUN, N_ ("Start a new run"), "win.new-run", "<Control>n" },
  { RUN, N_ ("Pause"), "win.pause", "F6" },
  { RUN, N_ ("One step"), "win.step", "F10" },
  { RUN, N_ ("Save a checkpoint now"), "win.checkpoint", "<Control><Alt>s" },
  { RUN, N_ ("Stop and save"), "win.stop", "<Shift>F5" },
  { RUN, N_ ("Breakpoint at the selected node or line"), "win.toggle-breakpoint", "<Shift>F9" },
  { RUN, N_ ("The same, with a condition"), "win.break-at::", "<Control>F9" },
  { RUN, N_ ("Watch the value of the selected node or line"), "win.watch::", "<Control><Shift>h" },
  { RUN, N_ ("Put another value there, in the run under way"), "win.inject::", "<Control><Shift>f" },
  { RUN, N_ ("Stop where a NaN begins"), "win.break-non-finite", "<Control><Shift>F9" },
  { RUN, N_ ("Of a stopped run: one node"), "win.debug-step", "<Control>F10" },
  { RUN, N_ ("Of a stopped run: to the next stop"), "win.debug-next", "<Control>F6" },
  { RUN, N_ ("Of a stopped run: to the end of the step"), "win.debug-go", "<Control>F5" },
  { RUN, N_ ("Of a stopped run: change a value"), "win.change-value", "<Control><Shift>e" },
  { RUN, N_ ("Of a stopped run: change it back"), "win.unput", "<Control><Alt>e" },
  { RUN, N_ ("Of a stopped run: clip what its node reads"), "win.clip-input", "<Control><Shift>k" },
  { RUN, N_ ("Take the last edit of the run's graph back"), "win.undo-run-edit", "<Control><Alt>z" },
  { RUN, N_ ("Resume the selected run"), "win.resume-run", "<Control>r" },
  { RUN, N_ ("Resume it from a checkpoint"), "win.resume-from", "<Control><Shift>r" },
  { RUN, N_ ("Go on with data that have changed"), "win.accept-changed-data", "<Control><Shift>a" },
  { RUN, N_ ("Delete the selected run"), "win.delete-run", "<Control>Delete" },
  { RUN, N_ ("What can be done with the selected run"), "runs.menu", "<Shift>F10 Menu" },

  { WINDOW, N_ ("The manual, at what is in front"), "app.help", "F1" },
  { WINDOW, N_ ("The keys"), "win.show-help-overlay", "<Control>question <Control>F1" },
  { WINDOW, N_ ("Building the graph"), "win.show-page::build", "<Alt>1" },
  { WINDOW, N_ ("The graph"), "win.show-page::graph", "<Alt>2" },
  { WINDOW, N_ ("The charts"), "win.show-page::charts", "<Alt>3" },
  { WINDOW, N_ ("The timeline"), "win.show-page::timeline", "<Alt>4" },
  { WINDOW, N_ ("The memory"), "win.show-page::memory", "<Alt>5" },
  { WINDOW, N_ ("The table of runs"), "win.show-page::runs", "<Alt>6" },
  { WINDOW, N_ ("Find"), "win.find", "<Control>f" },
  { WINDOW, N_ ("Find, or filter the runs where their table is"), "anywhere.find", "slash" },
  { WINDOW, N_ ("Next one found"), "win.find-next", "F3" },
  { WINDOW, N_ ("The one found before"), "win.find-previous", "<Shift>F3" },
  { WINDOW, N_ ("Show or hide the runs"), "win.toggle-runs", "F8" },
  { WINDOW, N_ ("Show or hide the inspector"), "win.toggle-inspector", "F9" },
  { WINDOW, N_ ("Make a project from data"), "win.new-project", "<Control><Shift>n" },
  { WINDOW, N_ ("Open a project"), "win.open-project", "<Control>o" },
  { WINDOW, N_ ("Import logs"), "win.import-logs", "<Control>i" },
  { WINDOW, N_ ("Open a workspace"), "app.choose-workspace", "<Control><Shift>w" },
  { WINDOW, N_ ("Open a graph"), "win.open-graph", "<Control><Shift>o" },
  { WINDOW, N_ ("Open a trace"), "win.open-trace", "<Control><Alt>o" },
  { WINDOW, N_ ("Save the graph"), "win.save-graph", "<Control>s" },
  { WINDOW, N_ ("Save the graph under another name"), "win.save-graph-as", "<Control><Shift>s" },
  { WINDOW, N_ ("Compare the graph with another one"), "win.compare-graph", "<Control><Shift>c" },
  { WINDOW, N_ ("Compare what the graph computes with tensors of a file"), "win.compare-values",
    "<Control><Alt>v" },
  { WINDOW, N_ ("Export the graph"), "win.export-graph::svg", "<Control>e" },
  { WINDOW, N_ ("Print the page"), "win.print", "<Control>p" },
  { WINDOW, N_ ("Light or dark"), "app.toggle-dark", "<Control><Shift>d" },
  { WINDOW, N_ ("Preferences"), "app.preferences", "<Control>comma" },
  { WINDOW, N_ ("Close the window"), "window.close", "<Control>w" },
  { WINDOW, N_ ("Quit"), "app.quit", "<Control>q" },

  { GRAPH, N_ ("Along the wires, up"), "canvas.select-up", "Up" },
  { GRAPH, N_ ("Along the wires, down"), "canvas.select-down", "Down" },
  { GRAPH, N_ ("Neighbour on the left"), "canvas.select-left", "Left" },
  { GRAPH, N_ ("Neighbour on the right"), "canvas.select-right", "Right" },
  { GRAPH, N_ ("Next box, in the order of drawing"), "canvas.select-next", "<Control>Right" },
  { GRAPH, N_ ("The box before"), "canvas.select-previous", "<Control>Left" },
  { GRAPH, N_ ("Next line of the box: its menu and breakpoints are that value's"),
    "canvas.next-line", "<Control>Down" },
  { GRAPH, N_ ("The line before"), "canvas.previous-line", "<Control>Up" },
  { GRAPH, N_ ("The scope around it"), "canvas.select-parent", "BackSpace" },
  { GRAPH, N_ ("Select all boxes"), "canvas.select-all", "<Control>a" },
  { GRAPH, N_ ("Select nothing"), "canvas.select-none", "Escape" },
  { GRAPH, N_ ("Open or close a scope"), "canvas.toggle", "Return space" },
  { GRAPH, N_ ("Open all scopes in it"), "canvas.open-all", "<Shift>Return" },
  { GRAPH, N_ ("Move the box to the left"), "canvas.move-left", "<Shift>Left" },
  { GRAPH, N_ ("Move the box to the right"), "canvas.move-right", "<Shift>Right" },
  { GRAPH, N_ ("Move the box up"), "canvas.move-up", "<Shift>Up" },
  { GRAPH, N_ ("Move the box down"), "canvas.move-down", "<Shift>Down" },
  { GRAPH, N_ ("Selected boxes: left edges in line"), "canvas.align-left", "<Alt>Left" },
  { GRAPH, N_ ("Selected boxes: right edges in line"), "canvas.align-right", "<Alt>Right" },
  { GRAPH, N_ ("Selected boxes: tops in line"), "canvas.align-top", "<Alt>Up" },
  { GRAPH, N_ ("Selected boxes: feet in line"), "canvas.align-bottom", "<Alt>Down" },
  { GRAPH, N_ ("Selected boxes: in one column"), "canvas.align-column", "<Alt><Shift>Up" },
  { GRAPH, N_ ("Selected boxes: in one row"), "canvas.align-row", "<Alt><Shift>Left" },
  { GRAPH, N_ ("Selected boxes: equal gaps across"), "canvas.distribute-across", "<Alt><Shift>Right" },
  { GRAPH, N_ ("Selected boxes: equal gaps down"), "canvas.distribute-down", "<Alt><Shift>Down" },
  { GRAPH, N_ ("Lay the selected boxes out again"), "canvas.arrange", "<Alt>a" },
  { GRAPH, N_ ("Frame around the selected boxes"), "canvas.frame", "<Control>j" },
  { GRAPH, N_ ("Write a note"), "canvas.note", "<Control>m" },
  { GRAPH, N_ ("Next note or frame"), "canvas.next-note", "<Control><Shift>m" },
  { GRAPH, N_ ("Take a move back"), "canvas.undo", "<Control>z" },
  { GRAPH, N_ ("Move it again"), "canvas.redo", "<Control><Shift>z <Control>y" },
  { GRAPH, N_ ("What can be done with it"), "canvas.menu", "<Shift>F10 Menu" },
  { GRAPH, N_ ("The devices, and what would be if it stood there"), "win.place::", "<Control><Shift>p" },
  { GRAPH, N_ ("Next way to colour"), "canvas.color-next", "c" },
  { GRAPH, N_ ("Closer"), "canvas.zoom-in", "plus <Control>plus" },
  { GRAPH, N_ ("Farther"), "canvas.zoom-out", "minus <Control>minus" },
  { GRAPH, N_ ("Full size"), "canvas.zoom-100", "0 <Control>0" },
  { GRAPH, N_ ("All of the graph"), "canvas.fit", "9 <Control>9" },
  { GRAPH, N_ ("All of what is selected"), "canvas.fit-selection", "period" },

  { BUILD, N_ ("Train a loss"), "build.train", "<Control><Shift>t" },
  { BUILD, N_ ("Save, and launch a run"), "build.launch", "<Control>Return" },
  { BUILD, N_ ("Take a command back"), "build.undo", "<Control>z" },
  { BUILD, N_ ("Do it again"), "build.redo", "<Control><Shift>z <Control>y" },
  { BUILD, N_ ("Show or fold the text"), "build.toggle-text", "<Control>t" },
  { BUILD, N_ ("Add a node, at the selected one"), "canvas.palette", "<Shift>a" },
  { BUILD, N_ ("Pin what the palette has chosen"), "palette.pin", "<Control>p" },
  { BUILD, N_ ("Lay a wire from it: Tab for the port, arrows for where it goes, Return"),
    "canvas.link", "l" },
  { BUILD, N_ ("Delete; what read it reads what it read"), "canvas.delete", "Delete" },
  { BUILD, N_ ("Put it into a wire: arrows for which, Return"), "canvas.splice", "<Shift>l" },
  { BUILD, N_ ("Take it out of its wires, and keep it"), "canvas.detach", "<Control><Shift>x" },
  { BUILD, N_ ("Rename"), "canvas.rename", "F2" },
  { BUILD, N_ ("Duplicate"), "canvas.duplicate", "<Control>d" },
  { BUILD, N_ ("Group into a scope"), "canvas.group", "<Control>g" },
  { BUILD, N_ ("Ungroup a scope"), "canvas.ungroup", "<Control><Shift>g" },
  { BUILD, N_ ("Make a block of a scope"), "build.make-block", "<Control>b" },
  { BUILD, N_ ("Make all others of its block be as it is"), "build.apply-block", "<Control><Shift>b" },
  { BUILD, N_ ("One more of its block"), "build.instance", "<Control><Alt>b" },
  { BUILD, N_ ("Take it out of its block"), "build.unblock", "<Control><Shift><Alt>b" },
  { BUILD, N_ ("Take a layer apart"), "build.take-apart", "<Control><Shift>l" },
  { BUILD, N_ ("Mute, go around it; or unmute"), "canvas.mute", "m" },
  { BUILD, N_ ("Bypass"), "canvas.bypass", "b" },
  { BUILD, N_ ("Add a bend to the chosen line; Shift and arrows move it"), "canvas.add-bend",
    "<Alt>b" },
  { BUILD, N_ ("Next bend of the line"), "canvas.next-bend", "<Alt>n" },
  { BUILD, N_ ("Take the bend away"), "canvas.remove-bend", "<Alt>Delete" },
  { BUILD, N_ ("Straighten its bent lines"), "canvas.straighten", "<Alt>s" },
  { BUILD, N_ ("Cut"), "canvas.cut", "<Control>x" },
  { BUILD, N_ ("Copy as text"), "canvas.copy", "<Control>c" },
  { BUILD, N_ ("Paste"), "canvas.paste", "<Control>v" },
  { BUILD, N_ ("Paste, inputs kept"), "canvas.paste-wired", "<Control><Shift>v" },

  { CHARTS, N_ ("Cursor to the left"), "chart.cursor-left", "Left" },
  { CHARTS, N_ ("Cursor to the right"), "chart.cursor-right", "Right" },
  { CHARTS, N_ ("Cursor to the first point"), "chart.cursor-first", "Home" },
  { CHARTS, N_ ("Cursor to the last point"), "chart.cursor-last", "End" },
  { CHARTS, N_ ("No cursor"), "chart.cursor-hide", "Escape" },
  { CHARTS, N_ ("Next mark on the axis"), "chart.next-event", "n" },
  { CHARTS, N_ ("The mark before"), "chart.previous-event", "<Shift>n" },
  { CHARTS, N_ ("Closer"), "chart.zoom-in", "plus" },
  { CHARTS, N_ ("Farther"), "chart.zoom-out", "minus" },
  { CHARTS, N_ ("Earlier steps"), "chart.pan-left", "<Shift>Left" },
  { CHARTS, N_ ("Later steps"), "chart.pan-right", "<Shift>Right" },
  { CHARTS, N_ ("All steps"), "chart.reset-zoom", "0 <Control>Home" },
  { CHARTS, N_ ("Ranges of the axes"), "chart.ranges", "r" },
  { CHARTS, N_ ("Table of values"), "chart.values", "t" },
  { CHARTS, N_ ("Logarithmic values"), "chart.toggle-log", "l" },
  { CHARTS, N_ ("Without outliers"), "chart.toggle-outliers", "o" },
  { CHARTS, N_ ("Draw over another tag"), "charts.choose-axis", "x" },
  { CHARTS, N_ ("Mean of seeds: each run, deviation, range"), "charts.next-seeds", "s" },
  { CHARTS, N_ ("Enlarge the card"), "card.large", "e" },
  { CHARTS, N_ ("Pin the card to the top"), "card.pinned", "p" },
  { CHARTS, N_ ("Copy the picture"), "card.copy", "<Control>c" },
  { CHARTS, N_ ("Menu of a card"), "card.menu", "<Shift>F10 Menu" },
  { CHARTS, N_ ("Histogram: more steps"), "histogram.more-steps", "plus" },
  { CHARTS, N_ ("Histogram: fewer steps"), "histogram.fewer-steps", "minus" },
  { CHARTS, N_ ("Histogram: an older step"), "histogram.select-older", "Left Up" },
  { CHARTS, N_ ("Histogram: a newer step"), "histogram.select-newer", "Right Down" },
  { CHARTS, N_ ("Histogram: no step"), "histogram.select-none", "Escape" },
  { CHARTS, N_ ("Settings and results: from run to run"), "settings.next-run", "Up Down" },

  { TIME, N_ ("Closer"), "timeline.zoom-in", "w plus" },
  { TIME, N_ ("Farther"), "timeline.zoom-out", "s minus" },
  { TIME, N_ ("Earlier"), "timeline.pan-left", "a" },
  { TIME, N_ ("Later"), "timeline.pan-right", "d" },
  { TIME, N_ ("Lanes above"), "timeline.scroll-up", "Page_Up" },
  { TIME, N_ ("Lanes below"), "timeline.scroll-down", "Page_Down" },
  { TIME, N_ ("All of the selection or the step; again: all"), "timeline.fit", "f" },
  { TIME, N_ ("Next on the lane"), "timeline.next", "period" },
  { TIME, N_ ("The one before on the lane"), "timeline.previous", "comma" },
  { TIME, N_ ("On the lane above, at the same time"), "timeline.lane-up", "Up" },
  { TIME, N_ ("On the lane below"), "timeline.lane-down", "Down" },
  { TIME, N_ ("To who reads it"), "timeline.flow-next", "bracketright" },
  { TIME, N_ ("To what it waited for"), "timeline.flow-previous", "bracketleft" },
  { TIME, N_ ("Sums of the time that is selected, or seen"), "timeline.area", "r" },
  { TIME, N_ ("Next step"), "timeline.step-next", "Right" },
  { TIME, N_ ("The step before"), "timeline.step-previous", "Left" },
  { TIME, N_ ("Next slow step"), "timeline.slow", "n" },
  { TIME, N_ ("Set a mark, or take it away"), "timeline.mark", "m" },
  { TIME, N_ ("What makes steps slow, or close it"), "timeline.report", "y" },
  { TIME, N_ ("Follow the newest step"), "timeline.live", "l" },
  { TIME, N_ ("Compare others with this step, or none"), "timeline.compare", "c" },
  { TIME, N_ ("Heat map: by the median, or by time"), "timeline.heat", "h" },
  { TIME, N_ ("Write a note to the area, or to the pointer"), "timeline.note", "<Shift>n" },
  { TIME, N_ ("Something else under the lanes"), "timeline.next-lower", "b" },
  { TIME, N_ ("No area, nothing selected"), "timeline.escape", "Escape" },
  { TIME, N_ ("The keys"), "timeline.keys", "question" },

  { MEMORY, N_ ("The buffer over it, at the cursor"), "memory.over", "Up" },
  { MEMORY, N_ ("The buffer under it"), "memory.under", "Down" },
  { MEMORY, N_ ("The next that was made"), "memory.later", "Right" },
  { MEMORY, N_ ("The one made before"), "memory.earlier", "Left" },
  { MEMORY, N_ ("Cursor: to the next event"), "memory.next-event", "period" },
  { MEMORY, N_ ("Cursor: to the event before"), "memory.before-event", "comma" },
  { MEMORY, N_ ("Cursor: to the peak"), "memory.peak", "p" },
  { MEMORY, N_ ("Closer"), "memory.zoom-in", "plus equal" },
  { MEMORY, N_ ("Farther"), "memory.zoom-out", "minus" },
  { MEMORY, N_ ("The whole step"), "memory.zoom-all", "f 0" },
  { MEMORY, N_ ("Next recorded step"), "memory.next-step", "bracketright" },
  { MEMORY, N_ ("The recorded step before"), "memory.before-step", "bracketleft" },
  { MEMORY, N_ ("Follow the newest step"), "memory.live", "l" },
  { MEMORY, N_ ("Apply what is ticked, and measure"), "memory.apply", "a" },
  { MEMORY, N_ ("Take that back"), "memory.take-back", "u" },
  { MEMORY, N_ ("Nothing selected"), "memory.escape", "Escape" },

  { TABLE, N_ ("Filter"), "table.filter", "slash" },
  { TABLE, N_ ("Open a group"), "group.open", "Right" },
  { TABLE, N_ ("Close a group"), "group.close", "Left" },
  { TABLE, N_ ("Group the runs"), "table.group", "g" },
  { TABLE, N_ ("What differs between the selected runs"), "table.compare", "d" },
  { TABLE, N_ ("Fork from a checkpoint"), "table.lineage", "f" },
  { TABLE, N_ ("Give or take the star"), "table.star", "s" },
  { TABLE, N_ ("Tags"), "table.tag", "t" },
  { TABLE, N_ ("Colour"), "table.color", "k" },
  { TABLE, N_ ("Rename"), "table.rename", "F2" },
  { TABLE, N_ ("Notes"), "table.notes", "n" },
  { TABLE, N_ ("Show in the charts, too"), "table.chart", "c" },
  { TABLE, N_ ("Only these in the charts"), "table.chart-only", "<Shift>c" },
  { TABLE, N_ ("Move to the trash"), "table.delete", "Delete" },
  { TABLE, N_ ("Restore from the trash"), "table.restore", "<Shift>Delete" },
  { TABLE, N_ ("Take a change back"), "table.undo", "<Control>z" },
  { TABLE, N_ ("Change it again"), "table.redo", "<Control><Shift>z <Control>y" },
  { TABLE, N_ ("Columns, and what to sort by"), "table.columns", "o" },
  { TABLE, N_ ("The trash, or the runs"), "table.trash", "<Control>t" },
  { TABLE, N_ ("What can be done with the runs"), "table.menu", "<Shift>F10 Menu" },

  { LAUNCH, N_ ("Start what is asked for"), "launch.start", "<Control>Return" },
  { LAUNCH, N_ ("Add it to the queue"), "launch.add-to-queue", "<Control><Shift>Return" },
  { LAUNCH, N_ ("Back to the runs"), "launch.back", "Escape" },
  { QUEUE, N_ ("Earlier"), "queue.up", "<Alt>Up" },
  { QUEUE, N_ ("Later"), "queue.down", "<Alt>Down" },
  { QUEUE, N_ ("Take it out"), "queue.drop", "Delete" },
  { QUEUE, N_ ("Put back what was taken out"), "queue.undo", "<Control>z" },

  { MANUAL, N_ ("Back"), "help.back", "<Alt>Left" },
  { MANUAL, N_ ("Forward"), "help.forward", "<Alt>Right" },
  { MANUAL, N_ ("The first page"), "help.index", "<Alt>Home" },
  { MANUAL, N_ ("Search all pages"), "help.find", "<Control>f" },
  { MANUAL, N_ ("Show or hide the contents"), "help.contents", "F9" },
  { MANUAL, N_ ("Larger text"), "help.larger", "<Control>plus <Control>equal" },
  { MANUAL, N_ ("Smaller text"), "help.smaller", "<Control>minus" },
  { MANUAL, N_ ("Usual text"), "help.usual", "<Control>0" },
  { MANUAL, N_ ("Close the manual"), "help.close", "Escape" },
};

/* What is written on them. */
static const struct
{
  const char *key, *written;
} names[] = {
  { "<Control>", N_ ("Ctrl") }, { "<Shift>", N_ ("Shift") }, { "<Alt>", N_ ("Alt") },
  { "Return", N_ ("Return") }, { "Escape", N_ ("Esc") }, { "BackSpace", N_ ("Backspace") },
  { "Delete", N_ ("Delete") }, { "Home", N_ ("Home") }, { "End", N_ ("End") },
  { "Left", "←" }, { "Right", "→" }, { "Up", "↑" }, { "Down", "↓" },
  { "Menu", N_ ("Menu key") }, { "space", N_ ("Space") },
  { "plus", "+" }, { "minus", "-" }, { "comma", "," }, { "period", "." }, { "question", "?" },
  { "equal", "=" }, { "slash", "/" }, { "bracketleft", "[" }, { "bracketright", "]" },
  { "Page_Up", N_ ("Page up") }, { "Page_Down", N_ ("Page down") },
};
/* clang-format on */

const SluiceKey *
sluice_keys_list (guint *n)
{
  *n = G_N_ELEMENTS (keys);
  return keys;
}

/* Of one accelerator, "<Control>e": `Ctrl+E`. */
static void
append_key (GString *page, const char *key)
{
  gboolean is_combined = *key == '<';
  g_string_append (page, "`");
  while (*key != '\0')
    {
      gsize length = 0;
      for (guint i = 0; i < G_N_ELEMENTS (names) && length == 0; i++)
        if (g_str_has_prefix (key, names[i].key))
          {
            length = strlen (names[i].key);
            g_string_append (page, _ (names[i].written));
          }
      if (length == 0)
        {
          g_autofree char *rest = is_combined ? g_ascii_strup (key, -1) : g_strdup (key);
          g_string_append (page, rest);
          length = strlen (key);
        }
      key += length;
      g_string_append (page, *key != '\0' ? "+" : "");
    }
  g_string_append (page, "`");
}

char *
sluice_keys_dup_page (void)
{
  GString *page = g_string_new (NULL);
  g_string_append_printf (
      page, "# %s\n\n%s\n\n![%s](pictures/keys.png)\n", _ ("Keys"),
      _ ("Everything can be done with the keyboard. `Tab` goes from control to control, the arrow "
         "keys move in the graph and along a curve. `Ctrl+?` shows these keys in the window."),
      _ ("The keys, as the window shows them"));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      if (i == 0 || !g_str_equal (keys[i].group, keys[i - 1].group))
        g_string_append_printf (page, "\n## %s\n\n| %s | %s |\n|---|---|\n", _ (keys[i].group),
                                _ ("what"), _ ("keys"));
      g_auto (GStrv) alternatives = g_strsplit (keys[i].keys, " ", -1);
      g_string_append_printf (page, "| %s | ", _ (keys[i].title));
      for (guint k = 0; alternatives[k] != NULL; k++)
        {
          g_string_append (page, k > 0 ? ", " : "");
          append_key (page, alternatives[k]);
        }
      g_string_append (page, " |\n");
    }
  return g_string_free (page, FALSE);
}
