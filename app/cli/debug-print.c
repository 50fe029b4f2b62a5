/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/debug-print.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/json.h"
#include "app/cli/values.h"
#include "app/debug-words.h"
#include "engine/base/text.h"
#include "engine/store/json-text.h"

#define MOST_ELEMENTS 64 /* that a line of text shows */

static const char *const turn_words[] = { "here",  "ready", "runs",   "waits",
                                          "ended", "dead",  "no-loop" };
static const char *const stop_words[] = { "before", "behind", "waits", "end" };

/* ---- in words ---- */

static void
print_line (const char *text)
{
  g_autofree char *safe = sluice_text_escape (text);
  puts (safe);
}

static char *
describe_stop (const SluiceStop *stop)
{
  g_autofree char *node = stop->node.name != NULL ? sluice_debug_words_of_node (&stop->node) : NULL;
  switch (stop->kind)
    {
    case SLUICE_STOP_BEFORE:
      return g_strdup_printf (_ ("stopped before %s"), node);
    case SLUICE_STOP_BEHIND:
      return g_strdup_printf (_ ("stopped behind %s"), node);
    case SLUICE_STOP_WAITS:
      return g_strdup (_ ("stopped: nothing is ready, and what is under way waits"));
    case SLUICE_STOP_END:
      break;
    }
  return g_strdup (_ ("stopped: all nodes have run"));
}

static void
print_stop_text (const SluiceStop *stop)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *where = describe_stop (stop);
  for (guint i = 0; i < stop->dead->len; i++)
    {
      g_autofree char *dead =
          sluice_debug_words_of_node (&g_array_index (stop->dead, SluiceDebugNode, i));
      g_autofree char *text = g_strdup_printf (_ ("passed by %s: its branch is not taken"), dead);
      print_line (text);
    }
  for (guint i = 0; i < stop->ran_outputs->len; i++)
    sluice_cli_print_debug_value (&g_array_index (stop->ran_outputs, SluiceDebugValue, i), "ran");
  g_string_append (line, where);
  for (guint i = 0; i < stop->with->len; i++)
    g_string_append_printf (line, "%s'%s'", i > 0 ? ", " : _ (" with "),
                            g_array_index (stop->with, const char *, i));
  if (stop->step > 0)
    g_string_append_printf (line, _ (", step %" PRId64), (gint64) stop->step);
  if (stop->breakpoint > 0)
    g_string_append_printf (line, _ (", breakpoint %u"), stop->breakpoint);
  print_line (line->str);
}

/* ---- stops ---- */

static void
add_names (JsonBuilder *b, const char *name, const GArray *nodes)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (guint i = 0; i < nodes->len; i++)
    sluice_cli_json_add_string (b, g_array_index (nodes, SluiceDebugNode, i).name);
  json_builder_end_array (b);
}

void
sluice_cli_print_stop (const SluiceStop *stop)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  const SluiceDebugNode *node = &stop->node;
  sluice_cli_json_string (b, "stop", stop_words[stop->kind]);
  sluice_cli_json_string (b, "node", node->name);
  sluice_cli_json_string (b, "op", node->op);
  sluice_cli_json_string (b, "device", node->device);
  sluice_cli_json_string (b, "loops", node->loops);
  if (node->name != NULL && node->iteration >= 0)
    sluice_cli_json_int (b, "iteration", node->iteration);
  else
    sluice_cli_json_null (b, "iteration");
  sluice_cli_json_int (b, "step", (gint64) stop->step);
  if (stop->breakpoint > 0)
    sluice_cli_json_int (b, "breakpoint", stop->breakpoint);
  else
    sluice_cli_json_null (b, "breakpoint");
  json_builder_set_member_name (b, "with");
  json_builder_begin_array (b);
  for (guint i = 0; i < stop->with->len; i++)
    sluice_cli_json_add_string (b, g_array_index (stop->with, const char *, i));
  json_builder_end_array (b);
  sluice_cli_json_string (b, "ran", stop->has_ran ? stop->ran.name : NULL);
  add_names (b, "dead", stop->dead);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    print_stop_text (stop);
  else
    for (guint i = 0; i < stop->ran_outputs->len; i++)
      sluice_cli_print_debug_value (&g_array_index (stop->ran_outputs, SluiceDebugValue, i), "ran");
}

/* ---- values ---- */

static void
print_value_text (const SluiceDebugValue *value)
{
  g_autofree char *tensor = value->tensor != NULL
                                ? sluice_tensor_to_string (value->tensor, MOST_ELEMENTS)
                                : g_strdup (_ ("no value"));
  g_autofree char *text = value->variable != NULL
                              ? g_strdup_printf (_ ("  %s = %s (the variable '%s')"), value->edge,
                                                 tensor, value->variable)
                              : g_strdup_printf ("  %s = %s", value->edge, tensor);
  print_line (text);
}

