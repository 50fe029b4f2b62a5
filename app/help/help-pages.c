/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/help/help-pages.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/language.h"
#include "engine/base/error.h"
#include "ui/common/markdown.h"

#define OPS_INDEX "ops/index"
/* Of what is found: letters on both sides, and how many entries are worth reading. */
#define SNIPPET     40
#define MOST_HITS   60
#define SHORTEST_OP 2

static char *folder; /* (nullable): nothing was initialised */

void
sluice_help_init (const char *program)
{
  g_free (folder);
  folder = sluice_language_dup_folder (program, "SLUICE_HELP_DIR", "data/help", SLUICE_HELP_DIR);
}

/* ---- files ---- */

/* The first that is there of a file of the user's language, and that of none. (transfer full)
 * (nullable) */
static char *
find_file (const char *subfolder, const char *name)
{
  const char *const *languages = g_get_language_names ();
  for (guint i = 0; languages[i] != NULL; i++)
    {
      /* What the pages are written in has no folder. */
      gboolean is_source = g_str_equal (languages[i], "en") || g_str_equal (languages[i], "C");
      g_autofree char *path =
          g_build_filename (folder, subfolder, is_source ? "" : languages[i], name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
      if (is_source)
        break;
    }
  return NULL;
}

gboolean
sluice_help_has (const char *page)
{
  g_autofree char *name = g_strconcat (page, ".md", NULL);
  g_autofree char *path = find_file ("", name);
  return path != NULL;
}

char *
sluice_help_load (const char *page, GError **error)
{
  g_autofree char *name = g_strconcat (page, ".md", NULL);
  g_autofree char *path = find_file ("", name);
  char *text = NULL;
  if (path == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                   _ ("the manual has no page '%s' in '%s'; the page '%s' lists all"), page, folder,
                   SLUICE_HELP_INDEX);
      return NULL;
    }
  return g_file_get_contents (path, &text, NULL, error) ? text : NULL;
}

char *
sluice_help_resolve (const char *page, const char *link, char **anchor)
{
  const char *hash = strchr (link, '#');
  g_autofree char *target =
      hash != NULL ? g_strndup (link, (gsize) (hash - link)) : g_strdup (link);
  *anchor = NULL;
  if (strstr (link, "://") != NULL || (*target != '\0' && !g_str_has_suffix (target, ".md")))
    return NULL;
  g_autofree char *start = g_path_get_dirname (page);
  g_autofree char *root = g_build_filename ("/", start, NULL);
  g_autofree char *path = *target != '\0' ? g_canonicalize_filename (target, root)
                                          : g_strconcat ("/", page, ".md", NULL);
  if (hash != NULL && hash[1] != '\0')
    *anchor = g_strdup (hash + 1);
  return g_strndup (path + 1, strlen (path) - strlen ("/.md"));
}

char *
sluice_help_dup_anchor (const char *heading)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (heading));
  g_autofree char *lower = g_utf8_strdown (trimmed, -1);
  GString *anchor = g_string_new (NULL);
  for (const char *p = lower; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      if (c == ' ' || c == '-')
        g_string_append_c (anchor, '-');
      else if (g_unichar_isalnum (c) || c == '_')
        g_string_append_unichar (anchor, c);
    }
  return g_string_free (anchor, FALSE);
}

char *
sluice_help_find_picture (const char *link, gboolean is_dark)
{
  g_autofree char *name = g_path_get_basename (link);
  g_autofree char *stem = g_strndup (name, (gsize) (strchrnul (name, '.') - name));
  g_autofree char *dark = g_strconcat (stem, "-dark", name + strlen (stem), NULL);
  char *found = is_dark ? find_file ("pictures", dark) : NULL;
  return found != NULL ? found : find_file ("pictures", name);
}

/* ---- contents ---- */

void
sluice_help_entry_free (SluiceHelpEntry *entry)
{
  g_free (entry->page);
  g_free (entry->anchor);
  g_free (entry->title);
  g_free (entry->detail);
  g_free (entry);
}

/* anchor: (nullable) (transfer full), as title and detail are */
static void
add_entry (GPtrArray *entries, const char *page, char *anchor, char *title, char *detail)
{
  SluiceHelpEntry *entry = g_new (SluiceHelpEntry, 1);
  *entry = (SluiceHelpEntry){ g_strdup (page), anchor, g_strstrip (title), g_strstrip (detail) };
  g_ptr_array_add (entries, entry);
}

static void
add_links (GPtrArray *entries, cmark_node *list, const char *heading)
{
  cmark_iter *iter = cmark_iter_new (list);
  for (cmark_event_type event; (event = cmark_iter_next (iter)) != CMARK_EVENT_DONE;)
    {
      cmark_node *node = cmark_iter_get_node (iter);
      if (event != CMARK_EVENT_ENTER || cmark_node_get_type (node) != CMARK_NODE_LINK)
        continue;
      char *anchor;
      g_autofree char *page =
          sluice_help_resolve (SLUICE_HELP_INDEX, cmark_node_get_url (node), &anchor);
      if (page != NULL)
        add_entry (entries, page, anchor, sluice_markdown_dup_text (node), g_strdup (heading));
    }
  cmark_iter_free (iter);
}

GPtrArray *
sluice_help_list_contents (void)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_help_entry_free);
  g_autofree char *text = sluice_help_load (SLUICE_HELP_INDEX, NULL);
  if (text == NULL)
    return entries;
  g_autoptr (SluiceMarkdown) index = sluice_markdown_parse (text);
  g_autofree char *heading = g_strdup ("");
  for (cmark_node *n = cmark_node_first_child (index); n != NULL; n = cmark_node_next (n))
    if (cmark_node_get_type (n) == CMARK_NODE_HEADING)
      {
        g_free (heading);
        heading = sluice_markdown_dup_text (n);
        if (cmark_node_get_heading_level (n) == 1)
          add_entry (entries, SLUICE_HELP_INDEX, NULL, g_strdup (heading), g_strdup (""));
      }
    else if (cmark_node_get_type (n) == CMARK_NODE_LIST)
      add_links (entries, n, heading);
  return entries;
}

