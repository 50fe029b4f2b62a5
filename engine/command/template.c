/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/template.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/suggest.h"
#include "engine/command/layers-resource.h"
#include "engine/command/line.h"

#define FOLDER    "/org/sluice/layers/"
#define EXTENSION ".layer"

const SluiceTemplateFamily sluice_template_families[] = {
  { "input", N_ ("Inputs"), TRUE },
  { "layer", N_ ("Layers"), TRUE },
  { "loss", N_ ("Losses"), TRUE },
  { "metric", N_ ("Metrics"), TRUE },
  { "optimizer", N_ ("Optimizers"), FALSE },
  { "schedule", N_ ("Schedules of the learning rate"), FALSE },
  { "clipping", N_ ("Clipping of gradients"), FALSE },
  { "summary", N_ ("Summaries"), FALSE },
  { "part", NULL, FALSE },
};
const guint sluice_template_n_families = G_N_ELEMENTS (sluice_template_families);

static const char *const kinds[] = { "int", "float", "text", "edge", "edges" };

/* ---- a file ---- */

static void
parameter_clear (gpointer data)
{
  SluiceTemplateParameter *self = data;
  g_free (self->name);
  g_free (self->words);
  g_free (self->help);
  g_free (self->value);
}

void
sluice_template_free (SluiceTemplate *self)
{
  g_free (self->name);
  g_free (self->family);
  g_free (self->summary);
  g_array_unref (self->parameters);
  g_hash_table_unref (self->sections);
  g_free (self);
}

static const char *
get_key (const SluiceLine *line, const char *key)
{
  for (guint i = 0; i < line->n; i++)
    if (line->words[i].key != NULL && g_str_equal (line->words[i].key, key))
      return line->words[i].text;
  return NULL;
}

/* (transfer full) (nullable): "" is nothing, not a text of two quotes */
static char *
dup_default (const SluiceLine *line)
{
  const char *text = get_key (line, "default");
  return text != NULL && g_str_equal (text, "\"\"") ? g_strdup ("") : g_strdup (text);
}

static double
get_bound (const SluiceLine *line, const char *key, double none)
{
  const char *text = get_key (line, key);
  return text != NULL ? g_ascii_strtod (text, NULL) : none;
}

/* "parameter NAME KIND HELP [default=] [least=] [most=]" */
static gboolean
parse_parameter (SluiceTemplate *self, const SluiceLine *line, GError **error)
{
  if (line->n < 4)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "write parameter NAME KIND \"HELP\" [default=VALUE]");
  SluiceTemplateParameter parameter = { .name = g_strdup (line->words[1].text),
                                        .kind = SLUICE_TEMPLATE_CHOICE,
                                        .words = g_strdup (line->words[2].text),
                                        .help = g_strdup (line->words[3].text),
                                        .value = dup_default (line),
                                        .least = get_bound (line, "least", -INFINITY),
                                        .most = get_bound (line, "most", INFINITY) };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (parameter.words, kinds[i]))
      parameter.kind = (SluiceTemplateKind) i;
  g_array_append_val (self->parameters, parameter);
  return parameter.kind != SLUICE_TEMPLATE_CHOICE || strchr (parameter.words, '|') != NULL
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                         "'%s' is neither int, float, text, edge, edges nor a choice, A|B",
                         parameter.words);
}

static gboolean
parse_head (SluiceTemplate *self, const char *text, GError **error)
{
  g_autoptr (SluiceLine) line = sluice_line_parse (text, error);
  if (line == NULL || line->n == 0)
    return line != NULL;
  const char *first = line->words[0].text;
  if (g_str_equal (first, "parameter"))
    return parse_parameter (self, line, error);
  for (guint i = 0; line->n == 2 && i < sluice_template_n_families; i++)
    if (g_str_equal (first, sluice_template_families[i].name))
      {
        g_free (self->family);
        g_free (self->summary);
        self->family = g_strdup (first);
        self->summary = g_strdup (line->words[1].text);
        return TRUE;
      }
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "'%s' says neither what this is nor a parameter", first);
}

/* A line of one word that is no command begins a section. */
static gboolean
is_section (const char *text)
{
  return *text != '\0' && text[strspn (text, G_CSET_a_2_z)] == '\0';
}

