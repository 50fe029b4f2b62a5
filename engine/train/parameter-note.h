/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * What is said of a parameter beside what it is of, behind that in its line of [parameters]:
 * "learning-rate=train/learning_rate:0; unit=1/s; low=0; high=1; help=How far a step goes".
 */
typedef struct
{
  char *unit, *help; /* (nullable) */
  double low, high;  /* its values lie between them; NAN: no end */
} SluiceParameterNote;
void sluice_parameter_note_free (SluiceParameterNote *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceParameterNote, sluice_parameter_note_free)

/**
 * sluice_parameter_note_parse:
 * @key: the parameter's name, for error
 * @text: of its line
 * @target: (out) (transfer full): what it is of
 * @note: (out) (transfer full) (nullable): %NULL: nothing is said
 */
gboolean sluice_parameter_note_parse (
    const char *key, const char *text, char **target, SluiceParameterNote **note, GError **error);
/* note: (nullable). (transfer full) */
char *sluice_parameter_note_dup_text (const SluiceParameterNote *self, const char *target);
/* "0 to 1": (transfer full) (nullable): it has no end */
char *sluice_parameter_note_dup_range (const SluiceParameterNote *self);
/* OUT_OF_RANGE, which names both. */
gboolean sluice_parameter_note_check (const SluiceParameterNote *self,
                                      const char *key,
                                      double value,
                                      GError **error);
