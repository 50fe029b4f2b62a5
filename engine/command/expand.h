/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/command-private.h"
#include "engine/command/template.h"

/* Templates become commands, within the transaction of the command that uses them. */

/* Parameters by name, as text. */
typedef GHashTable SluiceTemplateValues;
SluiceTemplateValues *sluice_template_values_new (void);
void sluice_template_values_set (SluiceTemplateValues *self, const char *name, const char *text);
void
sluice_template_values_set_number (SluiceTemplateValues *self, const char *name, double number);
/* An edge, and what is known of it, NAME.dtype and so on. */
gboolean sluice_template_values_set_edge (SluiceTemplateValues *self,
                                          const SluiceCommandCall *call,
                                          const char *name,
                                          const char *text,
                                          GError **error);
const char *
sluice_template_values_get (const SluiceTemplateValues *self, const char *name); /* (nullable) */

/**
 * sluice_template_values_set_parameters:
 * @values: (array length=n): KEY=VALUE; others than the template's are looked over where @known has
 * them, else refused
 *
 * Looks at the values by what the template says of its parameters, and sets all of these.
 */
gboolean sluice_template_values_set_parameters (SluiceTemplateValues *self,
                                                const SluiceCommandCall *call,
                                                const SluiceTemplate *template,
                                                const SluiceWord *const *values,
                                                guint n,
                                                const char *const *known,
                                                GError **error);

/* Does the commands of a section; one that is not there has none. */
gboolean sluice_template_expand (const SluiceTemplate *self,
                                 const char *section,
                                 SluiceTemplateValues *texts,
                                 SluiceCommandCall *call,
                                 GError **error);
