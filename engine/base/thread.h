/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <pthread.h>

/* The calling thread computes: whoever answers a person goes before it. Relative to the program:
 * whoever starts that niced means it. */
void sluice_thread_yield (void);

/* Microseconds that the calling thread has computed: whatever else goes on, that much it took from
 * others. */
gint64 sluice_thread_get_cpu_us (void);

/**
 * sluice_thread_start:
 * @what: whom the thread is for, as the message begins: "filling the queue 'q'"
 * @fewer: (nullable): what the user can ask less of, as the message ends
 *
 * pthread_create() that tells its failure.
 *
 * Returns: %FALSE with RESOURCE_EXHAUSTED where the system gives no more threads; @thread is then
 * not set
 */
gboolean sluice_thread_start (pthread_t *thread,
                              void *(*main) (void *),
                              gpointer data,
                              const char *what,
                              const char *fewer,
                              GError **error);
