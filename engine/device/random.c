/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/random.h"

static void
random_state_finalize (SluiceResource *resource)
{
  SluiceRandomState *self = (SluiceRandomState *) resource;
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

const SluiceResourceType sluice_random_type = { "Random", random_state_finalize };

SluicePhilox
sluice_philox_seeded (guint64 seed, guint64 seed2)
{
  return (SluicePhilox){
    .key = { (guint32) seed, (guint32) (seed >> 32) },
    .counter = { 0, 0, (guint32) seed2, (guint32) (seed2 >> 32) },
  };
}

SluicePhilox
sluice_random_state_reserve (SluiceRandomState *self, guint64 n_groups)
{
  pthread_mutex_lock (&self->lock);
  SluicePhilox start = self->philox;
  sluice_philox_skip (&self->philox, n_groups);
  pthread_mutex_unlock (&self->lock);
  return start;
}

static SluiceResource *
make_state (gpointer data, GError **error)
{
  SluiceRandomState *self = g_new0 (SluiceRandomState, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &sluice_random_type;
  pthread_mutex_init (&self->lock, NULL);
  self->philox = *(const SluicePhilox *) data;
  return &self->parent;
}

SluiceRandomState *
sluice_random_state_get (SluiceResources *resources,
                         const char *name,
                         const SluicePhilox *start,
                         GError **error)
{
  return (SluiceRandomState *) sluice_resources_get (resources, SLUICE_RANDOM_CONTAINER, name,
                                                     &sluice_random_type, start ? make_state : NULL,
                                                     (gpointer) start, error);
}

SluicePhilox
sluice_random_state_dump (SluiceRandomState *self)
{
  return sluice_random_state_reserve (self, 0);
}

void
sluice_random_state_load (SluiceRandomState *self, const SluicePhilox *philox)
{
  pthread_mutex_lock (&self->lock);
  self->philox = *philox;
  pthread_mutex_unlock (&self->lock);
}
