/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/residency.h"

#include "engine/base/allocator-record.h"
#include "engine/base/lock.h"
#include "engine/base/pool.h"

#include <pthread.h>

/* Smaller buffers leave where larger ones do not suffice: each move costs the link's latency. */
#define SMALL ((gsize) 4096)

#define BLOCK_STEP ((gsize) 64) /* what the allocator rounds to */

typedef enum
{
  STATE_THERE,   /* in the device's memory, in the list */
  STATE_LEAVING, /* there, while it is copied */
  STATE_AWAY,    /* in the host's */
  STATE_COMING,  /* in the host's, while it is copied; its place there may be taken already */
} State;

typedef struct _Resident Resident;
struct _Resident
{
  SluiceBuffer buffer;
  SluiceResidency *residency;
  Resident *next, *previous; /* THERE: in the list */
  void *here;                /* LEAVING: room for it; AWAY, COMING: where it is */
  guint64 stamp;             /* of the kernel that used it last */
  guint64 failed;            /* of the kernel meanwhile it could not be moved */
  guint8 state;
  guint8 is_dropped; /* LEAVING, COMING: nobody uses it any more */
  guint16 n_pins;    /* copies that go on */
};
G_STATIC_ASSERT (sizeof (Resident) <= SLUICE_RESIDENT_BYTES);

struct _SluiceResidency
{
  SluiceAllocator *allocator;
  char *name;
  SluiceMover mover;
  gpointer device;

  pthread_mutex_t lock; /* guards the rest, and all residents */
  pthread_cond_t changed;
  Resident list; /* head of a ring: next is what was used last */
  guint64 clock; /* number of the kernel that runs, or of none */
  gsize at_once; /* bytes whose stamp is the clock's */
  gsize wanted;  /* and what could not be had beside them, the last time */
  guint n_leaving, n_coming;
  guint n_taking;      /* threads that have a block, perhaps, and no buffer yet */
  guint n_pinned;      /* pins of all */
  gboolean is_running; /* a kernel */
  gboolean is_closed;
  SluiceResidencyStats stats;
};

static _Thread_local gboolean is_waiting; /* sluice_residency_begin_waiting() */
static _Thread_local gboolean is_taking;  /* sluice_residency_begin_take() */

SluiceResidency *
sluice_residency_new (SluiceAllocator *allocator,
                      const char *name,
                      SluiceMover mover,
                      gpointer device)
{
  SluiceResidency *self = g_new0 (SluiceResidency, 1);
  self->allocator = allocator;
  self->name = g_strdup (name);
  self->mover = mover;
  self->device = device;
  self->list.next = self->list.previous = &self->list;
  self->clock = 1;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  return self;
}

