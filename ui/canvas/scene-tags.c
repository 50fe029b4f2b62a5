/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/path.h"
#include "ui/canvas/scene-private.h"

/* A box that everything is tied to keeps the lines that hold other boxes in their places. Its other
 * lines are shortened: what it feeds is named at each reader, "← is_training"; what it reads is
 * drawn when it is selected. So it stands where it belongs, and the lines between the others can be
 * followed. */

#define MANY_LINES 6   /* at one side of a box */
#define MANY_READS 4   /* of a variable: its lines say only what its name does */
#define TAG_NAMES  2   /* in one tag */
#define MANY_DRAWN 600 /* lines of a level in which nobody follows one from half to half */

typedef struct
{
  guint *in, *out; /* lines per member that are drawn whole */
} Lines;

static SceneWire *
wire_at (const SceneLevel *level, guint i)
{
  return &g_array_index (level->wires, SceneWire, i);
}

/* A gradient that reads its forward half is not drawn anyway. */
static gboolean
is_line (const SceneBuilder *b, const SceneLevel *level, const SceneWire *w)
{
  guint n = level->members->len;
  return !w->quiet && !w->stub && w->kind == SLUICE_EDGE_DATA && w->from < n && w->to < n
         && (sluice_hierarchy_get_group (b->hierarchy, w->from_group)->gradient
             || !sluice_hierarchy_get_group (b->hierarchy, w->to_group)->gradient);
}

static guint
most_out (const SceneLevel *level, guint member)
{
  return g_array_index (level->members, SceneMember, member).kind == SLUICE_ITEM_VARIABLE
             ? MANY_READS
             : MANY_LINES;
}

/* Which ends have too many lines is decided before any is shortened. */
static void
shorten_lines (SceneBuilder *b, SceneLevel *level, Lines *lines)
{
  guint n = level->members->len;
  g_autofree guint8 *feeds_many = g_new0 (guint8, n + 1);
  g_autofree guint8 *reads_much = g_new0 (guint8, n + 1);
  for (guint i = 0; i < n; i++)
    {
      feeds_many[i] = lines->out[i] > most_out (level, i);
      reads_much[i] = lines->in[i] > MANY_LINES;
    }
  for (guint i = 0; i < level->wires->len; i++)
    {
      SceneWire *w = wire_at (level, i);
      if (!is_line (b, level, w))
        continue;
      gboolean one_of_many = feeds_many[w->from] && lines->in[w->to] > 1 && lines->out[w->from] > 1;
      gboolean one_of_much = reads_much[w->to] && lines->out[w->from] > 1 && lines->in[w->to] > 1;
      if (!one_of_many && !one_of_much)
        continue;
      w->stub = one_of_many;
      w->quiet = !one_of_many;
      lines->out[w->from]--;
      lines->in[w->to]--;
    }
}

/* One tag at each reader tells of all its lines. */
static void
write_tags (SceneBuilder *b, SceneLevel *level)
{
  guint n = level->members->len;
  g_autofree SceneWire **first = g_new0 (SceneWire *, n + 1);
  g_autofree guint *n_names = g_new0 (guint, n + 1);
  g_autofree GString **texts = g_new0 (GString *, n + 1);
  for (guint i = 0; i < level->wires->len; i++)
    {
      SceneWire *w = wire_at (level, i);
      if (!w->stub)
        continue;
      const char *name = sluice_hierarchy_get_group (b->hierarchy, w->from_group)->label;
      if (first[w->to] == NULL)
        {
          first[w->to] = w;
          texts[w->to] = g_string_new ("← ");
        }
      else
        {
          w->stub = FALSE;
          w->quiet = TRUE;
        }
      n_names[w->to]++;
      if (n_names[w->to] <= TAG_NAMES)
        g_string_append_printf (texts[w->to], "%s%s", n_names[w->to] > 1 ? ", " : "", name);
    }
  for (guint i = 0; i < n; i++)
    {
      if (first[i] == NULL)
        continue;
      if (n_names[i] > TAG_NAMES)
        g_string_append_printf (texts[i], " +%u", n_names[i] - TAG_NAMES);
      first[i]->tag = g_string_chunk_insert_const (b->scene->strings, texts[i]->str);
      g_string_free (texts[i], TRUE);
    }
}

