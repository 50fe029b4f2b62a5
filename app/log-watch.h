/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

/*
 * Folders in which logs grow. What their file system tells of is heard at once; one that tells
 * nothing of what other machines write is looked at every few seconds.
 */
typedef struct _SluiceLogWatch SluiceLogWatch;

/* Something may have come: once for a burst. In the thread's default main context; it may free the
 * watch. */
typedef void (*SluiceLogWatchFunc) (gpointer data);

SluiceLogWatch *sluice_log_watch_new (SluiceLogWatchFunc func, gpointer data);
void sluice_log_watch_free (SluiceLogWatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceLogWatch, sluice_log_watch_free)

/* folders: (element-type filename): those that are watched already may be among them. FALSE: they
 * all are; else what came before the call is not told of. */
gboolean sluice_log_watch_add (SluiceLogWatch *self, GPtrArray *folders);
