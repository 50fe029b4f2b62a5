/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-edit.h"

#include <glib/gi18n.h>

#include "engine/train/run-file.h"

typedef struct
{
  gint64 run;
  char *name;           /* for messages */
  char *before, *after; /* (nullable) */
} Change;

struct _SluiceRunEdit
{
  gatomicrefcount references;
  SluiceRunEditKind kind;
  char *tag;       /* (nullable) */
  GArray *changes; /* of Change */
  guint n_done;    /* of them: the first ones; one worker at a time has it */
};

static void
change_clear (gpointer data)
{
  Change *self = data;
  g_free (self->name);
  g_free (self->before);
  g_free (self->after);
}

SluiceRunEdit *
sluice_run_edit_new (SluiceRunEditKind kind, const char *tag)
{
  SluiceRunEdit *self = g_new0 (SluiceRunEdit, 1);
  g_atomic_ref_count_init (&self->references);
  self->kind = kind;
  self->tag = g_strdup (tag);
  self->changes = g_array_new (FALSE, FALSE, sizeof (Change));
  g_array_set_clear_func (self->changes, change_clear);
  return self;
}

SluiceRunEdit *
sluice_run_edit_ref (SluiceRunEdit *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
sluice_run_edit_unref (SluiceRunEdit *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_array_unref (self->changes);
  g_free (self->tag);
  g_free (self);
}

void
sluice_run_edit_add (SluiceRunEdit *self,
                     const SluiceRunInfo *run,
                     const char *before,
                     const char *after)
{
  if (g_strcmp0 (before, after) == 0)
    return;
  const Change change = { run->id, g_strdup (run->name), g_strdup (before), g_strdup (after) };
  g_array_append_val (self->changes, change);
}

guint
sluice_run_edit_get_n_runs (const SluiceRunEdit *self)
{
  return self->changes->len;
}

SluiceRunEditKind
sluice_run_edit_get_kind (const SluiceRunEdit *self)
{
  return self->kind;
}

char *
sluice_run_edit_dup_words (const SluiceRunEdit *self)
{
  guint n = self->changes->len;
  const Change *first = n > 0 ? &g_array_index (self->changes, Change, 0) : NULL;
  if (self->kind != SLUICE_RUN_EDIT_TRASH || first == NULL)
    return g_strdup (_ ("Changed"));
  if (n == 1)
    return first->after != NULL ? g_strdup_printf (_ ("“%s” moved to the trash"), first->name)
                                : g_strdup_printf (_ ("“%s” restored"), first->name);
  return first->after != NULL
             ? g_strdup_printf (
                 ngettext ("%u run moved to the trash", "%u runs moved to the trash", n), n)
             : g_strdup_printf (ngettext ("%u run restored", "%u runs restored", n), n);
}

/* ---- on a worker ---- */

static SluiceRunInfo *
find_run (SluiceStore *store, gint64 run, gboolean in_trash, GError **error)
{
  g_autofree char *id = g_strdup_printf ("#%" G_GINT64_FORMAT, run);
  return in_trash ? sluice_store_dup_deleted_run (store, id, error)
                  : sluice_store_dup_run (store, id, error);
}

/* Its trainer would write on into what is in the trash. */
static gboolean
throw_away (SluiceStore *store, const Change *change, GError **error)
{
  g_autoptr (SluiceRunInfo) run = find_run (store, change->run, FALSE, error);
  if (run == NULL)
    return FALSE;
  if (run->state == SLUICE_RUN_RUNNING || run->state == SLUICE_RUN_PAUSED)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        _ ("“%s” is being trained; stop it first"), run->name);
  return sluice_store_delete_run (store, change->run, error);
}

static gboolean
set_value (SluiceRunEdit *self,
           SluiceStore *store,
           const Change *change,
           const char *value,
           GError **error)
{
  switch (self->kind)
    {
    case SLUICE_RUN_EDIT_STAR:
      return sluice_store_set_run_starred (store, change->run, value != NULL, error);
    case SLUICE_RUN_EDIT_TAG:
      return sluice_store_set_run_tag (store, change->run, self->tag, value != NULL, error);
    case SLUICE_RUN_EDIT_NAME:
      return sluice_store_set_run_name (store, change->run, value, error);
    case SLUICE_RUN_EDIT_NOTES:
      return sluice_store_set_run_notes (store, change->run, value, error);
    case SLUICE_RUN_EDIT_COLOR:
      return sluice_store_set_run_color (store, change->run, value, error);
    case SLUICE_RUN_EDIT_TRASH:
      return value != NULL ? throw_away (store, change, error)
                           : sluice_store_restore_run (store, change->run, error);
    default:
      g_assert_not_reached ();
    }
}

static gboolean
change_run (SluiceRunEdit *self,
            SluiceStore *store,
            const Change *change,
            const char *value,
            GError **error)
{
  if (!set_value (self, store, change, value, error))
    return FALSE;
  if (self->kind == SLUICE_RUN_EDIT_TRASH && value != NULL)
    return TRUE; /* its folder went with it, as it is */
  g_autoptr (SluiceRunInfo) now = find_run (store, change->run, FALSE, error);
  return now != NULL && sluice_run_file_update (store, now, error);
}

gboolean
sluice_run_edit_apply (SluiceRunEdit *self, SluiceStore *store, gboolean back, GError **error)
{
  while (back ? self->n_done > 0 : self->n_done < self->changes->len)
    {
      const Change *change =
          &g_array_index (self->changes, Change, back ? self->n_done - 1 : self->n_done);
      if (!change_run (self, store, change, back ? change->before : change->after, error))
        return FALSE;
      self->n_done += back ? -1 : 1;
    }
  return TRUE;
}
