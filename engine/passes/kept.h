/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Nodes that somebody will look at while they run: each of them stays a node of its own in the
 * plan. Counted, immutable.
 */
typedef struct
{
  _Atomic int ref_count;
  GStrv names;  /* of nodes; "SCOPE/": of all below it */
  gboolean all; /* the graph stays as it is */
} SluiceKeptNodes;

/* (transfer full) take_names: (nullable) */
SluiceKeptNodes *sluice_kept_new (GStrv take_names, gboolean all);
SluiceKeptNodes *sluice_kept_ref (SluiceKeptNodes *self);
void sluice_kept_unref (SluiceKeptNodes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceKeptNodes, sluice_kept_unref)

/* (nullable) each: nothing is kept. */
gboolean sluice_kept_has (const SluiceKeptNodes *self, const char *name);
gboolean sluice_kept_equal (const SluiceKeptNodes *a, const SluiceKeptNodes *b);
