/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/options.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/pool.h"
#include "engine/base/suggest.h"
#include "engine/base/text.h"

#define API     SLUICE_OPTION_API
#define CLI     SLUICE_OPTION_CLI
#define PROJECT SLUICE_OPTION_PROJECT
#define OWN     SLUICE_OPTION_OWN
#define MACHINE SLUICE_OPTION_MACHINE

#define FIELD(field)                                                                               \
  offsetof (SluiceSessionOptions, field), sizeof (((SluiceSessionOptions *) NULL)->field)
#define COUNT(key, flags, maximum, unit, help, field)                                              \
  {                                                                                                \
    key, SLUICE_OPTION_COUNT, flags, 0, 0, maximum, NULL, unit, help, FIELD (field), FALSE         \
  }
#define SWITCH(key, cli_name, flags, help, field)                                                  \
  {                                                                                                \
    key, SLUICE_OPTION_BOOL, flags, 0, 0, 1, cli_name, NULL, help, FIELD (field), FALSE            \
  }
/* On unless it is turned off. */
#define SWITCH_OFF(key, cli_name, flags, help, field)                                              \
  {                                                                                                \
    key, SLUICE_OPTION_BOOL, flags, 1, 0, 1, cli_name, NULL, help, FIELD (field), TRUE             \
  }

static const SluiceOption options[] = {
  COUNT ("threads",
         CLI | OWN | MACHINE,
         SLUICE_MAX_THREADS,
         N_ ("N"),
         N_ ("Threads that compute (one a core); results do not depend on it"),
         n_threads),
  { "cpus", SLUICE_OPTION_COUNT, API | CLI | PROJECT, 0, 1, SLUICE_MAX_DEVICES, NULL, N_ ("N"),
    N_ ("Virtual CPU devices (1)"), FIELD (n_cpus), FALSE },
  COUNT ("nulls",
         API | CLI,
         SLUICE_MAX_DEVICES,
         N_ ("N"),
         N_ ("Devices that compute nothing"),
         n_nulls),
  { "device", SLUICE_OPTION_PATH, CLI | PROJECT | MACHINE, 0, 0, 0, NULL, N_ ("TYPE:N"),
    N_ ("Where nodes stand that ask for no device and have a kernel there (CPU:0)"), FIELD (device),
    FALSE },
  { "device-options", SLUICE_OPTION_PATH, CLI | PROJECT | MACHINE, 0, 0, 0, NULL,
    N_ ("NAME=VALUE,..."),
    N_ ("Of a simulated device, SIM:n: memory=256M, latency=500us, bandwidth=10G, speed=0.5"),
    FIELD (device_options), FALSE },
  { "policy", SLUICE_OPTION_PATH, CLI | PROJECT, 0, 0, 0, NULL, N_ ("NAME"),
    N_ ("Choose devices by predicted time: greedy, single, round-robin, best"), FIELD (policy),
    FALSE },
  { "memory-limit", SLUICE_OPTION_BYTES, API | CLI | MACHINE, 0, 1, G_MAXINT64, NULL, N_ ("BYTES"),
    N_ ("What each device may hold, as 64M or 2G; loops with swap_memory move values to a file "
        "before they reach it"),
    FIELD (memory_limit), FALSE },
  { "swap-folder", SLUICE_OPTION_PATH, CLI | MACHINE, 0, 0, 0, NULL, N_ ("DIR"),
    N_ ("Where that file lies, without a name (the folder of temporary files)"),
    FIELD (swap_folder), FALSE },
  COUNT ("seed", API | OWN, G_MAXINT64, N_ ("S"), N_ ("Of random nodes that have no seed"), seed),
  COUNT ("max-iterations",
         API | CLI | PROJECT | OWN,
         G_MAXINT64,
         N_ ("N"),
         N_ ("Fail where a loop wants more iterations than this (0: no limit)"),
         max_iterations),
  COUNT ("order-seed",
         CLI,
         G_MAXINT64,
         N_ ("S"),
         N_ ("What is ready runs in an order by lot; no value depends on it"),
         order_seed),
  SWITCH_OFF ("soft-placement",
              "strict-devices",
              API | CLI | PROJECT,
              N_ ("Refuse nodes that ask for a device that is not here, instead of replacing it"),
              strict_devices),
  SWITCH ("reference-kernels",
          NULL,
          API | CLI,
          N_ ("Compute with the plain kernels"),
          reference_kernels),
  SWITCH ("nan-guard",
          NULL,
          API | CLI,
          N_ ("Fail at the first node that makes a NaN or an infinity of finite inputs"),
          nan_guard),
  SWITCH ("keep-waiting",
          NULL,
          API | CLI | OWN,
          N_ ("Tell of a deadlock and wait on instead of failing"),
          keep_waiting),
  SWITCH ("ordered",
          NULL,
          API | CLI | PROJECT,
          N_ ("Also order what the graph leaves without an order: writes and reads of a variable, "
              "several producers of a queue"),
          ordered),
  SWITCH ("truncate-transfers",
          "truncate",
          API | CLI | PROJECT,
          N_ ("Floats that cross from one device to another lose the lower half of their bits"),
          truncate_transfers),
  SWITCH ("recompute",
          NULL,
          API | CLI | PROJECT,
          N_ ("Compute cheap values again instead of keeping them for the backward pass: less "
              "memory, more time, the same numbers"),
          recompute),
  { "fit", SLUICE_OPTION_BYTES, API | CLI | PROJECT, 0, 1, G_MAXINT64, NULL, N_ ("BYTES"),
    N_ ("Fit each step into so much memory of each device, as 12M: what costs least is computed "
        "again or leaves meanwhile; the same numbers"),
    FIELD (fit), FALSE },
  SWITCH_OFF ("optimize",
              "no-optimize",
              API | CLI | PROJECT,
              N_ ("Run the graph as it is: neither folded nor merged nor fused"),
              no_optimize),
  SWITCH_OFF ("fusion",
              "no-fusion",
              API | CLI | PROJECT,
              N_ ("Element-wise nodes run one by one; the numbers are the same"),
              no_fusion),
};

