/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Every key of the program: the application's accelerators, the window of shortcuts and the
 * manual's page of keys are made of this table. What the widgets below ui/ bind themselves stands
 * here under their actions, and a test compares.
 */
typedef struct
{
  const char *group, *title; /* to be translated */
  const char *action;        /* "win.start", or a widget's, as in "canvas.fit" */
  const char *keys;          /* accelerators, with blanks between; menus name the first */
} SluiceKey;

/** sluice_keys_list: (transfer none): a group's keys follow each other. */
const SluiceKey *sluice_keys_list (guint *n);

/** sluice_keys_dup_page: (transfer full): the manual's page of keys. */
char *sluice_keys_dup_page (void);

G_END_DECLS