void
sluice_cli_print_debug_value (const SluiceDebugValue *value, const char *of)
{
  const SluiceTensor *tensor = value->tensor;
  if (!sluice_cli_json)
    {
      print_value_text (value);
      return;
    }
  g_autoptr (GString) line = g_string_new ("{\"edge\": ");
  sluice_json_append_string (line, value->edge, -1);
  g_string_append_printf (line, ", \"of\": \"%s\", \"variable\": ", of);
  if (value->variable != NULL)
    sluice_json_append_string (line, value->variable, -1);
  else
    g_string_append (line, "null");
  g_string_append (line, ", \"shape\": [");
  for (int d = 0; tensor != NULL && d < tensor->shape.rank; d++)
    g_string_append_printf (line, "%s%" G_GINT64_FORMAT, d > 0 ? ", " : "", tensor->shape.dim[d]);
  g_string_append (line, "], \"value\": ");
  if (tensor != NULL)
    sluice_cli_append_json_value (line, tensor);
  else
    g_string_append (line, "null");
  g_string_append_c (line, '}');
  sluice_cli_print_json_text (line->str);
}

static void
print_all (const GArray *values, const char *of)
{
  for (guint i = 0; i < values->len; i++)
    sluice_cli_print_debug_value (&g_array_index (values, SluiceDebugValue, i), of);
}

void
sluice_cli_print_values (const SluiceStop *stop)
{
  const gboolean in_words = !sluice_cli_json;
  if (in_words && stop->node.name != NULL)
    puts (stop->inputs->len > 0 ? _ ("inputs:") : _ ("no inputs"));
  print_all (stop->inputs, "input");
  if (in_words && stop->kind == SLUICE_STOP_BEHIND)
    puts (stop->outputs->len > 0 ? _ ("outputs:") : _ ("no outputs"));
  print_all (stop->outputs, "output");
}

/* ---- what is ready, and what waits ---- */

static void
begin_node (JsonBuilder *b, const SluiceDebugNode *node, const char *waits_for)
{
  sluice_cli_json_string (b, "node", node->name);
  sluice_cli_json_string (b, "op", node->op);
  sluice_cli_json_string (b, "device", node->device);
  sluice_cli_json_string (b, "loops", node->loops);
  sluice_cli_json_string (b, "turn", turn_words[node->turn]);
  sluice_cli_json_string (b, "waits_for", waits_for);
  json_builder_set_member_name (b, "missing");
  json_builder_begin_array (b);
}

void
sluice_cli_print_ready (const GArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      const SluiceDebugNode *node = &g_array_index (nodes, SluiceDebugNode, i);
      JsonBuilder *b = sluice_cli_json_begin ();
      begin_node (b, node, NULL);
      json_builder_end_array (b);
      sluice_cli_json_end (b);
      g_autofree char *text = sluice_debug_words_of_node (node);
      g_autofree char *line =
          node->turn == SLUICE_TURN_DEAD
              ? g_strdup_printf (_ ("%s: %s"), text, sluice_debug_words_of_turn (node->turn))
              : g_strdup (text);
      if (!sluice_cli_json)
        print_line (line);
    }
  if (nodes->len == 0 && !sluice_cli_json)
    puts (_ ("nothing else is ready"));
}

void
sluice_cli_print_why (const GArray *whys, const char *name)
{
  for (guint i = 0; i < whys->len; i++)
    {
      const SluiceDebugWhy *why = &g_array_index (whys, SluiceDebugWhy, i);
      JsonBuilder *b = sluice_cli_json_begin ();
      begin_node (b, &why->node, why->waits_for);
      for (guint k = 0; k < why->missing->len; k++)
        {
          const SluiceDebugMissing *missing = &g_array_index (why->missing, SluiceDebugMissing, k);
          json_builder_begin_object (b);
          sluice_cli_json_string (b, "edge", missing->edge);
          sluice_cli_json_string (b, "loops", missing->source.loops);
          sluice_cli_json_string (b, "turn", turn_words[missing->source.turn]);
          json_builder_end_object (b);
        }
      json_builder_end_array (b);
      sluice_cli_json_end (b);
      g_autofree char *text = sluice_debug_words_of_why (why, name, 0);
      if (!sluice_cli_json)
        print_line (text);
    }
  if (whys->len == 0 && !sluice_cli_json)
    puts (_ ("nothing waits"));
}

/* ---- breakpoints ---- */

void
sluice_cli_print_breakpoint (const SluiceBreakpointReport *report)
{
  g_autofree char *place = sluice_breakpoint_to_text (&report->what);
  g_autofree char *says = sluice_breakpoint_report_describe (report);
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "breakpoint", report->number);
  sluice_cli_json_string (b, "place", place);
  sluice_cli_json_string (b, "says", says);
  sluice_cli_json_end (b);
  if (sluice_cli_json)
    return;
  g_autofree char *line = report->status == SLUICE_BREAKPOINT_NEW
                              ? g_strdup_printf (_ ("breakpoint %u: %s"), report->number, place)
                              : g_strdup_printf (_ ("breakpoint %u, %s"), report->number, says);
  print_line (line);
}
