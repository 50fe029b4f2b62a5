/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/ini.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"

#define MAX_INI_BYTES ((guint64) 16 << 20)

/* Blanks around a value mean nothing; one that belongs to it is written as an escape. (nullable) */
char *
sluice_ini_get_text (GKeyFile *file, const char *group, const char *key, GError **error)
{
  g_autofree char *raw = g_key_file_get_value (file, group, key, NULL);
  gsize n = strlen (raw), begin = strspn (raw, " \t");
  while (n > begin && (raw[n - 1] == ' ' || raw[n - 1] == '\t'))
    raw[--n] = '\0';
  g_key_file_set_value (file, group, key, raw + begin);
  /* Where an escape is unknown, GKeyFile returns the text all the same. */
  g_autoptr (GError) unreadable = NULL;
  g_autofree char *text = g_key_file_get_string (file, group, key, &unreadable);
  if (unreadable != NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "[%s] %s: the value has a backslash that means nothing, or is no UTF-8", group,
                   key);
      return NULL;
    }
  return g_steal_pointer (&text);
}

/* As sluice_ini_get_text() reads it: GKeyFile itself escapes only blanks at the beginning. */
void
sluice_ini_set_text (GKeyFile *file, const char *group, const char *key, const char *text)
{
  g_key_file_set_string (file, group, key, text);
  g_autofree char *raw = g_key_file_get_value (file, group, key, NULL);
  gsize n = strlen (raw);
  if (n == 0 || (raw[n - 1] != ' ' && raw[n - 1] != '\t'))
    return;
  const char *escape = raw[n - 1] == ' ' ? "\\s" : "\\t";
  raw[n - 1] = '\0';
  g_autofree char *escaped = g_strconcat (raw, escape, NULL);
  g_key_file_set_value (file, group, key, escaped);
}

GKeyFile *
sluice_ini_read (const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GBytes) bytes =
      sluice_read_file ("file", path, SLUICE_READ_PLAIN, MAX_INI_BYTES, error);
  if (bytes == NULL)
    return NULL;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);
  if (length == 0 || !g_utf8_validate (text, length, NULL))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   length == 0 ? "is empty" : "is no UTF-8 text");
      return NULL;
    }
  g_autoptr (GError) local = NULL;
  if (g_key_file_load_from_data (file, text, length, G_KEY_FILE_NONE, &local))
    return g_steal_pointer (&file);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", local->message);
  return NULL;
}
