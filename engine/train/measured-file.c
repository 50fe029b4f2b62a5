/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/measured-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/pool.h"
#include "engine/base/read-file.h"
#include "engine/store/crc32c.h"
#include "engine/store/file.h"
#include "engine/train/run-file.h"

/* "sluice-measured 1", then of each machine "machine", key, when it measured last and its name,
 * with tabs between, and its entries as measured-text.c has them; at the end "end" and the CRC-32C
 * of all before. */
#define FILE_NAME "measured.txt"
#define LOCK_NAME "measured.lock"
#define HEADER    "sluice-measured 1\n"
#define MACHINE   "machine\t"
#define END       "end\t"
/* Entries of a line of a kilobyte are long ones. */
#define MOST_BYTES ((guint64) SLUICE_MEASURED_MACHINES * SLUICE_MEASURED_MOST * 4096)

char *
sluice_dup_machine_key (void)
{
  g_autofree char *machine = sluice_dup_machine ();
  g_autofree char *build = sluice_dup_build ();
  g_autofree char *all = g_strdup_printf ("%s\n%s\n%u", machine, build != NULL ? build : "",
                                          sluice_pool_get_threads ());
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, all, -1);
}

static char *
dup_path (const char *folder, const char *name)
{
  return folder != NULL ? g_build_filename (folder, name, NULL)
                        : g_build_filename (g_get_user_cache_dir (), "sluice", name, NULL);
}

/* ---- sections ---- */

typedef struct
{
  char *key, *name;
  gint64 when;
  const char *text; /* its entries, of the file's bytes */
  gsize length;
} Section;

static void
clear_section (gpointer section)
{
  g_free (((Section *) section)->key);
  g_free (((Section *) section)->name);
}

static gboolean
fail_wrong (const char *path, const char *what, GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "'%s' %s; what it said is measured again",
                      path, what);
}

/* line: without "machine" */
static gboolean
add_section (GArray *sections, const char *line, gsize length)
{
  g_autofree char *copy = g_strndup (line, length);
  g_auto (GStrv) fields = g_strsplit (copy, "\t", 4);
  Section section = { NULL };
  if (g_strv_length (fields) != 3
      || !g_ascii_string_to_signed (fields[1], 10, 0, G_MAXINT64, &section.when, NULL))
    return FALSE;
  section.key = g_strdup (fields[0]);
  section.name = g_strdup (fields[2]);
  g_array_append_val (sections, section);
  return TRUE;
}

/* Checks the frame of the file and finds the sections; body: of the file without its last line. */
static gboolean
split (GArray *sections, const char *text, gsize length, const char *path, GError **error)
{
  gsize tail = strlen (END) + 8 + 1;
  if (length < strlen (HEADER) + tail || memcmp (text, HEADER, strlen (HEADER)) != 0)
    return fail_wrong (path, "holds no figures of this version", error);
  const char *body_end = text + length - tail;
  g_autofree char *last = g_strdup_printf (END "%08x\n", sluice_crc32c (0, text, length - tail));
  if (memcmp (body_end, last, tail) != 0)
    return fail_wrong (path, "is damaged or was cut short", error);
  for (const char *line = text + strlen (HEADER), *next; line < body_end; line = next)
    {
      const char *stop = memchr (line, '\n', (gsize) (body_end - line));
      if (stop == NULL)
        return fail_wrong (path, "ends within a line", error);
      next = stop + 1;
      if (g_str_has_prefix (line, MACHINE))
        {
          const char *fields = line + strlen (MACHINE);
          if (!add_section (sections, fields, (gsize) (stop - fields)))
            return fail_wrong (path, "names a machine in no known way", error);
          g_array_index (sections, Section, sections->len - 1).text = next;
        }
      else if (sections->len == 0)
        return fail_wrong (path, "has figures of no machine", error);
      else
        g_array_index (sections, Section, sections->len - 1).length += (gsize) (next - line);
    }
  return TRUE;
}

/* ---- reading ---- */

typedef struct
{
  GBytes *bytes;    /* (nullable): of the file */
  GArray *sections; /* of Section */
  SluiceMeasured *own;
} Contents;

