/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Colours and words of memory. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/base/dtype.h"
#include "ui/chart/ticks.h"
#include "ui/timeline/lanes-draw.h"
#include "ui/timeline/memory-draw.h"

#define GRADIENT  " ∇" /* as sluice_lanes_dup_name() ends it */
#define TINT      0.30 /* of the hue on the ground */
#define TINT_DARK 0.46

static const struct
{
  guint32 hue;
  const char *words;
} classes[SLUICE_N_MEMORY_CLASSES] = {
  [SLUICE_MEMORY_OTHER] = { 0x77767b, N_ ("other") },
  [SLUICE_MEMORY_PARAMETER] = { 0x986a44, N_ ("variable") },
  [SLUICE_MEMORY_GRADIENT] = { 0xe66100, N_ ("gradient") },
  [SLUICE_MEMORY_ACTIVATION] = { 0x9141ac, N_ ("activation") },
  [SLUICE_MEMORY_OPTIMIZER] = { 0xc08b2d, N_ ("optimiser") },
  [SLUICE_MEMORY_TEMPORARY] = { 0x3584e4, N_ ("temporary") },
  [SLUICE_MEMORY_TRANSFER] = { 0x2ec27e, N_ ("transfer") },
  [SLUICE_MEMORY_WORKSPACE] = { 0x00838f, N_ ("workspace") },
  [SLUICE_MEMORY_STACK] = { 0xb5507a, N_ ("kept by a loop") },
  [SLUICE_MEMORY_ARRAY] = { 0x6f7d1c, N_ ("array") },
  [SLUICE_MEMORY_QUEUE] = { 0x4a6c8c, N_ ("queue") },
};

SluiceColor
sluice_memory_get_color (SluiceMemoryClass memory_class, const SluiceTheme *theme)
{
  return sluice_color_readable (sluice_color_from_hex (classes[memory_class].hue), theme->ground,
                                theme->contrast);
}

SluiceColor
sluice_memory_get_fill (SluiceMemoryClass memory_class, const SluiceTheme *theme)
{
  return sluice_color_mix (theme->ground, sluice_color_from_hex (classes[memory_class].hue),
                           theme->dark ? TINT_DARK : TINT);
}

const char *
sluice_memory_class_words (SluiceMemoryClass memory_class)
{
  return _ (classes[memory_class].words);
}

/* Of what is computed for the gradient of "conv2/relu", named "conv2/relu_grad/ReluGrad": the op
 * whose gradient it is says more than how it is computed. */
static char *
shorten_gradient (char *take_name)
{
  g_autofree char *name = take_name;
  const char *grad = strstr (name, "_grad/");

  if (grad == NULL || !g_str_has_suffix (name, GRADIENT))
    return g_steal_pointer (&name);
  return g_strdup_printf ("%.*s" GRADIENT, (int) (grad - name), name);
}

char *
sluice_memory_dup_name (const SluiceMemoryView *view, SluiceOwner owner)
{
  const char *name = sluice_memory_view_get_name (view, owner.node);

  if (name != NULL)
    return shorten_gradient (sluice_lanes_dup_name (&(SluiceTraceSpan){ .name = name }));
  if (owner.node != 0)
    return g_strdup_printf (_ ("node %u"), owner.node);
  return g_strdup_printf (_ ("no node (%s)"), sluice_memory_class_words (owner.memory_class));
}

char *
sluice_memory_format_bytes (double bytes)
{
  return sluice_format_value (bytes, SLUICE_UNIT_BYTES);
}

char *
sluice_memory_format_time (const SluiceMemoryView *view, gint64 time)
{
  gint64 length = MAX (sluice_memory_view_get_tape (view)->length, 1);
  gint64 step = 1;

  while (step < length / 1000)
    step *= 10;
  return sluice_time_format_tick (time, step, length);
}

char *
sluice_memory_format_label (const SluiceBlockLabel *label)
{
  guint n = MIN (label->rank, (int) G_N_ELEMENTS (label->dims));

  if (label->dtype == SLUICE_INVALID)
    return NULL;
  GString *text = g_string_new (sluice_dtype_name (label->dtype));
  g_string_append (text, n == 0 ? _ (" scalar") : label->rank > (int) n ? " …×" : " ");
  for (guint i = 0; i < n; i++)
    if (label->dims[i] == G_MAXUINT32)
      g_string_append (text, i > 0 ? "×…" : "…");
    else
      g_string_append_printf (text, "%s%u", i > 0 ? "×" : "", label->dims[i]);
  return g_string_free (text, FALSE);
}
