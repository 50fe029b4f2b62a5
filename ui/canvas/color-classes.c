/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/color-classes.h"

#include <string.h>

typedef struct
{
  const char *name;
  guint n_ops;
  guint order; /* of appearance, or as it was told */
} Class;

struct _SluiceColorClasses
{
  SluiceGraphModel *model; /* whose texts the names are */
  SluiceColorBy by;
  GArray *classes; /* of Class */
  guint n_none;
  guint *of_group;
  GStringChunk *names; /* that are not the model's */
  guint n_told;        /* texts that there are; 0: nobody told */
  gboolean is_scale;
};

/* The text of each node, (nullable) each. (transfer container) */
static const char **
find_texts (SluiceColorClasses *self, SluiceColorBy by)
{
  SluiceGraphModel *model = self->model;
  guint n = sluice_graph_model_get_n_nodes (model);
  const char **texts = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n && by == SLUICE_COLOR_BY_ASKED; i++)
    texts[i] = sluice_graph_model_get_node (model, i)->asked;
  for (guint i = 0; i < n && by == SLUICE_COLOR_BY_CHANGE; i++)
    texts[i] = sluice_graph_model_get_node (model, i)->change;
  for (guint i = 0; i < sluice_graph_model_get_n_edges (model) && by == SLUICE_COLOR_BY_DTYPE; i++)
    {
      const SluiceModelEdge *edge = sluice_graph_model_get_edge (model, i);
      if (texts[edge->from] != NULL || edge->dtype == NULL)
        continue;
      /* A reference is of the type that it refers to. */
      const char *end = g_str_has_suffix (edge->dtype, "_ref") ? strrchr (edge->dtype, '_') : NULL;
      g_autofree char *base =
          end != NULL ? g_strndup (edge->dtype, (gsize) (end - edge->dtype)) : NULL;
      texts[edge->from] =
          base != NULL ? g_string_chunk_insert_const (self->names, base) : edge->dtype;
    }
  for (guint i = 0; i < n; i++)
    if (texts[i] != NULL && *texts[i] == '\0')
      texts[i] = NULL;
  return texts;
}

static int
compare_classes (gconstpointer pa, gconstpointer pb)
{
  const Class *a = pa, *b = pb;
  if (a->n_ops != b->n_ops)
    return a->n_ops > b->n_ops ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static int
compare_told (gconstpointer pa, gconstpointer pb)
{
  const Class *a = pa, *b = pb;
  return a->order < b->order ? -1 : a->order > b->order;
}

/* Counts the texts and numbers them, from 1. (transfer full): text -> number */
static GHashTable *
number_classes (SluiceColorClasses *self, const char **texts, guint n, const SluiceColorTold *told)
{
  GHashTable *numbers = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++)
    {
      guint number =
          texts[i] != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (numbers, texts[i])) : 0;
      if (texts[i] == NULL)
        self->n_none++;
      else if (number > 0)
        g_array_index (self->classes, Class, number - 1).n_ops++;
      else
        {
          Class class = { texts[i], 1, self->classes->len };
          g_array_append_val (self->classes, class);
          g_hash_table_insert (numbers, (gpointer) texts[i], GUINT_TO_POINTER (self->classes->len));
        }
    }
  for (guint i = 0; told != NULL && i < self->classes->len; i++)
    {
      Class *class = &g_array_index (self->classes, Class, i);
      for (guint k = 0; told->order[k] != NULL; k++)
        if (g_str_equal (told->order[k], class->name))
          class->order = k;
    }
  g_array_sort (self->classes, told != NULL ? compare_told : compare_classes);
  g_hash_table_remove_all (numbers);
  for (guint i = 0; i < self->classes->len; i++)
    g_hash_table_insert (numbers, (gpointer) g_array_index (self->classes, Class, i).name,
                         GUINT_TO_POINTER (i + 1));
  return numbers;
}

/* Counts of ops by class, for the scopes around the op. */
static void
count_ops (SluiceHierarchy *h, const guint *of_node, guint n_classes, guint32 *counts)
{
  guint n = sluice_graph_model_get_n_nodes (sluice_hierarchy_get_model (h));
  for (guint i = 0; i < n; i++)
    if (of_node[i] != SLUICE_NONE)
      for (guint g = sluice_hierarchy_get_op_group (h, i); g != SLUICE_NONE;
           g = g != 0 ? sluice_hierarchy_get_group (h, g)->parent : SLUICE_NONE)
        counts[(gsize) g * n_classes + of_node[i]]++;
}

/* The one that most of what is below each group is of. */
static void
sum_up (SluiceColorClasses *self, SluiceHierarchy *hierarchy, const guint *of_node)
{
  guint n_groups = sluice_hierarchy_get_n_groups (hierarchy), n_classes = self->classes->len;
  g_autofree guint32 *counts = g_new0 (guint32, (gsize) n_groups * n_classes + 1);
  count_ops (hierarchy, of_node, n_classes, counts);
  self->of_group = g_new (guint, n_groups + 1);
  for (guint g = 0; g < n_groups; g++)
    {
      const guint32 *here = counts + (gsize) g * n_classes;
      guint32 all = 0;
      self->of_group[g] = SLUICE_NONE;
      for (guint k = 0; k < n_classes; k++)
        all += here[k];
      /* Of several, one must be most of it: a fold over four devices is on none of them. */
      for (guint k = 0; k < n_classes; k++)
        if (2 * here[k] > all)
          self->of_group[g] = k;
    }
}

