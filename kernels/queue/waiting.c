/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/waiting.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *waiting; /* under lock: call to SluiceResource */

void
sluice_waiting_add (SluiceKernelCall *call, SluiceResource *on)
{
  sluice_resource_ref (on);
  pthread_mutex_lock (&lock);
  if (waiting == NULL)
    waiting = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (waiting, call, on);
  pthread_mutex_unlock (&lock);
}

void
sluice_waiting_remove (SluiceKernelCall *call)
{
  pthread_mutex_lock (&lock);
  SluiceResource *on = g_hash_table_lookup (waiting, call);
  g_hash_table_remove (waiting, call);
  if (g_hash_table_size (waiting) == 0)
    g_clear_pointer (&waiting, g_hash_table_unref);
  pthread_mutex_unlock (&lock);
  sluice_resource_unref (on);
}

SluiceResource *
sluice_waiting_dup (SluiceKernelCall *call)
{
  pthread_mutex_lock (&lock);
  SluiceResource *on = waiting != NULL ? g_hash_table_lookup (waiting, call) : NULL;
  if (on != NULL)
    sluice_resource_ref (on);
  pthread_mutex_unlock (&lock);
  return on;
}
