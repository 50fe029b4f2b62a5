/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/file-access.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/error.h"

typedef struct
{
  char *folder; /* absolute, without symbolic links */
  SluiceFileUse use;
} Allowed;

struct _SluiceFileAccess
{
  atomic_int ref_count;
  GArray *allowed;   /* of Allowed */
  GPtrArray *closed; /* of prefixes that are not written */
};

static void
allowed_clear (gpointer data)
{
  g_free (((Allowed *) data)->folder);
}

SluiceFileAccess *
sluice_file_access_new (void)
{
  SluiceFileAccess *self = g_new0 (SluiceFileAccess, 1);
  atomic_init (&self->ref_count, 1);
  self->allowed = g_array_new (FALSE, FALSE, sizeof (Allowed));
  g_array_set_clear_func (self->allowed, allowed_clear);
  self->closed = g_ptr_array_new_with_free_func (g_free);
  return self;
}

SluiceFileAccess *
sluice_file_access_ref (SluiceFileAccess *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_file_access_unref (SluiceFileAccess *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  g_array_unref (self->allowed);
  g_ptr_array_unref (self->closed);
  g_free (self);
}

/* Two dots behind what does not exist, or behind a pattern, may lead anywhere. */
static gboolean
climbs (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  return g_strv_contains ((const char *const *) parts, "..");
}

/* Where a path leads: what exists of it with links followed, what does not as it stands. (nullable)
 * (transfer full): a loop of links, a folder that may not be searched, a link to what is not there,
 * which would be followed when the file is made. */
static char *
resolve (const char *path)
{
  char *real = realpath (path, NULL);
  g_autofree char *absolute = climbs (path) ? NULL : g_canonicalize_filename (path, NULL);
  g_autofree char *begin = g_strdup (absolute);
  while (real == NULL && begin != NULL && (errno == ENOENT || errno == ENOTDIR)
         && !g_file_test (begin, G_FILE_TEST_IS_SYMLINK) && strcmp (begin, "/") != 0)
    {
      char *slash = strrchr (begin, '/');
      slash[slash == begin] = '\0';
      errno = 0;
      real = realpath (begin, NULL);
    }
  if (real == NULL)
    return NULL;
  char *whole =
      begin != NULL ? g_build_filename (real, absolute + strlen (begin), NULL) : g_strdup (real);
  free (real);
  return whole;
}

void
sluice_file_access_allow (SluiceFileAccess *self, const char *folder, SluiceFileUse use)
{
  Allowed allowed = { resolve (folder), use };
  if (allowed.folder != NULL)
    g_array_append_val (self->allowed, allowed);
}

void
sluice_file_access_forbid (SluiceFileAccess *self, const char *prefix)
{
  g_autofree char *folder = g_path_get_dirname (prefix), *base = g_path_get_basename (prefix);
  g_autofree char *real = resolve (folder);
  if (real != NULL)
    g_ptr_array_add (self->closed, g_build_filename (real, base, NULL));
}

static gboolean
is_closed (const SluiceFileAccess *self, const char *path)
{
  for (guint i = 0; i < self->closed->len; i++)
    if (g_str_has_prefix (path, self->closed->pdata[i]))
      return TRUE;
  return FALSE;
}

static gboolean
lies_in (const char *path, const char *folder)
{
  gsize n = strlen (folder);
  return strncmp (path, folder, n) == 0
         && (path[n] == '\0' || path[n] == '/' || (n > 0 && folder[n - 1] == '/'));
}

static char *
describe (const SluiceFileAccess *self, SluiceFileUse use)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < self->allowed->len; i++)
    {
      const Allowed *allowed = &g_array_index (self->allowed, Allowed, i);
      if (allowed->use >= use)
        g_string_append_printf (text, "%s'%s'", text->len > 0 ? ", " : "", allowed->folder);
    }
  return g_string_free (text, FALSE);
}

gboolean
sluice_file_access_check (const SluiceFileAccess *self,
                          const char *path,
                          SluiceFileUse use,
                          GError **error)
{
  if (self == NULL)
    return TRUE;
  g_autofree char *real = resolve (path);
  if (real != NULL && use == SLUICE_FILE_WRITE && is_closed (self, real))
    return sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED,
                        "the graph may not write '%s': the workspace's own files are kept there; "
                        "write beside them",
                        path);
  for (guint i = 0; real != NULL && i < self->allowed->len; i++)
    {
      const Allowed *allowed = &g_array_index (self->allowed, Allowed, i);
      if (allowed->use >= use && lies_in (real, allowed->folder))
        return TRUE;
    }
  g_autofree char *folders = describe (self, use);
  return sluice_fail (error, SLUICE_ERROR_PERMISSION_DENIED,
                      "the graph may not %s '%s': %s%s; where it should, allow the folder with "
                      "--allow-files=DIR",
                      use == SLUICE_FILE_READ ? "read" : "write", path,
                      *folders != '\0' ? "only what lies in " : "no file is allowed to it",
                      folders);
}
