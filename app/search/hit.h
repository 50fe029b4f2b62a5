/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

/*
 * Something that a search found: a line of its list.
 *
 * Properties: title, detail, icon (strings).
 */
#define SLUICE_TYPE_HIT (sluice_hit_get_type ())
G_DECLARE_FINAL_TYPE (SluiceHit, sluice_hit, SLUICE, HIT, GObject)

/* owner: who found it and knows how to show it: a page, or the pane of the runs. title: what it is
 * known by there. */
SluiceHit *sluice_hit_new (GObject *owner, const char *icon, const char *title, const char *detail);
GObject *sluice_hit_dup_owner (SluiceHit *self); /* (nullable) (transfer full): gone by now */
const char *sluice_hit_get_title (SluiceHit *self);

/* What is found of one search: more than so many lines nobody reads; the rest is counted. */
#define SLUICE_MAX_HITS 1000

/* A search goes on for many turns of the main loop, each with a budget of things to look at. */
typedef struct
{
  GPtrArray *found; /* of SluiceHit */
  guint n;          /* also of those that are not in there */
  guint budget;     /* taken off by who looks */
  guint owner;      /* who looks next, */
  guint from;       /* and at which of the things it has */
  gboolean is_done; /* everybody has looked at everything */
} SluiceHits;

void sluice_hits_add (
    SluiceHits *self, GObject *owner, const char *icon, const char *title, const char *detail);
