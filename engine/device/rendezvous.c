/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The rendezvous within a process: hash tables, each with a lock of its own. Under a key there is
 * either a value that waits for its receiver or a receiver that waits for its value. Callbacks are
 * called without a lock: they may end the step that the rendezvous belongs to.
 */
#include "engine/device/rendezvous.h"

#define N_SHARDS    16
#define MOST_LISTED 3

SluiceRendezvous *
sluice_rendezvous_ref (SluiceRendezvous *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_rendezvous_unref (SluiceRendezvous *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) == 1)
    self->klass->finalize (self);
}

gboolean
sluice_rendezvous_send (SluiceRendezvous *self,
                        guint64 epoch,
                        const SluiceTransferKey *key,
                        SluiceTensor *tensor,
                        GError **error)
{
  return self->klass->send (self, epoch, key, tensor, error);
}

void
sluice_rendezvous_receive (SluiceRendezvous *self,
                           guint64 epoch,
                           const SluiceTransferKey *key,
                           SluiceReceive *receive)
{
  self->klass->receive (self, epoch, key, receive);
}

void
sluice_rendezvous_abort (SluiceRendezvous *self, guint64 epoch, const GError *status)
{
  self->klass->abort (self, epoch, status);
}

char *
sluice_rendezvous_describe_wait (SluiceRendezvous *self,
                                 guint64 epoch,
                                 const SluiceTransferKey *key)
{
  return self->klass->describe_wait (self, epoch, key);
}

/* ---- the local one ---- */

typedef struct
{
  SluiceTransferKey key; /* holds its transfer */
  guint64 epoch;
  guint32 hash;
  gboolean is_dead;       /* the value */
  SluiceTensor *tensor;   /* (nullable): of a value */
  SluiceReceive *receive; /* (nullable): who waits; NULL: a value does */
} Entry;

typedef struct
{
  _Alignas(64) pthread_mutex_t lock;
  GHashTable *entries;  /* of Entry: key and value */
  gboolean has_aborted; /* some epoch */
  guint64 last_aborted; /* and all before it */
  GError *status;       /* of the last one that was aborted */
} Shard;

typedef struct
{
  SluiceRendezvous parent;
  Shard shards[N_SHARDS];
} Local;

static guint
hash_entry (gconstpointer entry)
{
  return ((const Entry *) entry)->hash;
}

static gboolean
equal_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  return x->hash == y->hash && x->epoch == y->epoch && x->key.frame == y->key.frame
         && x->key.iteration == y->key.iteration
         && sluice_transfer_equal (x->key.transfer, y->key.transfer);
}

/* The entry is the caller's; its transfer is borrowed until it is put into a table. */
static Entry
sought (guint64 epoch, const SluiceTransferKey *key)
{
  guint64 hash = (key->transfer->hash ^ key->frame) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  hash = (hash ^ hash >> 32 ^ key->iteration) * G_GUINT64_CONSTANT (0xc4ceb9fe1a85ec53);
  hash = (hash ^ hash >> 32 ^ epoch) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (Entry){ .key = *key, .epoch = epoch, .hash = (guint32) (hash >> 32) };
}

static Shard *
shard_of (SluiceRendezvous *self, const Entry *entry)
{
  return &((Local *) self)->shards[entry->hash % N_SHARDS];
}

/* Under the shard's lock. */
static void
insert (Shard *shard, const Entry *entry)
{
  Entry *kept = g_memdup2 (entry, sizeof *entry);
  kept->key.transfer = sluice_transfer_ref ((SluiceTransfer *) entry->key.transfer);
  g_hash_table_add (shard->entries, kept);
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;
  g_clear_pointer (&entry->tensor, sluice_tensor_unref);
  sluice_transfer_unref ((SluiceTransfer *) entry->key.transfer);
  g_free (entry);
}

/* Under the shard's lock. (transfer full) (nullable): the epoch goes on */
static GError *
dup_status (const Shard *shard, guint64 epoch)
{
  return shard->has_aborted && epoch <= shard->last_aborted ? g_error_copy (shard->status) : NULL;
}

static char *
dup_key (const SluiceTransferKey *key)
{
  return sluice_transfer_dup_key (key->transfer, key->frame, key->iteration);
}

static GError *
error_twice (const SluiceTransferKey *key, const char *what)
{
  g_autofree char *text = dup_key (key);
  return g_error_new (SLUICE_ERROR, SLUICE_ERROR_ALREADY_EXISTS,
                      "'%s' is %s twice; give one of the two another tensor_name", text, what);
}

static gboolean
local_send (SluiceRendezvous *self,
            guint64 epoch,
            const SluiceTransferKey *key,
            SluiceTensor *tensor,
            GError **error)
{
  Entry entry = sought (epoch, key);
  Shard *shard = shard_of (self, &entry);
  SluiceReceive *receive = NULL;
  pthread_mutex_lock (&shard->lock);
  GError *failure = dup_status (shard, epoch);
  Entry *found = failure == NULL ? g_hash_table_lookup (shard->entries, &entry) : NULL;
  if (found != NULL && found->receive == NULL)
    failure = error_twice (key, "sent");
  else if (found != NULL)
    {
      receive = found->receive;
      g_hash_table_remove (shard->entries, found);
    }
  else if (failure == NULL)
    {
      entry.is_dead = tensor == NULL;
      entry.tensor = tensor != NULL ? sluice_tensor_ref (tensor) : NULL;
      insert (shard, &entry);
    }
  pthread_mutex_unlock (&shard->lock);
  if (receive != NULL)
    receive->received (receive, tensor != NULL ? sluice_tensor_ref (tensor) : NULL, NULL);
  if (failure != NULL)
    g_propagate_error (error, failure);
  return failure == NULL;
}

