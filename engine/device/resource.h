/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/base/error.h"
#include "engine/base/tensor.h"
#include "engine/base/visibility.h"
#include "engine/device/file-access.h"

SLUICE_PUBLIC_BEGIN

/*
 * State that outlives a step: variables, queues, generators, tables. Held by name in containers; a
 * resource manager belongs to a session, or is shared by several.
 */
typedef struct _SluiceResources SluiceResources;

SluiceResources *sluice_resources_new (void);
SluiceResources *sluice_resources_ref (SluiceResources *self);
void sluice_resources_unref (SluiceResources *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceResources, sluice_resources_unref)

/* What ops may do with files; (nullable): everything. Before the first run. */
void sluice_resources_set_files (SluiceResources *self, SluiceFileAccess *files);
/* (transfer none) (nullable) */
const SluiceFileAccess *sluice_resources_get_files (const SluiceResources *self);

typedef SluiceResource *(*SluiceResourceMake) (gpointer data, GError **error);

/**
 * sluice_resources_get:
 * @container: (nullable): "" and NULL are the default container
 * @make: (nullable): makes it where there is none; NULL: NOT_FOUND
 *
 * Returns: (transfer full) (nullable): INVALID_ARGUMENT where the name holds a resource of another
 * type
 */
SluiceResource *sluice_resources_get (SluiceResources *self,
                                      const char *container,
                                      const char *name,
                                      const SluiceResourceType *type,
                                      SluiceResourceMake make,
                                      gpointer data,
                                      GError **error);

/* A container and a name with their hash: made once by who looks up the same again and again. */
typedef struct
{
  char *container, *name;
  guint hash;
} SluiceResourceKey;

SluiceResourceKey *sluice_resource_key_new (const char *container, const char *name);
void sluice_resource_key_free (SluiceResourceKey *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceResourceKey, sluice_resource_key_free)

/* As sluice_resources_get(). */
SluiceResource *sluice_resources_get_by_key (SluiceResources *self,
                                             const SluiceResourceKey *key,
                                             const SluiceResourceType *type,
                                             SluiceResourceMake make,
                                             gpointer data,
                                             GError **error);

/* The same as a handle: one tensor, which all who ask share, as long as the resource has its name.
 * (transfer full) (nullable) */
SluiceTensor *sluice_resources_get_handle (SluiceResources *self,
                                           const SluiceResourceKey *key,
                                           const SluiceResourceType *type,
                                           SluiceResourceMake make,
                                           gpointer data,
                                           GError **error);

void sluice_resources_reset (SluiceResources *self, const char *container); /* NULL: all */

/* What the owner of the resources keeps with them: no name of a graph finds it, and no reset drops
 * it. All callers name the same type. (transfer full) */
SluiceResource *sluice_resources_get_own (SluiceResources *self, SluiceResourceMake make);

/* Calls func for every resource, sorted by container and name: checkpoints, memory views. */
void sluice_resources_foreach (
    SluiceResources *self,
    void (*func) (const char *container, const char *name, SluiceResource *resource, gpointer data),
    gpointer data);

/*
 * A variable, of a reference or behind a resource handle. Whoever replaces or mutates the tensor
 * holds the lock. tensor is NULL until it is initialised; its memory is never inline, so that views
 * see updates in place.
 */
typedef struct
{
  SluiceResource parent;
  pthread_mutex_t lock;
  SluiceTensor *tensor; /* (nullable), under lock; a reference's reader may load it without (benign,
                           as TensorFlow) */
  SluiceDType dtype;
  SluiceShape shape; /* declared; may be partial */
  char *name;
  SluiceOwner owner; /* of its memory: the node that made it; all zero: whoever assigns */
} SluiceVariable;

extern const SluiceResourceType sluice_variable_type;
SluiceVariable *sluice_variable_new (const char *name, SluiceDType dtype, const SluiceShape *shape);

/* A step's reference to the value: (transfer full) (nullable). */
SluiceTensor *sluice_variable_dup_tensor (SluiceVariable *self);
void sluice_variable_take_tensor (SluiceVariable *self, SluiceTensor *take); /* locks */

SLUICE_PUBLIC_END
