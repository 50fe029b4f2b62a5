/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/device/random.h"
#include "engine/graph/graphdef.h"
#include "engine/runtime/plan/memory-class.h"
#include "engine/store/checkpoint-file.h"
#include "engine/train/replica-private.h"

/*
 * What a checkpoint holds beside the variables: step, cursor of the input, every random stream.
 * Nothing of the clock or the machine goes in, so that equal runs write equal bytes.
 */
#define STATE_FORMAT 1

/* A variable's name in the file: of the default container as it is, of another one with that in
 * front. */
static char *
tensor_name (const char *container, const char *name)
{
  return *container == '\0' ? g_strdup (name) : g_strconcat (container, "::", name, NULL);
}

typedef struct
{
  GArray *tensors; /* of SluiceNamedTensor */
  JsonBuilder *state;
  GError *error;
} Save;

static void
save_variable (const char *container, const char *name, SluiceResource *resource, gpointer data)
{
  Save *save = data;
  if (resource->type != &sluice_variable_type)
    return;
  g_autoptr (SluiceTensor) tensor = sluice_variable_dup_tensor ((SluiceVariable *) resource);
  if (tensor == NULL || save->error != NULL)
    return;
  SluiceNamedTensor named = { NULL, sluice_tensor_dup_near (tensor, NULL, &save->error) };
  if (named.tensor == NULL)
    return;
  named.name = tensor_name (container, name);
  g_array_append_val (save->tensors, named);
}

static void
save_random (const char *container, const char *name, SluiceResource *resource, gpointer data)
{
  Save *save = data;
  if (resource->type != &sluice_random_type)
    return;
  SluicePhilox philox = sluice_random_state_dump ((SluiceRandomState *) resource);
  json_builder_set_member_name (save->state, name);
  json_builder_begin_array (save->state);
  for (guint i = 0; i < 2; i++)
    json_builder_add_int_value (save->state, philox.key[i]);
  for (guint i = 0; i < 4; i++)
    json_builder_add_int_value (save->state, philox.counter[i]);
  json_builder_end_array (save->state);
}

