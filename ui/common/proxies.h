/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "ui/common/geometry.h"

G_BEGIN_DECLS

/*
 * What assistive technology meets of a widget that draws all by itself: children that are not
 * drawn, in the places of what is. They take no pointer and no focus. They are told anew when the
 * picture came to rest. It is a part of the widget that owns it.
 */
typedef struct _SluiceProxies SluiceProxies;

#define SLUICE_PROXY_NONE G_MAXUINT64 /* an item that cannot be selected */

/* @owner: adds all that is seen now. */
typedef void (*SluiceProxiesFill) (GtkWidget *owner, SluiceProxies *proxies);
/* By a person. */
typedef void (*SluiceProxiesSelect) (GtkWidget *owner, guint64 item);

struct _SluiceProxies
{
  GtkWidget *owner;
  SluiceProxiesFill fill;
  SluiceProxiesSelect select;
  GPtrArray *widgets;
  guint n;      /* added since they began to be told */
  guint source; /* they are going to be */
};

void sluice_proxies_init (SluiceProxies *self,
                          GtkWidget *owner,
                          SluiceProxiesFill fill,
                          SluiceProxiesSelect select);
/** sluice_proxies_clear: before its owner goes; again: nothing. */
void sluice_proxies_clear (SluiceProxies *self);

/**
 * sluice_proxies_add:
 * @rect: in the owner's units, as if it was not mirrored
 * @take_label: (transfer full): what it is in a sentence
 */
void sluice_proxies_add (SluiceProxies *self,
                         const SluiceRect *rect,
                         guint64 item,
                         char *take_label,
                         gboolean is_selected);

/** sluice_proxies_queue: the picture changed. */
void sluice_proxies_queue (SluiceProxies *self);
/** sluice_proxies_allocate: while its owner gets its place. */
void sluice_proxies_allocate (SluiceProxies *self);

G_END_DECLS
