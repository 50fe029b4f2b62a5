/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/train/calibration.h"
#include "engine/base/count.h"
#include "engine/train/preflight-private.h"

/*
 * What is known of a step before one was taken: its plan, with the definitions of its ops, on a
 * machine whose speed was measured once.
 */

#define PLAN_SPREAD  0.1
#define SMALL_BLOCKS (64.0 * 1024) /* bytes, as they are counted on threads */

/* ---- memory ---- */

/* (transfer full) (nullable) */
static char *
dup_doubts (const SluiceRunForecast *forecast)
{
  return forecast->n_looped > 0 ? g_strdup (_ ("what piles up in loops comes on top"))
         : forecast->has_guess
             ? g_strdup (_ ("at the most: sizes that the data decide count as a whole batch"))
             : NULL;
}

static void
tell_device (SluiceChecker *self, guint i)
{
  const SluiceRunForecast *forecast = self->forecast;
  double bytes = forecast->bytes[i], room = sluice_checker_get_room (self);
  g_autofree char *size = g_format_size_full ((guint64) bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *doubts = dup_doubts (forecast);
  SluicePreflightItem *item = sluice_preflight_add (
      self->card, "plan_bytes", forecast->devices[i],
      bytes > SLUICE_PREFLIGHT_FULL * room ? SLUICE_PREFLIGHT_LOOK : SLUICE_PREFLIGHT_WELL,
      doubts != NULL
          ? g_strdup_printf (_ ("%s: %s by the plan; %s"), forecast->devices[i], size, doubts)
          : g_strdup_printf (_ ("%s: %s by the plan"), forecast->devices[i], size));
  item->value = bytes;
  item->plus_minus = doubts == NULL ? PLAN_SPREAD * bytes + SMALL_BLOCKS : NAN;
  item->limit = room;
  item->unit = "bytes";
  item->source = "plan";
  if (item->level == SLUICE_PREFLIGHT_WELL)
    return;
  item->action = g_strdup (_ ("set a smaller batch, or recompute"));
  item->set = sluice_checker_dup_batch (self, i, forecast->held_bytes[i], bytes, room);
}

/* ---- time ---- */

static void
tell_time (SluiceChecker *self, const SluiceCalibration *speed)
{
  const SluiceRunForecast *forecast = self->forecast;
  guint n = forecast->calls->len;
  double spread;
  double us = sluice_calibration_get_step_us (speed, forecast->calls, &spread) + SLUICE_TRAINER_US;
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_local ((gint64) speed->when);
  g_autofree char *date = when != NULL ? g_date_time_format (when, "%x") : g_strdup ("?");
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (
      text,
      ngettext ("%.3g ± %.2g µs a step, modelled: %u kernel, by the operations and bytes of its "
                "definition, on this machine idle, whose speed was measured on %s",
                "%.3g ± %.2g µs a step, modelled: %u kernels, by the operations and bytes of their "
                "definitions, on this machine idle, whose speed was measured on %s",
                n),
      us, spread, n, date);
  if (forecast->n_looped > 0)
    g_string_append_printf (text,
                            ngettext ("; %u of them in a loop counts once",
                                      "; %u of them in loops count once", forecast->n_looped),
                            forecast->n_looped);
  SluicePreflightItem *item =
      sluice_preflight_add (self->card, "model_us", NULL, SLUICE_PREFLIGHT_WELL,
                            g_string_free (g_steal_pointer (&text), FALSE));
  item->value = us;
  item->plus_minus = forecast->n_looped == 0 && forecast->n_not_known == 0 ? spread : NAN;
  item->unit = "us";
  item->source = "modelled";
}

void
sluice_checker_look_at_plan (SluiceChecker *self)
{
  SluiceCalibration speed;
  self->forecast = sluice_run_forecast_new (self->replica, NULL);
  if (self->forecast == NULL)
    return; /* a step tells why */
  for (guint i = 0; i < self->forecast->n_devices; i++)
    if (self->forecast->bytes[i] > 0)
      tell_device (self, i);
  if (sluice_calibration_get (NULL, &speed, self->options->cancellable, NULL))
    tell_time (self, &speed);
}

/* ---- in place of what was not measured ---- */

static const SluicePreflightItem *
find (const SluiceChecker *self, const char *what)
{
  for (guint i = 0; i < self->card->items->len; i++)
    if (strcmp (((SluicePreflightItem *) self->card->items->pdata[i])->what, what) == 0)
      return self->card->items->pdata[i];
  return NULL;
}

static SluicePreflightItem *
repeat (SluiceChecker *self, const SluicePreflightItem *from, const char *what)
{
  SluicePreflightItem *item =
      sluice_preflight_add (self->card, what, from->name, from->level, g_strdup (from->text));
  item->value = from->value;
  item->plus_minus = from->plus_minus;
  item->limit = from->limit;
  item->unit = from->unit;
  item->source = from->source;
  item->action = g_strdup (from->action);
  item->set = g_strdup (from->set);
  return item;
}

void
sluice_checker_fall_back (SluiceChecker *self)
{
  const SluicePreflightItem *time = find (self, "run_us");
  guint n_items = self->card->items->len;
  if (time == NULL)
    time = find (self, "model_us");
  if (time != NULL && find (self, "step_us") == NULL)
    {
      double n = (double) self->schedule.n_steps;
      repeat (self, time, "step_us");
      SluicePreflightItem *finish = repeat (self, time, "finish_seconds");
      g_free (finish->text);
      finish->value = n * time->value * 1e-6;
      finish->plus_minus = n * time->plus_minus * 1e-6;
      finish->unit = "s";
      g_autofree char *n_steps = sluice_count_dup (self->schedule.n_steps);
      finish->text = g_strdup_printf (_ ("done in some %.3g s, without evaluations: %s steps"),
                                      finish->value, n_steps);
    }
  gboolean is_measured = find (self, "peak_bytes") != NULL;
  for (guint i = 0; i < n_items && !is_measured; i++)
    {
      const SluicePreflightItem *item = self->card->items->pdata[i];
      if (strcmp (item->what, "plan_bytes") == 0)
        repeat (self, item, "peak_bytes");
    }
}