static void
add_int (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

char *
sluice_replica_dup_state (SluiceReplica *self, GError **error)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autofree char *hash = sluice_graph_dup_unplaced_hash (self->graph, error);
  if (hash == NULL)
    return NULL;
  Save save = { NULL, b, NULL };
  json_builder_begin_object (b);
  add_int (b, "format", STATE_FORMAT);
  json_builder_set_member_name (b, "graph");
  json_builder_add_string_value (b, hash);
  add_int (b, "step", self->n_done);
  add_int (b, "epoch", self->cursor.epoch);
  add_int (b, "position", self->cursor.position);
  json_builder_set_member_name (b, "random");
  json_builder_begin_object (b);
  sluice_resources_foreach (sluice_session_get_resources (self->session), save_random, &save);
  json_builder_end_object (b);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

static void
named_tensor_clear (gpointer data)
{
  SluiceNamedTensor *named = data;
  g_free (named->name);
  sluice_tensor_unref (named->tensor);
}

GArray *
sluice_replica_dup_variables (SluiceReplica *self, GError **error)
{
  g_autoptr (GArray) tensors = g_array_new (FALSE, TRUE, sizeof (SluiceNamedTensor));
  g_array_set_clear_func (tensors, named_tensor_clear);
  Save save = { tensors, NULL, NULL };
  sluice_resources_foreach (sluice_session_get_resources (self->session), save_variable, &save);
  if (save.error == NULL)
    return g_steal_pointer (&tensors);
  g_propagate_error (error, save.error);
  return NULL;
}

gboolean
sluice_replica_save (SluiceReplica *self, const char *path, gsize *bytes, GError **error)
{
  g_autoptr (GArray) tensors = sluice_replica_dup_variables (self, error);
  g_autofree char *state = tensors != NULL ? sluice_replica_dup_state (self, error) : NULL;
  if (state == NULL || !sluice_safetensors_write (path, tensors, state, error))
    return FALSE;
  GStatBuf info;
  *bytes = g_stat (path, &info) == 0 ? info.st_size : 0;
  return TRUE;
}

/* ---- restoring ---- */

/* The node of that name that holds it, where the graph still has one. */
static SluiceOwner
owner_of (SluiceReplica *self, const char *name)
{
  const SluiceNode *node = sluice_graph_find (sluice_session_get_graph (self->session), name);
  if (node == NULL)
    return (SluiceOwner){ 0, SLUICE_MEMORY_PARAMETER };
  return (SluiceOwner){ sluice_session_get_node_number (self->session, node),
                        sluice_memory_class_of_node (node) };
}

static SluiceResource *
make_variable (gpointer data, GError **error)
{
  SluiceNamedTensor *named = data;
  return (SluiceResource *) sluice_variable_new (named->name, named->tensor->dtype,
                                                 &named->tensor->shape);
}

/* In the memory of CPU:0, as all CPU devices have one memory and a limit each, or in the device's.
 */
static gboolean
set_variable (SluiceReplica *self,
              SluiceVariable *variable,
              const SluiceNamedTensor *named,
              GError **error)
{
  SluiceAllocator *allocator = sluice_session_get_device (self->session, 0)->allocator;
  SluiceDType dtype = named->tensor->dtype;
  const SluiceShape *shape = &named->tensor->shape;
  SluiceTensor *shared = sluice_tensor_new_shared (allocator, dtype, shape, variable->owner);
  if (shared == NULL)
    {
      sluice_tensor_explain_shortage (allocator, dtype, shape, variable->owner, error);
      g_prefix_error (error, "variable '%s': ", named->name);
      return FALSE;
    }
  if (named->tensor->n_elements > 0)
    memcpy (shared->data, named->tensor->data, sluice_tensor_bytes (named->tensor));
  SluiceDevice *device = sluice_session_find_device (self->session, variable->owner.node);
  if (device != NULL && device->klass->queues != NULL)
    {
      SluiceTensor *there = sluice_device_copy_in (device, shared, variable->owner, error);
      sluice_tensor_unref (shared);
      shared = there;
    }
  if (shared != NULL)
    sluice_variable_take_tensor (variable, shared);
  return shared != NULL;
}

static gboolean
restore_variable (SluiceReplica *self, SluiceNamedTensor *named, GError **error)
{
  char *separator = strstr (named->name, "::");
  g_autofree char *container =
      separator != NULL ? g_strndup (named->name, separator - named->name) : g_strdup ("");
  const char *name = separator != NULL ? separator + 2 : named->name;
  SluiceResource *resource =
      sluice_resources_get (sluice_session_get_resources (self->session), container, name,
                            &sluice_variable_type, make_variable, named, error);
  if (resource == NULL)
    return FALSE;
  SluiceVariable *variable = (SluiceVariable *) resource;
  if (variable->owner.node == 0)
    variable->owner = owner_of (self, name);
  gboolean ok = set_variable (self, variable, named, error);
  sluice_resource_unref (resource);
  return ok;
}

/* ---- starting values from a checkpoint ---- */

typedef struct
{
  SluiceCheckpointFile *file;
  SluiceTake which;
  GArray *tensors;      /* of SluiceNamedTensor: those that fit */
  GPtrArray *variables; /* of SluiceVariable, for each of them */
  GString *wrong;       /* what is missing or does not fit: the first ones in words */
  guint n_wrong;
  GError *error;
} Take;

#define MOST_WRONG 20 /* that are told one by one */

static void
add_wrong (Take *take, const char *format, ...)
{
  va_list args;
  if (take->n_wrong++ >= MOST_WRONG)
    return;
  va_start (args, format);
  g_string_append (take->wrong, take->wrong->len > 0 ? "; " : "");
  g_string_append_vprintf (take->wrong, format, args);
  va_end (args);
}

/* Is that what the variable may take? */
static gboolean
check_fit (Take *take, const char *name, const SluiceTensor *now, const SluiceBundleTensor *there)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (there == NULL)
    {
      const char *hint = sluice_checkpoint_file_suggest (take->file, name);
      if (take->which != SLUICE_TAKE_ALL)
        return FALSE;
      add_wrong (take, "it has no '%s'%s%s%s", name, hint != NULL ? " (is it '" : "",
                 hint != NULL ? hint : "", hint != NULL ? "'?)" : "");
      return FALSE;
    }
  if (there->dtype == (SluiceDType) now->dtype && sluice_shape_equal (&there->shape, &now->shape)
      && sluice_safetensors_has_dtype (now->dtype))
    return TRUE;
  if (take->which == SLUICE_TAKE_FIT)
    return FALSE;
  add_wrong (take, "'%s' is %s%s there and %s%s in the graph", name,
             there->dtype != SLUICE_INVALID ? sluice_dtype_name (there->dtype) : "unknown",
             sluice_shape_str (&there->shape, a), sluice_dtype_name (now->dtype),
             sluice_shape_str (&now->shape, b));
  return FALSE;
}

