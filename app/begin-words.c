/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/begin-words.h"

#include <glib/gi18n.h>

#include "ui/chart/ticks.h"

char *
sluice_begin_words (SluiceTrainer *trainer)
{
  gint64 step, came_to;
  sluice_trainer_get_begin (trainer, &step, &came_to);
  if (step >= came_to)
    return NULL;
  g_autofree char *end = sluice_format_step (came_to);
  if (step == 0)
    return g_strdup_printf (_ ("“%s” begins again at step 0: it had come to step %s, but no "
                               "checkpoint of it was saved"),
                            sluice_trainer_get_run_name (trainer), end);
  g_autofree char *begin = sluice_format_step (step);
  return g_strdup_printf (_ ("“%s” goes on from the checkpoint of step %s: it had come to step %s, "
                             "and the steps between are trained again"),
                          sluice_trainer_get_run_name (trainer), begin, end);
}