void
sluice_residency_close (SluiceResidency *self)
{
  pthread_mutex_lock (&self->lock);
  self->is_closed = TRUE;
  while (self->n_leaving > 0 || self->n_coming > 0)
    sluice_lock_wait (&self->changed, &self->lock, SLUICE_LOCK_MEMORY);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_residency_free (SluiceResidency *self)
{
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  g_free (self->name);
  g_free (self);
}

static inline Resident *
resident_of (SluiceBuffer *buffer)
{
  return (Resident *) buffer;
}

/* What its block takes of the limit. */
static inline gsize
size_of (const Resident *resident)
{
  return MAX ((resident->buffer.bytes + BLOCK_STEP - 1) & ~(BLOCK_STEP - 1), BLOCK_STEP);
}

/* ---- the list; under the lock ---- */

static inline void
unlink_resident (Resident *resident)
{
  resident->next->previous = resident->previous;
  resident->previous->next = resident->next;
}

static inline void
link_first (SluiceResidency *self, Resident *resident)
{
  resident->next = self->list.next;
  resident->previous = &self->list;
  resident->next->previous = resident;
  self->list.next = resident;
}

/* What the kernel that runs uses. */
static inline void
count_used (SluiceResidency *self, gsize bytes)
{
  self->at_once += bytes;
  self->stats.most_at_once = MAX (self->stats.most_at_once, self->at_once);
}

static inline void
use (SluiceResidency *self, Resident *resident)
{
  if (resident->stamp == self->clock)
    return;
  resident->stamp = self->clock;
  count_used (self, size_of (resident));
}

/* What was in use is not any more. */
static void
advance (SluiceResidency *self, gboolean is_running)
{
  pthread_mutex_lock (&self->lock);
  self->clock++;
  self->at_once = 0;
  self->is_running = is_running;
  if (!is_running)
    pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* It is over, one way or the other. */
static void
end_move (SluiceResidency *self, Resident *resident, State state)
{
  if (resident->state == STATE_LEAVING)
    self->n_leaving--;
  else
    self->n_coming--;
  resident->state = (guint8) state;
  if (state == STATE_THERE)
    link_first (self, resident);
}

/* ---- buffers ---- */

void
sluice_residency_begin_take (SluiceResidency *self)
{
  is_taking = TRUE;
  pthread_mutex_lock (&self->lock);
  self->n_taking++;
  pthread_mutex_unlock (&self->lock);
}

/* Under the lock. Others that found nothing to move look again. */
static void
stop_taking (SluiceResidency *self)
{
  self->n_taking--;
  pthread_cond_broadcast (&self->changed);
}

void
sluice_residency_end_take (SluiceResidency *self)
{
  is_taking = FALSE;
  pthread_mutex_lock (&self->lock);
  stop_taking (self);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_residency_add (SluiceResidency *self, SluiceBuffer *buffer)
{
  Resident *resident = resident_of (buffer);
  buffer->may_leave = TRUE;
  resident->residency = self;
  resident->here = NULL;
  resident->stamp = resident->failed = 0;
  resident->state = STATE_THERE;
  resident->is_dropped = FALSE;
  resident->n_pins = 0;
  pthread_mutex_lock (&self->lock);
  if (!is_waiting)
    use (self, resident);
  link_first (self, resident);
  pthread_mutex_unlock (&self->lock);
}

/* Its block goes at last: with it the allocator and the residency may go. */
static void
free_resident (Resident *resident)
{
  SluiceBlock *block = resident->buffer.block;
  sluice_allocator_free (resident->here);
  sluice_allocator_free (resident);
  sluice_block_free_far (block);
}

gboolean
sluice_residency_remove (SluiceBuffer *buffer)
{
  Resident *resident = resident_of (buffer);
  SluiceResidency *self = resident->residency;
  pthread_mutex_lock (&self->lock);
  gboolean is_moving = resident->state == STATE_LEAVING || resident->state == STATE_COMING;
  resident->is_dropped = TRUE;
  if (resident->stamp == self->clock)
    self->at_once -= size_of (resident);
  if (resident->state == STATE_THERE)
    unlink_resident (resident);
  else if (resident->state == STATE_AWAY)
    self->stats.bytes_away -= buffer->bytes;
  pthread_mutex_unlock (&self->lock);
  if (!is_moving)
    free_resident (resident);
  return FALSE;
}

/* ---- out ---- */

/* One that is not in use. */
static inline gboolean
can_leave (const SluiceResidency *self, const Resident *resident)
{
  return resident->stamp != self->clock && resident->failed != self->clock && resident->n_pins == 0;
}

/* What was used the longest time ago, until so much is on its way; under the lock. */
static gsize
choose (SluiceResidency *self, gsize bytes, gsize at_least, GPtrArray *victims)
{
  gsize chosen = 0;
  for (Resident *one = self->list.previous, *next; one != &self->list && chosen < bytes; one = next)
    {
      next = one->previous;
      if (one->buffer.bytes < at_least || !can_leave (self, one))
        continue;
      unlink_resident (one);
      one->state = STATE_LEAVING;
      self->n_leaving++;
      chosen += size_of (one);
      g_ptr_array_add (victims, one);
    }
  return chosen;
}

/* Room in the host's memory, and the copies. */
static SluiceBlockMove *
copy_out (SluiceResidency *self, const GPtrArray *victims)
{
  SluiceBlockMove *moves = g_new0 (SluiceBlockMove, victims->len);
  guint n = 0;
  for (guint i = 0; i < victims->len; i++)
    {
      Resident *one = victims->pdata[i];
      SluiceOwner owner = sluice_block_get_owner (one->buffer.block);
      one->here = sluice_allocator_alloc (sluice_allocator_get_host (), one->buffer.bytes, owner);
      if (one->here == NULL)
        break;
      moves[n++] = (SluiceBlockMove){ one->buffer.data, one->here, one->buffer.bytes, FALSE };
    }
  if (n > 0)
    self->mover (self->device, moves, n, TRUE);
  return moves;
}

/* It has been copied, and nobody reads it where it was any more; under the lock. */
static void
put_away (SluiceResidency *self, Resident *resident)
{
  sluice_block_vacate (resident->buffer.block);
  self->stats.n_out++;
  self->stats.bytes_out += resident->buffer.bytes;
  self->stats.bytes_away += resident->buffer.bytes;
  end_move (self, resident, STATE_AWAY);
}

/* It could not be copied: others are tried before it is again. Under the lock. */
static void
keep_there (SluiceResidency *self, Resident *resident)
{
  g_clear_pointer (&resident->here, sluice_allocator_free);
  end_move (self, resident, STATE_THERE);
  resident->failed = self->clock;
  self->stats.n_failed++;
}

static void
finish_out (SluiceResidency *self, const GPtrArray *victims, const SluiceBlockMove *moves)
{
  g_autoptr (GPtrArray) dropped = g_ptr_array_new_with_free_func ((GDestroyNotify) free_resident);
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < victims->len; i++)
    {
      Resident *one = victims->pdata[i];
      while (one->n_pins > 0)
        sluice_lock_wait (&self->changed, &self->lock, SLUICE_LOCK_MEMORY);
      if (one->is_dropped)
        {
          end_move (self, one, STATE_AWAY);
          g_ptr_array_add (dropped, one);
        }
      else if (moves[i].ok)
        put_away (self, one);
      else
        keep_there (self, one);
    }
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* Bytes that must leave for so many to be had. */
static gsize
count_lacking (const SluiceResidency *self, gsize bytes)
{
  gsize limit = sluice_allocator_get_limit (self->allocator);
  gsize live = sluice_allocator_get_live (self->allocator);
  return live + bytes > limit ? live + bytes - limit : 0;
}

/* Under the lock, which it lets go of while it waits. What others move, copy or have just taken
 * can leave in a moment; so can what a kernel uses that this thread's memory is not for. Returns
 * FALSE where there is nothing to wait for. */
static gboolean
wait_for_others (SluiceResidency *self)
{
  if (is_taking)
    stop_taking (self);
  gboolean waits = self->n_leaving > 0 || self->n_pinned > 0 || self->n_taking > 0
                   || (is_waiting && self->is_running);
  if (waits)
    sluice_lock_wait (&self->changed, &self->lock, SLUICE_LOCK_MEMORY);
  if (is_taking)
    self->n_taking++;
  return waits;
}

gboolean
sluice_residency_make_room (SluiceResidency *self, gsize bytes)
{
  g_autoptr (GPtrArray) victims = g_ptr_array_new ();
  pthread_mutex_lock (&self->lock);
  gsize lacking = count_lacking (self, bytes);
  gsize chosen = self->is_closed ? 0 : choose (self, lacking, MIN (SMALL, lacking), victims);
  if (!self->is_closed && chosen < lacking)
    choose (self, lacking - chosen, 0, victims);
  gboolean again = lacking == 0 || victims->len > 0 || wait_for_others (self);
  if (!again)
    self->wanted = bytes;
  pthread_mutex_unlock (&self->lock);
  if (victims->len > 0)
    {
      guint64 start = sluice_clock_ticks ();
      g_autofree SluiceBlockMove *moves = copy_out (self, victims);
      finish_out (self, victims, moves);
      sluice_lock_tell (SLUICE_LOCK_MEMORY, start);
    }
  return again;
}

gsize
sluice_residency_get_needed (SluiceResidency *self)
{
  pthread_mutex_lock (&self->lock);
  gsize needed = self->at_once + self->wanted;
  pthread_mutex_unlock (&self->lock);
  return needed;
}

char *
sluice_residency_describe (SluiceResidency *self)
{
  pthread_mutex_lock (&self->lock);
  g_autofree char *away = g_format_size_full (self->stats.bytes_away, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *at_once =
      g_format_size_full (self->at_once + self->wanted, G_FORMAT_SIZE_IEC_UNITS);
  char *text = g_strdup_printf ("%s of what is not in use lie in the host's memory, but this node "
                                "needs at least %s at once%s",
                                away, at_once,
                                self->stats.n_failed > 0 ? ", and not all could be moved" : "");
  pthread_mutex_unlock (&self->lock);
  return text;
}

/* ---- and back ---- */

void
sluice_residency_begin (SluiceResidency *self)
{
  advance (self, TRUE);
}

void
sluice_residency_end (SluiceResidency *self)
{
  advance (self, FALSE);
}

/* All of them are in use from now on; those that are away are on their way; under the lock. */
static void
gather_missing (SluiceResidency *self, SluiceTensor *const *tensors, guint n, GPtrArray *missing)
{
  for (guint i = 0; i < n; i++)
    {
      SluiceBuffer *buffer = tensors[i]->buffer;
      Resident *one = buffer != NULL && buffer->may_leave ? resident_of (buffer) : NULL;
      if (one == NULL || one->residency != self)
        continue;
      use (self, one);
      gboolean is_own = one->state == STATE_COMING && g_ptr_array_find (missing, one, NULL);
      while (!is_own && (one->state == STATE_LEAVING || one->state == STATE_COMING))
        sluice_lock_wait (&self->changed, &self->lock, SLUICE_LOCK_MEMORY);
      if (one->state == STATE_THERE)
        {
          unlink_resident (one);
          link_first (self, one);
        }
      else if (one->state == STATE_AWAY)
        {
          one->state = STATE_COMING;
          self->n_coming++;
          g_ptr_array_add (missing, one);
        }
    }
}

/* Returns how many of them have room. */
static guint
copy_back (SluiceResidency *self, const GPtrArray *missing, SluiceBlockMove *moves)
{
  guint n = 0;
  for (; n < missing->len; n++)
    {
      const Resident *one = missing->pdata[n];
      if (!sluice_block_occupy (one->buffer.block))
        break;
      moves[n] = (SluiceBlockMove){ one->buffer.data, one->here, one->buffer.bytes, FALSE };
    }
  if (n == missing->len)
    self->mover (self->device, moves, n, FALSE);
  return n;
}

/* Without room for all, or where a copy has failed, what has not come stays where it was. */
static void
finish_back (SluiceResidency *self,
             const GPtrArray *missing,
             const SluiceBlockMove *moves,
             guint n_room)
{
  g_autoptr (GPtrArray) dropped = g_ptr_array_new_with_free_func ((GDestroyNotify) free_resident);
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < missing->len; i++)
    {
      Resident *one = missing->pdata[i];
      while (one->n_pins > 0)
        sluice_lock_wait (&self->changed, &self->lock, SLUICE_LOCK_MEMORY);
      if (i < n_room && (one->is_dropped || !moves[i].ok))
        sluice_block_vacate (one->buffer.block);
      gboolean has_come = !one->is_dropped && moves[i].ok;
      if (has_come)
        {
          g_clear_pointer (&one->here, sluice_allocator_free);
          self->stats.n_back++;
          self->stats.bytes_back += one->buffer.bytes;
        }
      if (has_come || one->is_dropped)
        self->stats.bytes_away -= one->buffer.bytes;
      end_move (self, one, has_come ? STATE_THERE : STATE_AWAY);
      if (one->is_dropped)
        g_ptr_array_add (dropped, one);
    }
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

static gboolean
fail_back (SluiceResidency *self, const Resident *missing, gboolean has_room, GError **error)
{
  if (has_room)
    return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE,
                        "%" G_GSIZE_FORMAT " bytes could not be copied to %s",
                        missing->buffer.bytes, self->name);
  pthread_mutex_lock (&self->lock);
  self->wanted = 0; /* it is counted as used */
  pthread_mutex_unlock (&self->lock);
  sluice_allocator_note_shortage_of (missing->buffer.block);
  g_autoptr (GString) message = g_string_new (NULL);
  g_string_printf (message, "no room to bring back %" G_GSIZE_FORMAT " bytes that this node reads",
                   missing->buffer.bytes);
  sluice_allocator_explain_shortage (self->allocator, message, missing->buffer.bytes,
                                     sluice_block_get_owner (missing->buffer.block).memory_class);
  return sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "%s", message->str);
}

gboolean
sluice_residency_need (SluiceResidency *self, SluiceTensor *const *tensors, guint n, GError **error)
{
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  pthread_mutex_lock (&self->lock);
  gather_missing (self, tensors, n, missing);
  pthread_mutex_unlock (&self->lock);
  if (missing->len == 0)
    return TRUE;
  g_autofree SluiceBlockMove *moves = g_new0 (SluiceBlockMove, missing->len);
  guint n_room = copy_back (self, missing, moves);
  guint n_come = 0;
  while (n_come < n_room && moves[n_come].ok)
    n_come++;
  gboolean ok = n_come == missing->len;
  if (!ok) /* while it is held: who calls has references */
    fail_back (self, missing->pdata[n_come], n_room == missing->len, error);
  finish_back (self, missing, moves, n_room);
  return ok;
}

/* ---- who allocates, and who copies ---- */

void
sluice_residency_begin_waiting (void)
{
  is_waiting = TRUE;
}

void
sluice_residency_end_waiting (void)
{
  is_waiting = FALSE;
}

void *
sluice_residency_pin (const SluiceTensor *tensor, SluicePinKind kind)
{
  if (!tensor->buffer->may_leave)
    return NULL;
  Resident *resident = resident_of (tensor->buffer);
  SluiceResidency *self = resident->residency;
  pthread_mutex_lock (&self->lock);
  /* What is copied now must not change meanwhile; what comes does so behind this in its queue. */
  while (kind == SLUICE_PIN_WRITE && resident->state == STATE_LEAVING)
    sluice_lock_wait (&self->changed, &self->lock, SLUICE_LOCK_MEMORY);
  resident->n_pins++;
  self->n_pinned++;
  gboolean is_here = resident->state == STATE_AWAY || resident->state == STATE_COMING;
  char *here = is_here ? resident->here : NULL;
  pthread_mutex_unlock (&self->lock);
  gsize offset = (gsize) ((char *) tensor->data - (char *) tensor->buffer->data);
  return is_here ? here + offset : NULL;
}

void
sluice_residency_unpin (const SluiceTensor *tensor)
{
  if (!tensor->buffer->may_leave)
    return;
  Resident *resident = resident_of (tensor->buffer);
  SluiceResidency *self = resident->residency;
  pthread_mutex_lock (&self->lock);
  resident->n_pins--;
  if (--self->n_pinned == 0 || resident->n_pins == 0)
    pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

gboolean
sluice_residency_is_away (const SluiceBuffer *buffer)
{
  if (!buffer->may_leave)
    return FALSE;
  const Resident *resident = (const Resident *) buffer;
  pthread_mutex_lock (&resident->residency->lock);
  gboolean is_away = resident->state != STATE_THERE;
  pthread_mutex_unlock (&resident->residency->lock);
  return is_away;
}

void
sluice_residency_get_stats (SluiceResidency *self, SluiceResidencyStats *stats)
{
  pthread_mutex_lock (&self->lock);
  *stats = self->stats;
  pthread_mutex_unlock (&self->lock);
}