static void
take_variable (const char *container, const char *name, SluiceResource *resource, gpointer data)
{
  Take *take = data;
  if (resource->type != &sluice_variable_type)
    return;
  g_autoptr (SluiceTensor) now = sluice_variable_dup_tensor ((SluiceVariable *) resource);
  if (now == NULL || take->error != NULL)
    return;
  g_autofree char *full = tensor_name (container, name);
  if (!check_fit (take, full, now, sluice_checkpoint_file_find (take->file, full)))
    return;
  SluiceNamedTensor named = { NULL, sluice_checkpoint_file_read (take->file, full, &take->error) };
  if (named.tensor == NULL)
    return;
  named.name = g_steal_pointer (&full);
  g_array_append_val (take->tensors, named);
  g_ptr_array_add (take->variables, sluice_resource_ref (resource));
}

/* And what is to be done about it. */
static gboolean
fail_fit (const Take *take, const char *path, GError **error)
{
  g_autofree char *more =
      take->n_wrong > MOST_WRONG
          ? g_strdup_printf ("; and %u more, which 'sluice launch --check --init-from' lists",
                             take->n_wrong - MOST_WRONG)
          : g_strdup ("");
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                      "checkpoint '%s' does not fit the graph: %s%s%s", path, take->wrong->str,
                      more,
                      take->which == SLUICE_TAKE_ALL
                          ? "; with --init-partly what it lacks, or has otherwise, keeps its "
                            "initial value"
                          : "");
}

gboolean
sluice_replica_take_values (SluiceReplica *self, const char *path, SluiceTake which, GError **error)
{
  g_autoptr (SluiceCheckpointFile) file = sluice_checkpoint_file_open (path, error);
  if (file == NULL)
    return FALSE;
  g_autoptr (GArray) tensors = g_array_new (FALSE, TRUE, sizeof (SluiceNamedTensor));
  g_array_set_clear_func (tensors, named_tensor_clear);
  g_autoptr (GPtrArray) variables =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_resource_unref);
  g_autoptr (GString) wrong = g_string_new (NULL);
  Take take = { file, which, tensors, variables, .wrong = wrong };
  sluice_resources_foreach (sluice_session_get_resources (self->session), take_variable, &take);
  if (take.error == NULL && wrong->len > 0)
    fail_fit (&take, path, &take.error);
  else if (take.error == NULL && which == SLUICE_TAKE_FIT && tensors->len == 0)
    sluice_fail (&take.error, SLUICE_ERROR_NOT_FOUND,
                 "no variable of the graph gets a value of checkpoint '%s', by name and shape; "
                 "begin without it, or with another one",
                 path);
  for (guint i = 0; take.error == NULL && i < variables->len; i++)
    set_variable (self, variables->pdata[i], &g_array_index (tensors, SluiceNamedTensor, i),
                  &take.error);
  if (take.error != NULL)
    g_propagate_error (error, take.error);
  return take.error == NULL;
}

/* The words of a stream: two of the key, four of the counter. */
static gboolean
read_philox (JsonNode *node, SluicePhilox *philox)
{
  if (!JSON_NODE_HOLDS_ARRAY (node) || json_array_get_length (json_node_get_array (node)) != 6)
    return FALSE;
  for (guint i = 0; i < 6; i++)
    {
      JsonNode *word = json_array_get_element (json_node_get_array (node), i);
      if (!JSON_NODE_HOLDS_VALUE (word) || json_node_get_value_type (word) != G_TYPE_INT64)
        return FALSE;
      *(i < 2 ? &philox->key[i] : &philox->counter[i - 2]) = json_node_get_int (word);
    }
  return TRUE;
}

static gboolean
restore_random (SluiceReplica *self, JsonObject *random, GError **error)
{
  g_autoptr (GList) names = json_object_get_members (random);
  for (GList *l = names; l != NULL; l = l->next)
    {
      SluicePhilox philox;
      if (!read_philox (json_object_get_member (random, l->data), &philox))
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "has a malformed random stream of '%s'",
                            (char *) l->data);
      SluiceRandomState *state = sluice_random_state_get (
          sluice_session_get_resources (self->session), l->data, &philox, error);
      if (state == NULL)
        return FALSE;
      sluice_random_state_load (state, &philox);
      sluice_resource_unref (&state->parent);
    }
  return TRUE;
}

