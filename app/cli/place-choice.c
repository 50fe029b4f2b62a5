/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/place-choice.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>

#include "app/cli/json.h"

/* A time or bytes; what is infinite is null: it never comes to that. */
static void
add_figure (JsonBuilder *b, const char *name, double value)
{
  if (isfinite (value))
    sluice_cli_json_double (b, name, value);
  else
    sluice_cli_json_null (b, name);
}

static const char *
get_device_name (const CliPlaceChoice *self, guint device)
{
  return self->machine->devices[device].name;
}

static void
add_candidates (JsonBuilder *b, const CliPlaceChoice *self, const SluiceDecision *decision)
{
  json_builder_set_member_name (b, "candidates");
  json_builder_begin_array (b);
  for (guint i = 0; i < decision->candidates->len; i++)
    {
      const SluiceCandidate *at = &g_array_index (decision->candidates, SluiceCandidate, i);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "device", get_device_name (self, at->device));
      add_figure (b, "ready_us", at->ready_us);
      add_figure (b, "transfer_us", at->transfer_us);
      add_figure (b, "queue_us", at->queue_us);
      add_figure (b, "compute_us", at->compute_us);
      add_figure (b, "finish_us", at->finish_us);
      add_figure (b, "peak_bytes", at->peak_bytes);
      sluice_cli_json_string (b, "why_not", at->why_not);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
add_node (JsonBuilder *b, const CliPlaceChoice *self, guint v)
{
  const SluiceNode *node = self->workload->nodes[v];
  const SluiceDecision *decision = &self->choice->decisions[v];
  const SluiceSimulatedSpan *span = &self->choice->schedule->spans[v];
  g_autofree char *name = g_utf8_make_valid (node->name, -1);
  json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "device", get_device_name (self, self->choice->devices[v]));
  sluice_cli_json_string (b, "asked", *node->device != '\0' ? node->device : NULL);
  sluice_cli_json_double (b, "start_us", span->start_us);
  sluice_cli_json_double (b, "end_us", span->end_us);
  sluice_cli_json_string (b, "reason", sluice_placements_get (self->placements, node)->reason);
  add_figure (b, "margin_us", decision->margin_us);
  sluice_cli_json_int (b, "step", decision->step);
  add_candidates (b, self, decision);
  sluice_cli_json_null (b, "measured_us");
  json_builder_end_object (b);
}

static void
add_transfers (JsonBuilder *b, const CliPlaceChoice *self)
{
  const GArray *transfers = self->choice->schedule->transfers;
  json_builder_set_member_name (b, "transfers");
  json_builder_begin_array (b);
  for (guint i = 0; i < transfers->len; i++)
    {
      const SluiceSimulatedTransfer *told = &g_array_index (transfers, SluiceSimulatedTransfer, i);
      g_autofree char *tensor =
          sluice_graph_workload_dup_value_name (self->workload, told->node, told->output);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "tensor", tensor);
      sluice_cli_json_string (b, "from", get_device_name (self, told->from));
      sluice_cli_json_string (b, "to", get_device_name (self, told->to));
      sluice_cli_json_double (b, "start_us", told->start_us);
      sluice_cli_json_double (b, "end_us", told->end_us);
      sluice_cli_json_double (b, "bytes", told->bytes);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

void
sluice_cli_print_choice_json (const CliPlaceChoice *self)
{
  const SluiceChoice *choice = self->choice;
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "policy", choice->policy);
  sluice_cli_json_string (b, "instead", choice->instead);
  sluice_cli_json_string (b, "why", choice->why);
  sluice_cli_json_bool (b, "is_prediction", self->machine->is_elsewhere);
  sluice_cli_json_double (b, "predicted_us", choice->schedule->us);
  add_figure (b, "single_us", choice->single_us);
  sluice_cli_json_int (b, "tried", (gint64) choice->n_tried);
  sluice_cli_json_double (b, "seconds", choice->seconds);
  sluice_cli_json_string (b, "found_by", choice->found_by);
  json_builder_set_member_name (b, "peak_bytes");
  json_builder_begin_object (b);
  for (guint d = 0; d < self->machine->n_devices; d++)
    sluice_cli_json_double (b, get_device_name (self, d), choice->schedule->peak_bytes[d]);
  json_builder_end_object (b);
  json_builder_set_member_name (b, "nodes");
  json_builder_begin_object (b);
  for (guint v = 0; v < choice->n_nodes; v++)
    add_node (b, self, v);
  json_builder_end_object (b);
  add_transfers (b, self);
  sluice_cli_json_end (b);
}

/* ---- for people ---- */

static void
print_policy (const SluiceChoice *choice, gboolean is_elsewhere)
{
  g_autofree char *us = sluice_graph_workload_dup_time (choice->schedule->us);
  g_autofree char *single = sluice_graph_workload_dup_time (choice->single_us);
  if (choice->instead == NULL)
    printf (_ ("%s: a step takes %s"), choice->policy, us);
  else if (choice->why != NULL)
    printf (_ ("%s found nothing, %s did: a step takes %s"), choice->policy, choice->instead, us);
  else
    printf (_ ("%s: a step takes %s, and one device is as good"), choice->policy, us);
  if (choice->instead == NULL && isfinite (choice->single_us))
    printf (_ (", on one device %s"), single);
  else if (!isfinite (choice->single_us))
    printf ("%s", _ (", and no one device can have it all"));
  printf ("\n");
  if (choice->found_by != NULL)
    printf (_ ("%" PRIu64 " schedules were tried in %.1f s; found by: %s\n"), choice->n_tried,
            choice->seconds, choice->found_by);
  if (choice->why != NULL)
    printf ("%s\n", choice->why);
  if (is_elsewhere)
    printf ("%s\n", _ ("This is a prediction: the devices are a file's."));
}

static void
print_device (const CliPlaceChoice *self, guint d)
{
  const SluiceSimulation *schedule = self->choice->schedule;
  double busy = 0;
  guint n = 0;
  for (guint v = 0; v < schedule->n_nodes; v++)
    if (schedule->devices[v] == d)
      {
        busy += schedule->spans[v].end_us - schedule->spans[v].start_us;
        n++;
      }
  g_autofree char *peak =
      g_format_size_full ((guint64) MIN (schedule->peak_bytes[d], 1e18), G_FORMAT_SIZE_IEC_UNITS);
  printf (ngettext ("%s: busy %.0f %%, %u node, at the most %s\n",
                    "%s: busy %.0f %%, %u nodes, at the most %s\n", n),
          self->machine->devices[d].device->short_name,
          schedule->us > 0 ? 100 * busy / schedule->us : 0.0, n, peak);
}

void
sluice_cli_print_choice (const CliPlaceChoice *self)
{
  const GArray *transfers = self->choice->schedule->transfers;
  double bytes = 0;
  print_policy (self->choice, self->machine->is_elsewhere);
  for (guint d = 0; d < self->machine->n_devices; d++)
    print_device (self, d);
  for (guint i = 0; i < transfers->len; i++)
    bytes += g_array_index (transfers, SluiceSimulatedTransfer, i).bytes;
  g_autofree char *size = g_format_size_full ((guint64) MIN (bytes, 1e18), G_FORMAT_SIZE_IEC_UNITS);
  printf (ngettext ("%u transfer, %s\n", "%u transfers, %s\n", transfers->len), transfers->len,
          size);
}
