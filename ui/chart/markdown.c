/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/markdown.h"

#include <string.h>

/* A longer line is no prose, and marks in it are not looked for. */
#define LONGEST_LINE 10000

static void
append_escaped (GString *out, const char *text, gsize length)
{
  g_autofree char *escaped = g_markup_escape_text (text, (gssize) length);

  g_string_append (out, escaped);
}

/* "[words](https://…)" at @p. Returns: where it ends, or NULL where it is none. */
static const char *
append_link (GString *out, const char *p, const char *end)
{
  const char *middle = g_strstr_len (p, end - p, "](");
  const char *close = middle != NULL ? memchr (middle, ')', (gsize) (end - middle)) : NULL;

  if (close == NULL
      || !(g_str_has_prefix (middle + 2, "https://") || g_str_has_prefix (middle + 2, "http://")))
    return NULL;
  g_string_append (out, "<a href=\"");
  append_escaped (out, middle + 2, (gsize) (close - middle - 2));
  g_string_append (out, "\">");
  append_escaped (out, p + 1, (gsize) (middle - p - 1));
  g_string_append (out, "</a>");
  return close + 1;
}

/* What stands between two @mark, in @tag. Returns: where it ends, or NULL where there is no end. */
static const char *append_marked (
    GString *out, const char *p, const char *end, const char *mark, const char *tag, gboolean code);

/* The words of a line. */
static void
append_words (GString *out, const char *p, const char *end)
{
  static const struct
  {
    const char *mark, *tag;
    gboolean code;
  } marks[] = {
    { "`", "tt", TRUE }, { "**", "b", FALSE }, { "__", "b", FALSE }, { "*", "i", FALSE }
  };

  while (p < end)
    {
      const char *after = *p == '[' ? append_link (out, p, end) : NULL;

      for (guint i = 0; i < G_N_ELEMENTS (marks) && after == NULL; i++)
        after = append_marked (out, p, end, marks[i].mark, marks[i].tag, marks[i].code);
      if (after == NULL)
        {
          after = MIN (end, g_utf8_next_char (p));
          append_escaped (out, p, (gsize) (after - p));
        }
      p = after;
    }
}

static const char *
append_marked (
    GString *out, const char *p, const char *end, const char *mark, const char *tag, gboolean code)
{
  gsize length = strlen (mark);
  const char *from = p + length;
  const char *close;

  if ((gsize) (end - p) <= 2 * length || strncmp (p, mark, length) != 0
      || (!code && g_ascii_isspace (*from)))
    return NULL;
  close = g_strstr_len (from, end - from, mark);
  if (close == NULL || close == from)
    return NULL;
  g_string_append_printf (out, "<%s>", tag);
  if (code)
    append_escaped (out, from, (gsize) (close - from));
  else
    append_words (out, from, close);
  g_string_append_printf (out, "</%s>", tag);
  return close + length;
}

static void
append_line (GString *out, const char *line)
{
  static const char *const sizes[] = { "x-large", "large", "medium" };
  const char *end = line + strlen (line);
  gsize indent = strspn (line, " ");
  gsize level = strspn (line, "#");

  if (end - line > LONGEST_LINE)
    {
      append_escaped (out, line, (gsize) (end - line));
      return;
    }
  if (level > 0 && level <= 6 && line[level] == ' ')
    {
      g_string_append_printf (out, "<span weight=\"bold\" size=\"%s\">", sizes[MIN (level, 3) - 1]);
      append_words (out, line + level + 1, end);
      g_string_append (out, "</span>");
      return;
    }
  if (line[indent] != '\0' && strchr ("-*+", line[indent]) != NULL && line[indent + 1] == ' ')
    {
      append_escaped (out, line, indent);
      g_string_append (out, "• ");
      append_words (out, line + indent + 2, end);
      return;
    }
  if (g_str_has_prefix (line, "> "))
    {
      g_string_append (out, "<i>");
      append_words (out, line + 2, end);
      g_string_append (out, "</i>");
      return;
    }
  /* The columns of a table stand under each other. */
  if (line[indent] == '|')
    {
      g_string_append (out, "<tt>");
      append_escaped (out, line, (gsize) (end - line));
      g_string_append (out, "</tt>");
      return;
    }
  append_words (out, line, end);
}

char *
sluice_markdown_to_markup (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *out = g_string_new (NULL);
  gboolean fenced = FALSE;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (g_str_has_prefix (lines[i], "```"))
        {
          fenced = !fenced;
          continue;
        }
      if (out->len > 0)
        g_string_append_c (out, '\n');
      if (fenced)
        {
          g_string_append (out, "<tt>");
          append_escaped (out, lines[i], strlen (lines[i]));
          g_string_append (out, "</tt>");
        }
      else
        append_line (out, lines[i]);
    }
  return g_string_free (out, FALSE);
}