/* ---- search ---- */

typedef struct
{
  char **words; /* in lower case */
  GPtrArray *titled, *others;
} Search;

static gboolean
has_all (char **words, const char *text)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (strstr (text, words[i]) == NULL)
      return FALSE;
  return TRUE;
}

/* Some letters around the first word. (transfer full) */
static char *
make_snippet (char **words, const char *text)
{
  g_autofree char *lower = g_utf8_strdown (text, -1);
  const char *found = words[0] != NULL ? strstr (lower, words[0]) : NULL;
  /* Lower case may have other lengths: counted in letters, it is near enough. */
  glong at = found != NULL ? g_utf8_pointer_to_offset (lower, found) : 0;
  glong length = g_utf8_strlen (text, -1), from = MAX (0, at - SNIPPET);
  glong to = MIN (length, at + 2 * SNIPPET);
  g_autofree char *part = g_utf8_substring (text, MIN (from, length), to);
  return g_strdup_printf ("%s%s%s", from > 0 ? "…" : "", g_strstrip (part), to < length ? "…" : "");
}

static void
look_into_section (
    Search *self, const char *page, const char *title, const char *heading, const char *text)
{
  g_autofree char *lower_heading = g_utf8_strdown (heading, -1);
  g_autofree char *all = g_strconcat (heading, " ", text, NULL);
  g_autofree char *lower = g_utf8_strdown (all, -1);
  if (!has_all (self->words, lower))
    return;
  gboolean is_titled = has_all (self->words, lower_heading);
  g_autofree char *snippet = make_snippet (self->words, is_titled ? text : all);
  g_autofree char *place = g_strstrip (g_strdup (title));
  gboolean is_top = g_str_equal (title, heading);
  add_entry (is_titled ? self->titled : self->others, page,
             is_top ? NULL : sluice_help_dup_anchor (heading), g_strdup (heading),
             is_top ? g_strdup (snippet) : g_strdup_printf ("%s: %s", place, snippet));
}

static void
look_into_page (Search *self, const char *page)
{
  g_autofree char *markdown = sluice_help_load (page, NULL);
  if (markdown == NULL)
    return;
  g_autoptr (SluiceMarkdown) document = sluice_markdown_parse (markdown);
  g_autofree char *title = NULL, *heading = g_strdup ("");
  g_autoptr (GString) text = g_string_new (NULL);
  for (cmark_node *n = cmark_node_first_child (document); n != NULL; n = cmark_node_next (n))
    {
      g_autofree char *words = cmark_node_get_type (n) != CMARK_NODE_HTML_BLOCK
                                   ? sluice_markdown_dup_text (n)
                                   : g_strdup ("");
      if (cmark_node_get_type (n) != CMARK_NODE_HEADING)
        {
          g_string_append (text, words);
          continue;
        }
      if (title != NULL)
        look_into_section (self, page, title, heading, text->str);
      else
        title = g_strdup (words);
      g_free (heading);
      heading = g_steal_pointer (&words);
      g_string_truncate (text, 0);
    }
  if (title != NULL)
    look_into_section (self, page, title, heading, text->str);
}

/* Their names stand in their index. */
static void
look_for_ops (Search *self)
{
  g_autofree char *text = sluice_help_load (OPS_INDEX, NULL);
  if (text == NULL)
    return;
  g_autoptr (SluiceMarkdown) index = sluice_markdown_parse (text);
  cmark_node *list = cmark_node_first_child (index);
  while (list != NULL && cmark_node_get_type (list) != CMARK_NODE_LIST)
    list = cmark_node_next (list);
  for (cmark_node *n = list != NULL ? cmark_node_first_child (list) : NULL; n != NULL;
       n = cmark_node_next (n))
    {
      cmark_node *link = cmark_node_first_child (cmark_node_first_child (n));
      g_autofree char *name = sluice_markdown_dup_text (link);
      g_autofree char *lower = g_utf8_strdown (name, -1);
      if (!has_all (self->words, lower))
        continue;
      g_autofree char *page = g_strconcat ("ops/", name, NULL);
      char *line = sluice_markdown_dup_text (n);
      add_entry (self->others, page, NULL, g_steal_pointer (&name), line);
    }
}

GPtrArray *
sluice_help_search (const char *text)
{
  g_autoptr (GPtrArray) contents = sluice_help_list_contents ();
  g_autofree char *lower = g_utf8_strdown (text, -1);
  g_auto (GStrv) parts = g_strsplit_set (lower, " \t\n", -1);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_ptr_array_add (words, parts[i]);
  g_ptr_array_add (words, NULL);
  GPtrArray *titled = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_help_entry_free);
  Search self = { (char **) words->pdata, titled,
                  g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_help_entry_free) };
  for (guint i = 0; i < contents->len && words->len > 1; i++)
    {
      const SluiceHelpEntry *entry = contents->pdata[i];
      if (!g_str_equal (entry->page, OPS_INDEX))
        look_into_page (&self, entry->page);
    }
  if (words->len > 1 && strlen (words->pdata[0]) >= SHORTEST_OP)
    look_for_ops (&self);
  g_ptr_array_extend_and_steal (titled, self.others);
  if (titled->len > MOST_HITS)
    g_ptr_array_remove_range (titled, MOST_HITS, titled->len - MOST_HITS);
  return titled;
}