static gboolean
restore_state (SluiceReplica *self, const char *text, GError **error)
{
  g_autoptr (JsonNode) root =
      text != NULL ? sluice_checkpoint_parse_json (text, strlen (text), NULL) : NULL;
  if (root == NULL)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "holds no state of a training run");
  JsonObject *state = json_node_get_object (root);
  gint64 format = json_object_get_int_member_with_default (state, "format", 0);
  if (format != STATE_FORMAT)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "has state of format %" G_GINT64_FORMAT ", this program reads %d", format,
                        STATE_FORMAT);
  g_autofree char *hash = sluice_graph_dup_unplaced_hash (self->graph, error);
  g_autofree char *placed = hash != NULL ? sluice_graph_dup_hash (self->graph, error) : NULL;
  if (placed == NULL)
    return FALSE;
  const char *saved = json_object_get_string_member_with_default (state, "graph", "");
  /* Older checkpoints say where nodes stood, too. */
  if (strcmp (hash, saved) != 0 && strcmp (placed, saved) != 0)
    return sluice_fail (
        error, SLUICE_ERROR_FAILED_PRECONDITION,
        "belongs to another graph (%.12s…, this one is %.12s…); resume with the run's own graph",
        saved, hash);
  self->n_done = json_object_get_int_member_with_default (state, "step", 0);
  sluice_replica_forget_changes (self);
  self->cursor.epoch = json_object_get_int_member_with_default (state, "epoch", 0);
  self->cursor.position = json_object_get_int_member_with_default (state, "position", 0);
  if (self->n_done < 0 || self->cursor.epoch < 0 || self->cursor.position < 0
      || (self->examples != NULL && self->cursor.position > self->examples->n))
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                        "has a step or cursor out of range; was the data set changed?");
  JsonNode *random = json_object_get_member (state, "random");
  return random == NULL || !JSON_NODE_HOLDS_OBJECT (random)
         || restore_random (self, json_node_get_object (random), error);
}

gboolean
sluice_replica_restore (SluiceReplica *self, const char *path, GError **error)
{
  g_autofree char *state = NULL;
  g_autoptr (GArray) tensors = sluice_safetensors_read (path, &state, error);
  if (tensors == NULL)
    return FALSE;
  /* A checkpoint has no tables. */
  if (!sluice_replica_restore_saved_model (self, error))
    return FALSE;
  gboolean ok = restore_state (self, state, error);
  for (guint i = 0; ok && i < tensors->len; i++)
    ok = restore_variable (self, &g_array_index (tensors, SluiceNamedTensor, i), error);
  if (!ok)
    g_prefix_error (error, "checkpoint '%s' ", path);
  return ok;
}

/* ---- another graph ---- */

static const SluiceNamedTensor *
find_named (const GArray *tensors, const char *name)
{
  for (guint i = 0; i < tensors->len; i++)
    {
      const SluiceNamedTensor *named = &g_array_index (tensors, SluiceNamedTensor, i);
      if (strcmp (named->name, name) == 0)
        return named;
    }
  return NULL;
}

/* May the graph's variable of that name have the value? own: (nullable): what it has */
static gboolean
takes_value (SluiceReplica *self, const SluiceNamedTensor *value, const SluiceNamedTensor *own)
{
  if (own == NULL) /* nothing has initialised it yet */
    return sluice_graph_find (self->graph, value->name) != NULL;
  return own->tensor->dtype == value->tensor->dtype
         && sluice_shape_equal (&own->tensor->shape, &value->tensor->shape);
}

static void
carry_stream (const char *container, const char *name, SluiceResource *resource, gpointer data)
{
  SluiceResources *resources = data;
  if (resource->type != &sluice_random_type)
    return;
  SluicePhilox philox = sluice_random_state_dump ((SluiceRandomState *) resource);
  SluiceRandomState *state = sluice_random_state_get (resources, name, &philox, NULL);
  if (state == NULL)
    return;
  sluice_random_state_load (state, &philox);
  sluice_resource_unref (&state->parent);
}

void
sluice_replica_carry_random (SluiceResources *from, SluiceResources *to)
{
  sluice_resources_foreach (from, carry_stream, to);
}

gboolean
sluice_replica_carry (SluiceReplica *self,
                      SluiceReplica *from,
                      guint *n_kept,
                      guint *n_new,
                      guint *n_dropped,
                      GError **error)
{
  g_autoptr (GArray) values = sluice_replica_dup_variables (from, error);
  g_autoptr (GArray) own = values != NULL ? sluice_replica_dup_variables (self, error) : NULL;
  if (own == NULL)
    return FALSE;
  *n_kept = *n_dropped = 0;
  guint n_found = 0;
  for (guint i = 0; i < values->len; i++)
    {
      SluiceNamedTensor *value = &g_array_index (values, SluiceNamedTensor, i);
      const SluiceNamedTensor *there = find_named (own, value->name);
      if (!takes_value (self, value, there))
        {
          ++*n_dropped;
          continue;
        }
      if (!restore_variable (self, value, error))
        return FALSE;
      ++*n_kept;
      n_found += there != NULL;
    }
  *n_new = own->len - n_found;
  sluice_replica_carry_random (sluice_session_get_resources (from->session),
                               sluice_session_get_resources (self->session));
  self->n_done = from->n_done;
  self->cursor = from->cursor;
  sluice_replica_forget_changes (self);
  return TRUE;
}