const SluiceOption *
sluice_options_list (guint *n)
{
  *n = G_N_ELEMENTS (options);
  return options;
}

const SluiceOption *
sluice_options_find (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (strcmp (options[i].key, key) == 0)
      return &options[i];
  return NULL;
}

const char *
sluice_options_suggest_key (const char *key, guint flag)
{
  const char *keys[G_N_ELEMENTS (options)];
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    keys[i] = options[i].flags & flag ? options[i].key : NULL;
  return sluice_suggest_name (key, keys, G_N_ELEMENTS (keys));
}

/* ---- values ---- */

gint64
sluice_option_get (const SluiceOption *self, const SluiceSessionOptions *session)
{
  const void *field = (const char *) session + self->offset;
  guint64 value =
      self->size == sizeof (guint32) ? *(const guint32 *) field : *(const guint64 *) field;
  return self->is_inverted ? !value : (gint64) value;
}

gboolean
sluice_option_set (const SluiceOption *self,
                   SluiceSessionOptions *session,
                   gint64 value,
                   GError **error)
{
  void *field = (char *) session + self->offset;
  if (value != self->default_value && (value < self->minimum || value > self->maximum))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "must be at least %" G_GINT64_FORMAT " and at most %" G_GINT64_FORMAT,
                        MIN (self->minimum, self->default_value), self->maximum);
  if (self->is_inverted)
    value = !value;
  if (self->size == sizeof (guint32))
    *(guint32 *) field = (guint32) value;
  else
    *(guint64 *) field = (guint64) value;
  return TRUE;
}

/* "64M", "0" */
static gboolean
parse_bytes (const char *text, gint64 *bytes)
{
  gsize size = 0;
  if (strcmp (text, "0") != 0 && !sluice_text_parse_size (text, &size))
    return FALSE;
  *bytes = (gint64) size;
  return TRUE;
}

gboolean
sluice_option_parse (const SluiceOption *self,
                     SluiceSessionOptions *session,
                     const char *text,
                     GError **error)
{
  if (self->type == SLUICE_OPTION_PATH)
    {
      *(const char **) ((char *) session + self->offset) = *text != '\0' ? text : NULL;
      return TRUE;
    }
  gint64 value = strcmp (text, "true") == 0;
  gboolean is_one = TRUE;
  const char *wanted = "true or false";
  switch (self->type)
    {
    case SLUICE_OPTION_BOOL:
      is_one = value || strcmp (text, "false") == 0;
      break;
    case SLUICE_OPTION_COUNT:
      is_one = g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &value, NULL);
      wanted = "a whole number";
      break;
    case SLUICE_OPTION_BYTES:
      is_one = parse_bytes (text, &value);
      wanted = "a number of bytes, as 500000, 64M or 2G";
      break;
    case SLUICE_OPTION_PATH:
      break;
    }
  if (!is_one)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "must be %s", wanted);
  return sluice_option_set (self, session, value, error);
}

char *
sluice_option_to_text (const SluiceOption *self, const SluiceSessionOptions *session)
{
  if (self->type == SLUICE_OPTION_PATH)
    {
      const char *path = *(const char *const *) ((const char *) session + self->offset);
      return g_strdup (path != NULL ? path : "");
    }
  gint64 value = sluice_option_get (self, session);
  if (self->type == SLUICE_OPTION_BOOL)
    return g_strdup (value ? "true" : "false");
  return g_strdup_printf ("%" G_GINT64_FORMAT, value);
}

static gboolean
is_unset_text (const SluiceOption *self, const SluiceSessionOptions *session)
{
  return self->type == SLUICE_OPTION_PATH
         && *(const char *const *) ((const char *) session + self->offset) == NULL;
}

gsize
sluice_options_get_limit (const SluiceSessionOptions *session)
{
  return session->fit > 0 && session->memory_limit > 0 ? MIN (session->fit, session->memory_limit)
                                                       : MAX (session->fit, session->memory_limit);
}

void
sluice_options_copy (SluiceSessionOptions *to, const SluiceSessionOptions *from, guint flags)
{
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (options[i].flags & flags && !is_unset_text (&options[i], from))
      memcpy ((char *) to + options[i].offset, (const char *) from + options[i].offset,
              options[i].size);
}