static void
local_receive (SluiceRendezvous *self,
               guint64 epoch,
               const SluiceTransferKey *key,
               SluiceReceive *receive)
{
  Entry entry = sought (epoch, key);
  Shard *shard = shard_of (self, &entry);
  SluiceTensor *tensor = NULL;
  gboolean waits = FALSE;
  pthread_mutex_lock (&shard->lock);
  GError *failure = dup_status (shard, epoch);
  Entry *found = failure == NULL ? g_hash_table_lookup (shard->entries, &entry) : NULL;
  if (found != NULL && found->receive != NULL)
    failure = error_twice (key, "received");
  else if (found != NULL)
    {
      tensor = g_steal_pointer (&found->tensor);
      g_hash_table_remove (shard->entries, found);
    }
  else if (failure == NULL)
    {
      waits = TRUE;
      entry.receive = receive;
      insert (shard, &entry);
    }
  pthread_mutex_unlock (&shard->lock);
  if (!waits)
    receive->received (receive, tensor, failure);
}

/* Under the shard's lock: what belongs to the epoch or to one before leaves the table, and who
 * waits comes before `chain`. */
static SluiceReceive *
end_entries (Shard *shard, guint64 epoch, SluiceReceive *chain)
{
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, shard->entries);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const Entry *entry = key;
      if (entry->epoch > epoch)
        continue;
      SluiceReceive *receive = entry->receive;
      if (receive != NULL)
        {
          receive->next = chain;
          receive->take_error = dup_status (shard, entry->epoch);
          chain = receive;
        }
      g_hash_table_iter_remove (&iter);
    }
  return chain;
}

static void
local_abort (SluiceRendezvous *self, guint64 epoch, const GError *status)
{
  SluiceReceive *chain = NULL;
  for (guint i = 0; i < N_SHARDS; i++)
    {
      Shard *shard = &((Local *) self)->shards[i];
      pthread_mutex_lock (&shard->lock);
      if (!shard->has_aborted || epoch > shard->last_aborted)
        {
          g_clear_error (&shard->status);
          shard->status = g_error_copy (status);
          shard->last_aborted = epoch;
          shard->has_aborted = TRUE;
          chain = end_entries (shard, epoch, chain);
        }
      pthread_mutex_unlock (&shard->lock);
    }
  while (chain != NULL)
    {
      SluiceReceive *receive = chain;
      chain = receive->next;
      receive->received (receive, NULL, g_steal_pointer (&receive->take_error));
    }
}

static gboolean
is_waited_for (SluiceRendezvous *self, guint64 epoch, const SluiceTransferKey *key)
{
  const Entry entry = sought (epoch, key);
  Shard *shard = shard_of (self, &entry);
  pthread_mutex_lock (&shard->lock);
  const Entry *found = g_hash_table_lookup (shard->entries, &entry);
  gboolean waits = found != NULL && found->receive != NULL;
  pthread_mutex_unlock (&shard->lock);
  return waits;
}

/* Of what was sent and nobody has received: MOST_LISTED of it. (transfer container) */
static GPtrArray *
list_unclaimed (SluiceRendezvous *self, guint64 epoch)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < N_SHARDS; i++)
    {
      Shard *shard = &((Local *) self)->shards[i];
      GHashTableIter iter;
      gpointer at;
      pthread_mutex_lock (&shard->lock);
      g_hash_table_iter_init (&iter, shard->entries);
      while (keys->len < MOST_LISTED && g_hash_table_iter_next (&iter, &at, NULL))
        {
          const Entry *entry = at;
          if (entry->epoch == epoch && entry->receive == NULL)
            g_ptr_array_add (keys, dup_key (&entry->key));
        }
      pthread_mutex_unlock (&shard->lock);
    }
  return keys;
}

static char *
local_describe_wait (SluiceRendezvous *self, guint64 epoch, const SluiceTransferKey *key)
{
  if (!is_waited_for (self, epoch, key))
    return NULL;
  g_autoptr (GPtrArray) keys = list_unclaimed (self, epoch);
  g_autofree char *wanted = dup_key (key);
  GString *text = g_string_new (NULL);
  g_string_printf (text, "'%s', which nothing in this run sends", wanted);
  for (guint i = 0; i < keys->len; i++)
    g_string_append_printf (
        text, "%s'%s'", i > 0 ? ", " : " (sent, and received by nobody: ", (char *) keys->pdata[i]);
  return g_string_free (g_string_append (text, keys->len > 0 ? ")" : ""), FALSE);
}

static void
local_finalize (SluiceRendezvous *self)
{
  Local *local = (Local *) self;
  for (guint i = 0; i < N_SHARDS; i++)
    {
      Shard *shard = &local->shards[i];
      g_hash_table_unref (shard->entries);
      g_clear_error (&shard->status);
      pthread_mutex_destroy (&shard->lock);
    }
  g_aligned_free (local);
}

static const SluiceRendezvousClass local_class = {
  .send = local_send,
  .receive = local_receive,
  .abort = local_abort,
  .describe_wait = local_describe_wait,
  .finalize = local_finalize,
};

SluiceRendezvous *
sluice_rendezvous_new_local (void)
{
  Local *self = g_aligned_alloc0 (1, sizeof *self, 64);
  self->parent.klass = &local_class;
  atomic_init (&self->parent.ref_count, 1);
  for (guint i = 0; i < N_SHARDS; i++)
    {
      pthread_mutex_init (&self->shards[i].lock, NULL);
      self->shards[i].entries = g_hash_table_new_full (hash_entry, equal_entries, entry_free, NULL);
    }
  return &self->parent;
}
