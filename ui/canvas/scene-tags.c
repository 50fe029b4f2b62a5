/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>

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

/* At which member a shortened line says what it leads from. */
static guint
tagged_end (const SceneWire *w)
{
  return w->kind == SLUICE_EDGE_REFERENCE ? w->from : w->to;
}

static const char *
source_of (const SceneBuilder *b, const SceneWire *w)
{
  guint source = w->kind == SLUICE_EDGE_REFERENCE ? w->to_group : w->from_group;
  return sluice_hierarchy_get_group (b->hierarchy, source)->label;
}

/* One more name in a tag, or one more that is only counted. */
static void
add_name (SceneBuilder *b, SceneWire *w, const char *name)
{
  g_autofree char *tag =
      w->n_names == 0 ? g_strdup_printf ("← %s", name)
      : w->n_names < TAG_NAMES
          ? g_strdup_printf ("%s, %s", w->tag, name)
          : g_strdup_printf ("%.*s +%u", (int) w->names_length, w->tag, w->n_names + 1 - TAG_NAMES);
  w->tag = g_string_chunk_insert_const (b->scene->strings, tag);
  if (w->n_names++ < TAG_NAMES)
    w->names_length = strlen (tag);
}

/* One tag tells of all lines of its kind that are shortened at a box. */
static void
shorten (SceneBuilder *b, SceneLevel *level, guint wire)
{
  SceneWire *w = wire_at (level, wire), *with = w;
  SceneMember *m = &g_array_index (level->members, SceneMember, tagged_end (w));
  guint *tagged = &m->tagged[w->kind == SLUICE_EDGE_REFERENCE];
  w->n_points = 0;
  w->stub = *tagged == 0;
  w->quiet = *tagged != 0;
  if (*tagged == 0)
    *tagged = wire + 1;
  else
    with = wire_at (level, *tagged - 1);
  if (with == w || strcmp (source_of (b, with), source_of (b, w)) != 0)
    add_name (b, with, source_of (b, w));
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
      if (one_of_many)
        shorten (b, level, i);
      else
        w->quiet = TRUE;
      lines->out[w->from]--;
      lines->in[w->to]--;
    }
}

/* ---- lines that cross others ---- */

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

/* Between the halves. */
static gboolean
is_across (const SceneLevel *level, const SceneWire *w)
{
  guint n = level->members->len;
  return w->from < n && w->to < n
         && g_array_index (level->members, SceneMember, w->from).second
                != g_array_index (level->members, SceneMember, w->to).second;
}

/* What gives way first to other lines. */
typedef enum
{
  GIVES_UPDATE,  /* of a variable */
  GIVES_VALUE,   /* between the halves */
  GIVES_SIBLING, /* in a row, below boxes that stand there */
  GIVES_READ,    /* of a variable that another line holds in its place */
  N_GIVES,
  STAYS
} Gives;

static Gives
gives_way (const SceneLevel *level, const SceneWire *w, const guint *n_reads)
{
  if (w->kind == SLUICE_EDGE_REFERENCE && w->from < level->members->len)
    return GIVES_UPDATE;
  if (is_across (level, w))
    return GIVES_VALUE;
  if (w->in_row)
    return GIVES_SIBLING;
  return w->kind == SLUICE_EDGE_DATA && w->from < level->members->len && w->to < level->members->len
                 && n_reads[w->from] > 1
                 && g_array_index (level->members, SceneMember, w->from).kind
                        == SLUICE_ITEM_VARIABLE
             ? GIVES_READ
             : STAYS;
}

/* The short pieces that stand for shortened lines, where no other line is in their way: two points
 * each. */
static GArray *
list_stubs (const SceneLevel *level)
{
  GArray *stubs = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  for (guint i = 0; i < level->wires->len; i++)
    {
      const SceneWire *w = wire_at (level, i);
      if (!w->stub || w->tag == NULL || tagged_end (w) >= level->members->len)
        continue;
      const SceneMember *m = &g_array_index (level->members, SceneMember, tagged_end (w));
      sluice_path_add (stubs, m->x + m->width / 2 + SCENE_STUB_BESIDE, m->y - SCENE_STUB_LENGTH);
      sluice_path_add (stubs, m->x + m->width / 2 + SCENE_STUB_BESIDE, m->y);
    }
  return stubs;
}

static gboolean
crosses_stubs (const Drawn *drawn, const GArray *stubs)
{
  g_autoptr (GArray) stub = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  for (guint i = 0; i < stubs->len; i += 2)
    {
      g_array_set_size (stub, 0);
      g_array_append_vals (stub, &g_array_index (stubs, SluicePoint, i), 2);
      if (sluice_lines_cross (drawn->points, stub))
        return TRUE;
    }
  return FALSE;
}

/* A line between the halves that runs past boxes crosses what is left of the others. */
static void
untangle_from_stubs (SceneBuilder *b, SceneLevel *level, const GArray *list)
{
  for (gboolean again = list->len <= MANY_DRAWN; again;)
    {
      g_autoptr (GArray) stubs = list_stubs (level);
      again = FALSE;
      for (guint i = 0; i < list->len; i++)
        {
          const Drawn *drawn = &g_array_index (list, Drawn, i);
          SceneWire *w = wire_at (level, drawn->wire);
          if (w->stub || w->quiet || w->kind != SLUICE_EDGE_DATA || !is_across (level, w)
              || !crosses_stubs (drawn, stubs))
            continue;
          shorten (b, level, drawn->wire);
          again = TRUE;
        }
    }
}

void
sluice_scene_level_untangle (SceneBuilder *b, SceneLevel *level)
{
  g_autoptr (GArray) list = list_drawn (level);
  g_autofree guint *n_reads = g_new0 (guint, level->members->len + 1);
  for (guint i = 0; i < list->len; i++)
    {
      const SceneWire *w = wire_at (level, g_array_index (list, Drawn, i).wire);
      if (w->from < level->members->len && w->kind == SLUICE_EDGE_DATA && !is_across (level, w))
        n_reads[w->from]++;
    }
  for (Gives gives = 0; gives < N_GIVES; gives++)
    for (guint i = 0; i < list->len; i++)
      {
        const Drawn *drawn = &g_array_index (list, Drawn, i);
        SceneWire *w = wire_at (level, drawn->wire);
        gboolean is_many = list->len > MANY_DRAWN;
        if (gives_way (level, w, n_reads) != gives || (is_many && gives > GIVES_VALUE)
            || (!is_many && !crosses (level, drawn, list)))
          continue;
        shorten (b, level, drawn->wire);
        if (gives == GIVES_READ)
          n_reads[w->from]--;
      }
  untangle_from_stubs (b, level, list);
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
}