SluiceTemplate *
sluice_template_parse (const char *name, const char *text, GError **error)
{
  g_autoptr (SluiceTemplate) self = g_new0 (SluiceTemplate, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GPtrArray *section = NULL;
  self->name = g_strdup (name);
  self->parameters = g_array_new (FALSE, TRUE, sizeof (SluiceTemplateParameter));
  g_array_set_clear_func (self->parameters, parameter_clear);
  self->sections =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *line = g_strstrip (lines[i]);
      if (*line == '\0' || *line == '#')
        continue;
      if (is_section (line))
        {
          section = g_ptr_array_new_with_free_func (g_free);
          g_hash_table_replace (self->sections, g_strdup (line), section);
        }
      else if (section != NULL)
        g_ptr_array_add (section, g_strdup (line));
      else if (!parse_head (self, line, error))
        {
          g_prefix_error (error, "template %s, line %u: ", name, i + 1);
          return NULL;
        }
    }
  if (self->family == NULL || section == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "template %s says not what it is, or has no commands", name);
      return NULL;
    }
  return g_steal_pointer (&self);
}

/* ---- all ---- */

static void
load (GPtrArray *all, GResource *resource, const char *file)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_strconcat (FOLDER, file, NULL);
  g_autofree char *name = g_strndup (file, strlen (file) - strlen (EXTENSION));
  g_autoptr (GBytes) bytes = g_resource_lookup_data (resource, path, 0, &error);
  SluiceTemplate *template = NULL;
  if (bytes != NULL)
    {
      gsize length;
      const char *data = g_bytes_get_data (bytes, &length);
      g_autofree char *text = g_strndup (data, length);
      template = sluice_template_parse (name, text, &error);
    }
  if (template == NULL)
    g_error ("%s", error->message); /* of our own making, and a test looks at each */
  g_ptr_array_add (all, template);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  const SluiceTemplate *x = *(SluiceTemplate *const *) a, *y = *(SluiceTemplate *const *) b;
  return strcmp (x->name, y->name);
}

GResource *
sluice_template_get_resource (void)
{
  static gsize is_registered;
  if (g_once_init_enter (&is_registered))
    {
      sluice_layers_register_resource ();
      g_once_init_leave (&is_registered, 1);
    }
  return sluice_layers_get_resource ();
}

static GPtrArray *
get_all (void)
{
  static GPtrArray *all;
  if (g_once_init_enter (&all))
    {
      GPtrArray *loaded = g_ptr_array_new ();
      GResource *resource = sluice_template_get_resource ();
      g_auto (GStrv) files = g_resource_enumerate_children (resource, FOLDER, 0, NULL);
      for (guint i = 0; files != NULL && files[i] != NULL; i++)
        load (loaded, resource, files[i]);
      g_ptr_array_sort (loaded, compare_names);
      g_once_init_leave (&all, loaded);
    }
  return all;
}

char **
sluice_template_split_edges (const char *text)
{
  gboolean is_list = *text == '[' && g_str_has_suffix (text, "]");
  g_autofree char *inner = g_strndup (text + is_list, strlen (text) - 2 * (gsize) is_list);
  char **edges = g_strsplit (inner, ",", -1);
  for (guint i = 0; edges[i] != NULL; i++)
    g_strstrip (edges[i]);
  return edges;
}

/* Is it of the family, or for "layer" one that `layer` makes a scope of? */
static gboolean
is_of_family (const SluiceTemplate *template, const char *family)
{
  for (guint i = 0; i < sluice_template_n_families; i++)
    if (g_str_equal (sluice_template_families[i].name, template->family)
        && sluice_template_families[i].is_layer && g_str_equal (family, "layer"))
      return TRUE;
  return g_str_equal (template->family, family);
}

GPtrArray *
sluice_template_list (const char *family)
{
  GPtrArray *all = get_all (), *list = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++)
    {
      SluiceTemplate *template = all->pdata[i];
      if (g_str_equal (template->family, family))
        g_ptr_array_add (list, template);
    }
  return list;
}

const SluiceTemplate *
sluice_template_find (const char *family, const char *name, GError **error)
{
  GPtrArray *all = get_all ();
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceTemplate *template = all->pdata[i];
      if (!is_of_family (template, family))
        continue;
      if (g_str_equal (template->name, name))
        return template;
      g_ptr_array_add (names, template->name);
    }
  const char *hint = sluice_suggest_name (name, (const char *const *) names->pdata, names->len);
  g_ptr_array_add (names, NULL);
  g_autofree char *known = g_strjoinv (", ", (char **) names->pdata);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no %s '%s'; %s%s%s", family, name,
               hint != NULL ? "did you mean " : "there are ", hint != NULL ? hint : known,
               hint != NULL ? "?" : "");
  return NULL;
}