/* ---- lines between the halves ---- */

/* Drawn lines as straight pieces, and what they lead round. */
typedef struct
{
  guint wire;
  GArray *points; /* SluicePoint */
  SluiceRect bounds;
} Drawn;

static void
drawn_clear (gpointer data)
{
  g_array_unref (((Drawn *) data)->points);
}

static GArray *
list_drawn (const SceneLevel *level)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Drawn));
  g_array_set_clear_func (list, drawn_clear);
  for (guint i = 0; i < level->wires->len; i++)
    {
      const SceneWire *w = wire_at (level, i);
      if (w->quiet || w->stub || w->n_points < 4)
        continue;
      const SluicePoint *path = &g_array_index (level->points, SluicePoint, w->first_point);
      Drawn drawn = { i, sluice_path_flatten (path, w->n_points), { path[0].x, path[0].y, 0, 0 } };
      for (guint k = 1; k < w->n_points; k++)
        {
          SluiceRect point = { path[k].x, path[k].y, 0, 0 };
          drawn.bounds = sluice_rect_union (&drawn.bounds, &point);
        }
      drawn.bounds = sluice_rect_grown (&drawn.bounds, 0.5);
      g_array_append_val (list, drawn);
    }
  return list;
}

static gboolean
crosses (const SceneLevel *level, const Drawn *a, const GArray *list)
{
  const SceneWire *w = wire_at (level, a->wire);
  for (guint i = 0; i < list->len; i++)
    {
      const Drawn *b = &g_array_index (list, Drawn, i);
      const SceneWire *o = wire_at (level, b->wire);
      if (o->quiet || o->stub || o->from == w->from || o->from == w->to || o->to == w->from
          || o->to == w->to || !sluice_rect_touches (&a->bounds, &b->bounds))
        continue;
      if (sluice_lines_cross (a->points, b->points))
        return TRUE;
    }
  return FALSE;
}

void
sluice_scene_level_untangle (SceneBuilder *b, SceneLevel *level)
{
  guint n = level->members->len;
  g_autoptr (GArray) list = list_drawn (level);
  for (guint pass = 0; pass < 2; pass++) /* updates give way before values */
    for (guint i = 0; i < list->len; i++)
      {
        const Drawn *drawn = &g_array_index (list, Drawn, i);
        SceneWire *w = wire_at (level, drawn->wire);
        gboolean is_update = w->kind == SLUICE_EDGE_REFERENCE;
        if (is_update != (pass == 0) || w->from >= n || w->to >= n
            || g_array_index (level->members, SceneMember, w->from).second
                   == g_array_index (level->members, SceneMember, w->to).second)
          continue;
        if (list->len > MANY_DRAWN || crosses (level, drawn, list))
          {
            w->stub = TRUE;
            w->n_points = 0;
            guint source = is_update ? w->to_group : w->from_group;
            g_autofree char *tag =
                g_strdup_printf ("← %s", sluice_hierarchy_get_group (b->hierarchy, source)->label);
            w->tag = g_string_chunk_insert_const (b->scene->strings, tag);
          }
      }
}

void
sluice_scene_level_shorten (SceneBuilder *b, SceneLevel *level)
{
  g_autofree guint *in = g_new0 (guint, level->members->len + 1);
  g_autofree guint *out = g_new0 (guint, level->members->len + 1);
  Lines lines = { in, out };
  gboolean any = FALSE;
  for (guint i = 0; i < level->wires->len; i++)
    {
      const SceneWire *w = wire_at (level, i);
      if (!is_line (b, level, w))
        continue;
      any |= ++out[w->from] > most_out (level, w->from);
      any |= ++in[w->to] > MANY_LINES;
    }
  if (!any)
    return;
  shorten_lines (b, level, &lines);
  write_tags (b, level);
}