/* texts: of each node, (nullable) each */
static void
fill (SluiceColorClasses *self,
      SluiceHierarchy *hierarchy,
      const char **texts,
      const SluiceColorTold *told)
{
  guint n = sluice_graph_model_get_n_nodes (self->model);
  g_autoptr (GHashTable) numbers = number_classes (self, texts, n, told);
  g_autofree guint *of_node = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    of_node[i] = texts[i] != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (numbers, texts[i])) - 1
                                  : SLUICE_NONE;
  sum_up (self, hierarchy, of_node);
}

static SluiceColorClasses *
classes_new (SluiceHierarchy *hierarchy, SluiceColorBy by)
{
  SluiceColorClasses *self = g_new0 (SluiceColorClasses, 1);
  self->model = sluice_graph_model_ref (sluice_hierarchy_get_model (hierarchy));
  self->by = by;
  self->classes = g_array_new (FALSE, FALSE, sizeof (Class));
  self->names = g_string_chunk_new (64);
  return self;
}

SluiceColorClasses *
sluice_color_classes_new (SluiceHierarchy *hierarchy, SluiceColorBy by)
{
  SluiceColorClasses *self = classes_new (hierarchy, by);
  g_autofree const char **texts = find_texts (self, by);
  fill (self, hierarchy, texts, NULL);
  return self;
}

SluiceColorClasses *
sluice_color_classes_new_told (SluiceHierarchy *hierarchy, const SluiceColorTold *told)
{
  SluiceColorClasses *self = classes_new (hierarchy, SLUICE_COLOR_BY_PLACED);
  guint n = sluice_graph_model_get_n_nodes (self->model);
  g_autofree const char **texts = g_new0 (const char *, n + 1);
  self->n_told = g_strv_length ((char **) told->order);
  self->is_scale = told->is_scale;
  for (guint i = 0; i < n; i++)
    {
      const char *text =
          g_hash_table_lookup (told->texts, sluice_graph_model_get_node (self->model, i)->name);
      texts[i] = text != NULL ? g_string_chunk_insert_const (self->names, text) : NULL;
    }
  fill (self, hierarchy, texts, told);
  return self;
}

void
sluice_color_classes_free (SluiceColorClasses *self)
{
  sluice_graph_model_unref (self->model);
  g_array_unref (self->classes);
  g_string_chunk_free (self->names);
  g_free (self->of_group);
  g_free (self);
}

guint
sluice_color_classes_get_n (const SluiceColorClasses *self)
{
  return self->classes->len;
}

const char *
sluice_color_classes_get_name (const SluiceColorClasses *self, guint index)
{
  return g_array_index (self->classes, Class, index).name;
}

guint
sluice_color_classes_get_n_ops (const SluiceColorClasses *self, guint index)
{
  return index == SLUICE_NONE ? self->n_none : g_array_index (self->classes, Class, index).n_ops;
}

/* What was added is green, whatever else there is. */
static const struct
{
  const char *sign;
  guint hue;
} signs[] = { { "+", 2 }, { "−", 3 }, { "~", 0 }, { "→", 1 } };

/* (G_N_ELEMENTS (signs): none, it is no change) */
static guint
find_sign (const SluiceColorClasses *self, guint index)
{
  guint i = self->by == SLUICE_COLOR_BY_CHANGE ? 0 : G_N_ELEMENTS (signs);
  const char *name = sluice_color_classes_get_name (self, index);
  while (i < G_N_ELEMENTS (signs) && strstr (name, signs[i].sign) == NULL)
    i++;
  return i;
}

guint
sluice_color_classes_get_hue (const SluiceColorClasses *self, guint index)
{
  guint i = find_sign (self, index);
  if (self->n_told > 0)
    return g_array_index (self->classes, Class, index).order;
  return i < G_N_ELEMENTS (signs) ? signs[i].hue : index;
}

SluiceColor
sluice_color_classes_get_color (const SluiceColorClasses *self,
                                guint index,
                                const SluiceTheme *theme)
{
  guint hue = sluice_color_classes_get_hue (self, index);
  if (!self->is_scale)
    return sluice_theme_get_hue (theme, hue);
  return sluice_color_mix (theme->outline, theme->heat, (hue + 1.0) / self->n_told);
}

const char *
sluice_color_classes_get_sign (const SluiceColorClasses *self, guint index)
{
  guint i = find_sign (self, index);
  return i < G_N_ELEMENTS (signs) ? signs[i].sign : NULL;
}

guint
sluice_color_classes_get (const SluiceColorClasses *self, guint group)
{
  return self->of_group[group];
}