static void
contents_clear (Contents *self)
{
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_clear_pointer (&self->sections, g_array_unref);
  g_clear_pointer (&self->own, sluice_measured_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Contents, contents_clear)

/* The section of a machine; -1: it has none. */
static int
find_section (const GArray *sections, const char *key)
{
  for (guint i = 0; i < sections->len; i++)
    if (g_str_equal (g_array_index (sections, Section, i).key, key))
      return (int) i;
  return -1;
}

static gboolean
read_own (Contents *self, const char *key, const char *path, GError **error)
{
  g_autoptr (GError) reason = NULL;
  int number = find_section (self->sections, key);
  const Section *own = number >= 0 ? &g_array_index (self->sections, Section, number) : NULL;
  if (own == NULL || sluice_measured_add_text (self->own, own->text, own->length, &reason))
    return TRUE;
  return fail_wrong (path, reason->message, error);
}

/* FALSE: it is empty, and why. */
static gboolean
read_contents (Contents *self, const char *path, const char *key, GError **error)
{
  g_autoptr (GError) failed = NULL;
  self->sections = g_array_new (FALSE, FALSE, sizeof (Section));
  g_array_set_clear_func (self->sections, clear_section);
  self->own = sluice_measured_new ();
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  self->bytes =
      sluice_read_file ("what was measured", path, SLUICE_READ_PLAIN, MOST_BYTES, &failed);
  gsize length = 0;
  const char *text = self->bytes != NULL ? g_bytes_get_data (self->bytes, &length) : NULL;
  if (self->bytes != NULL && split (self->sections, text != NULL ? text : "", length, path, &failed)
      && read_own (self, key, path, &failed))
    return TRUE;
  g_array_set_size (self->sections, 0);
  g_propagate_error (error, g_steal_pointer (&failed));
  return FALSE;
}

char *
sluice_measured_file_dup_path (const char *folder)
{
  return dup_path (folder, FILE_NAME);
}

SluiceMeasured *
sluice_measured_file_load (const char *folder, GError **error)
{
  g_autofree char *path = dup_path (folder, FILE_NAME), *key = sluice_dup_machine_key ();
  g_auto (Contents) contents = { NULL };
  read_contents (&contents, path, key, error);
  return g_steal_pointer (&contents.own);
}

/* ---- writing ---- */

static int
compare_newest_first (gconstpointer a, gconstpointer b)
{
  const Section *x = a, *y = b;
  return (x->when < y->when) - (x->when > y->when);
}

static GString *
make_text (Contents *contents, const char *key)
{
  GString *text = g_string_new (HEADER);
  g_autofree char *name = g_strdelimit (sluice_dup_machine (), "\t\n", ' ');
  guint n_others = 0;
  g_string_append_printf (text, MACHINE "%s\t%" G_GINT64_FORMAT "\t%s\n", key,
                          g_get_real_time () / G_USEC_PER_SEC, name);
  sluice_measured_append_text (contents->own, text);
  g_array_sort (contents->sections, compare_newest_first);
  for (guint i = 0; i < contents->sections->len; i++)
    {
      const Section *other = &g_array_index (contents->sections, Section, i);
      if (g_str_equal (other->key, key) || ++n_others >= SLUICE_MEASURED_MACHINES)
        continue;
      g_string_append_printf (text, MACHINE "%s\t%" G_GINT64_FORMAT "\t%s\n", other->key,
                              other->when, other->name);
      g_string_append_len (text, other->text, (gssize) other->length);
    }
  g_string_append_printf (text, END "%08x\n", sluice_crc32c (0, text->str, text->len));
  return text;
}

/* Of the other processes that keep figures: each holds it for milliseconds. -1: errno says why */
static int
take_lock (const char *path)
{
  int fd = g_open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  while (fd >= 0 && fcntl (fd, F_OFD_SETLKW, &whole) != 0)
    if (errno != EINTR)
      {
        int number = errno;
        close (fd);
        errno = number;
        return -1;
      }
  return fd;
}

gboolean
sluice_measured_file_keep (const char *folder, SluiceMeasured *measured, GError **error)
{
  g_autofree char *path = dup_path (folder, FILE_NAME), *lock_path = dup_path (folder, LOCK_NAME);
  g_autofree char *key = sluice_dup_machine_key ();
  if (!sluice_measured_has_fresh (measured))
    return TRUE;
  if (!sluice_file_make_folder (path, error))
    return FALSE;
  int lock = take_lock (lock_path);
  if (lock < 0)
    return sluice_file_fail (error, errno, "'%s' cannot be locked", lock_path);
  g_auto (Contents) contents = { NULL };
  read_contents (&contents, path, key, NULL);
  sluice_measured_merge_fresh (contents.own, measured);
  g_autoptr (GString) text = make_text (&contents, key);
  gboolean ok = sluice_file_put ("what was measured", path, text->str, text->len, error);
  close (lock);
  if (ok)
    sluice_measured_set_kept (measured);
  return ok;
}
