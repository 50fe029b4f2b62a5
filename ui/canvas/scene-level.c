/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ui/canvas/text-metrics.h"
#include "ui/common/number.h"

/* Sorts the children of one open scope into boxes, glyphs and what stands aside, and its bundles
 * into wires. */

#define MAX_GLYPHS    4 /* at one side of a box; the rest is counted */
#define MAX_ENTRANCES 8 /* lines drawn from a border to members, and parts that have any */
#define MAX_CONTROL   4 /* control lines at one box before they are only shown on selection */

static const SluiceGroup *
group_at (const SceneBuilder *b, guint group)
{
  return sluice_hierarchy_get_group (b->hierarchy, group);
}

static char *
keep (SceneBuilder *b, const char *text)
{
  return g_string_chunk_insert_const (b->scene->strings, text);
}

static SluicePlace
place_of (const SceneBuilder *b, guint group)
{
  return b->state == NULL ? SLUICE_PLACE_DEFAULT
                          : sluice_view_state_get_place (b->state, group_at (b, group)->path);
}

static gboolean
is_aside (const SceneBuilder *b, guint group)
{
  SluicePlace place = place_of (b, group);
  return place == SLUICE_PLACE_EXCLUDE
         || (place == SLUICE_PLACE_DEFAULT && group_at (b, group)->hub);
}

/* "803 k", "27.1 M": three figures. */
static char *
short_count (guint64 n)
{
  static const char *const units[] = { "", " k", " M", " G", " T" };
  double value = (double) n;
  guint unit = 0;
  while (value >= 999.5 && unit + 1 < G_N_ELEMENTS (units))
    {
      value /= 1000;
      unit++;
    }
  return g_strdup_printf ("%.*f%s", unit == 0 || value >= 99.95 ? 0 : 1, value, units[unit]);
}

static const char *
note_of (SceneBuilder *b, const SluiceGroup *g)
{
  if (g->kind == SLUICE_GROUP_SERIES && !g->section)
    return _ ("series");
  gboolean backward = g->gradient && g->pair != SLUICE_NONE;
  if (g->loop != NULL || (backward && g->inner_loop != NULL))
    return _ ("loop");
  if (backward)
    return NULL;
  g_autofree char *n_ops = sluice_format_step (g->n_ops);
  g_autofree char *ops =
      g->section
          /* Translators: of a part of the graph that has no scope of its own in the model. */
          ? g_strdup_printf (
              g_dngettext (GETTEXT_PACKAGE, "%s op, grouped", "%s ops, grouped", g->n_ops), n_ops)
          : g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s op", "%s ops", g->n_ops), n_ops);
  if (g->params == 0)
    return keep (b, ops);
  g_autofree char *count = short_count (g->params);
  /* Translators: operations and trainable parameters of a part of the graph, "5 ops · 803 k params"
   */
  g_autofree char *text = g_strdup_printf (_ ("%s · %s params"), ops, count);
  return keep (b, text);
}

static SluiceItemKind
kind_of (const SceneBuilder *b, guint group)
{
  const SluiceGroup *g = group_at (b, group);
  if (b->open[group])
    return SLUICE_ITEM_OPEN_SCOPE;
  if (g->node_class == SLUICE_NODE_CLASS_VARIABLE)
    return SLUICE_ITEM_VARIABLE;
  if (g->kind != SLUICE_GROUP_OP)
    return SLUICE_ITEM_SCOPE;
  if (g->node_class == SLUICE_NODE_CLASS_CONSTANT)
    return SLUICE_ITEM_CONSTANT;
  return g->node_class == SLUICE_NODE_CLASS_SUMMARY ? SLUICE_ITEM_SUMMARY : SLUICE_ITEM_OP;
}

static void
size_box (SluiceItemKind kind, const char *title, const char *note, double *width, double *height)
{
  double text;
  switch (kind)
    {
    case SLUICE_ITEM_SCOPE:
      text = sluice_text_width (title, SCENE_TITLE_SIZE, TRUE);
      if (note != NULL)
        text = MAX (text, sluice_text_width (note, SCENE_NOTE_SIZE, FALSE));
      *width = CLAMP (ceil (text) + 36, 126, 240);
      *height = note != NULL ? SCENE_SCOPE_HEIGHT : SCENE_PLAIN_SCOPE_HEIGHT;
      break;
    case SLUICE_ITEM_VARIABLE:
      *width = CLAMP (ceil (sluice_text_width (title, SCENE_OP_SIZE, FALSE)) + 28, 64, 170);
      *height = SCENE_VARIABLE_HEIGHT;
      break;
    case SLUICE_ITEM_CONSTANT:
      *width = CLAMP (ceil (sluice_text_width (title, SCENE_GLYPH_SIZE, FALSE)) + 22, 28, 104);
      *height = SCENE_CONSTANT_HEIGHT;
      break;
    case SLUICE_ITEM_SUMMARY:
      *width = CLAMP (ceil (sluice_text_width (title, SCENE_GLYPH_SIZE, FALSE)) + 62, 76, 156);
      *height = SCENE_SUMMARY_HEIGHT;
      break;
    default:
      *width = CLAMP (ceil (sluice_text_width (title, SCENE_OP_SIZE, FALSE)) + 36, 96, 220);
      *height = SCENE_OP_HEIGHT;
    }
}

static void
add_member (SceneBuilder *b, SceneLevel *level, guint group)
{
  const SluiceGroup *g = group_at (b, group);
  SceneMember m = { .group = group,
                    .kind = kind_of (b, group),
                    .layout = SLUICE_NONE,
                    .item = SLUICE_NONE,
                    .aside = is_aside (b, group) };
  if (!m.aside && (m.kind == SLUICE_ITEM_SCOPE || (b->open[group] && g->loop != NULL)))
    m.note = note_of (b, g);
  size_box (m.aside && m.kind == SLUICE_ITEM_SCOPE ? SLUICE_ITEM_OP : m.kind, g->label, m.note,
            &m.width, &m.height);
  if (m.kind == SLUICE_ITEM_SCOPE && !m.aside && (g->loop != NULL || g->inner_loop != NULL))
    {
      g_autofree char *longest = sluice_loop_note (88888);
      m.width = MAX (m.width, ceil (sluice_text_width (longest, SCENE_NOTE_SIZE, FALSE)) + 28);
    }
  m.anchor = m.width / 2;
  b->member_of[group] = level->members->len;
  g_array_append_val (level->members, m);
}

/* How the children of a scope are tied to each other by data; indices are relative to the first
 * child. */
typedef struct
{
  guint readers; /* siblings that are not set aside */
  guint reader;  /* the last of them (group) */
  guint writer;  /* the first box that feeds it (group), SLUICE_NONE */
  guint8 glyph;  /* of a class that is drawn at another box if there is one */
  guint8 satellite;
} Ties;

/* Whether other glyphs may stand at this child. */
static gboolean
is_host (const SceneBuilder *b, const Ties *ties, guint base, guint group)
{
  return !ties[group - base].satellite && !is_aside (b, group);
}

static void
tie_bundles (SceneBuilder *b, guint scope, Ties *ties)
{
  guint first, n = sluice_hierarchy_get_bundles (b->hierarchy, scope, &first);
  guint base = group_at (b, scope)->first_child;
  for (guint i = first; i < first + n; i++)
    {
      const SluiceEdgeBundle *e = sluice_hierarchy_get_bundle (b->hierarchy, i);
      Ties *from = &ties[e->from - base], *to = &ties[e->to - base];
      /* That a gradient reads what its forward half reads goes without saying. */
      if (e->kind != SLUICE_EDGE_DATA || is_aside (b, e->from) || is_aside (b, e->to)
          || (group_at (b, e->to)->gradient && !group_at (b, e->from)->gradient))
        continue;
      from->readers++;
      from->reader = e->to;
      if (to->writer == SLUICE_NONE && !from->glyph)
        to->writer = e->from;
    }
}

/* A constant that only glyphs read (the first value of a variable, the tag of a summary) is a part
 * of them and not drawn; a search still finds it and brings it out. */
static void
fold_constants (SceneBuilder *b, guint scope, Ties *ties)
{
  const SluiceGroup *parent = group_at (b, scope);
  guint base = parent->first_child, first, n;
  g_autofree guint8 *boxed = g_new0 (guint8, parent->n_children + 1);
  n = sluice_hierarchy_get_bundles (b->hierarchy, scope, &first);
  for (guint i = first; i < first + n; i++)
    {
      const SluiceEdgeBundle *e = sluice_hierarchy_get_bundle (b->hierarchy, i);
      boxed[e->from - base] |= !ties[e->to - base].satellite;
    }
  for (guint i = 0; i < parent->n_children; i++)
    if (ties[i].glyph && ties[i].readers > 0 && !boxed[i]
        && group_at (b, base + i)->node_class == SLUICE_NODE_CLASS_CONSTANT)
      ties[i].satellite = TRUE;
}

/* Decides which children stand as glyphs at other boxes: constants at each reader, a variable at
 * its only one, a summary at what it watches. Constants come last: they may stand at a variable or
 * a summary that is a box itself. */
static void
find_satellites (SceneBuilder *b, guint scope, Ties *ties)
{
  const SluiceGroup *parent = group_at (b, scope);
  guint base = parent->first_child, first, n;
  for (guint i = 0; i < parent->n_children; i++)
    {
      const SluiceGroup *g = group_at (b, base + i);
      ties[i].writer = SLUICE_NONE;
      ties[i].glyph = !b->open[base + i] && !is_aside (b, base + i)
                      && place_of (b, base + i) != SLUICE_PLACE_INCLUDE
                      && (g->node_class == SLUICE_NODE_CLASS_CONSTANT
                          || g->node_class == SLUICE_NODE_CLASS_VARIABLE
                          || g->node_class == SLUICE_NODE_CLASS_SUMMARY);
    }
  tie_bundles (b, scope, ties);
  for (guint i = 0; i < parent->n_children; i++)
    {
      SluiceNodeClass node_class = group_at (b, base + i)->node_class;
      if (!ties[i].glyph)
        continue;
      if (node_class == SLUICE_NODE_CLASS_SUMMARY)
        ties[i].satellite = ties[i].writer != SLUICE_NONE && ties[i].readers == 0;
      else if (node_class == SLUICE_NODE_CLASS_VARIABLE)
        /* Inside of its own scope a variable is a box: that scope is about it. */
        ties[i].satellite = ties[i].readers == 1 && !ties[ties[i].reader - base].glyph
                            && parent->node_class != SLUICE_NODE_CLASS_VARIABLE;
    }
  n = sluice_hierarchy_get_bundles (b->hierarchy, scope, &first);
  for (guint i = first; i < first + n; i++)
    {
      const SluiceEdgeBundle *e = sluice_hierarchy_get_bundle (b->hierarchy, i);
      const SluiceGroup *from = group_at (b, e->from), *to = group_at (b, e->to);
      if (e->kind == SLUICE_EDGE_DATA && ties[e->from - base].glyph
          && from->node_class == SLUICE_NODE_CLASS_CONSTANT
          && to->node_class != SLUICE_NODE_CLASS_CONSTANT && is_host (b, ties, base, e->to))
        ties[e->from - base].satellite = TRUE;
    }
  fold_constants (b, scope, ties);
}

static void
add_satellite (SceneBuilder *b, SceneLevel *level, guint group, guint host, guint bundle)
{
  const SluiceGroup *g = group_at (b, group);
  SceneSatellite s = {
    .group = group, .bundle = bundle, .host = host, .title = g->label, .item = SLUICE_NONE
  };
  switch (g->node_class)
    {
    case SLUICE_NODE_CLASS_VARIABLE:
      s.kind = SLUICE_ITEM_VARIABLE;
      break;
    case SLUICE_NODE_CLASS_SUMMARY:
      s.kind = SLUICE_ITEM_SUMMARY;
      break;
    default:
      s.kind = SLUICE_ITEM_CONSTANT;
    }
  s.right = s.kind == SLUICE_ITEM_SUMMARY;
  size_box (s.kind, s.title, NULL, &s.width, &s.height);
  g_array_append_val (level->satellites, s);
}

/* Variables first, then constants: by host, side and kind, in the order of the bundles. */
static int
compare_satellites (gconstpointer pa, gconstpointer pb)
{
  const SceneSatellite *a = pa, *b = pb;
  if (a->host != b->host)
    return a->host < b->host ? -1 : 1;
  if (a->right != b->right)
    return a->right ? 1 : -1;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  return a->group < b->group ? -1 : a->group > b->group;
}

/* Keeps MAX_GLYPHS at each side of a host and says how many more there are. */
static void
count_surplus (SceneBuilder *b, SceneLevel *level)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (SceneSatellite));
  g_array_sort (level->satellites, compare_satellites);
  for (guint i = 0, end; i < level->satellites->len; i = end)
    {
      const SceneSatellite *s = &g_array_index (level->satellites, SceneSatellite, i);
      for (end = i + 1; end < level->satellites->len && s[end - i].host == s->host
                        && s[end - i].right == s->right;
           end++)
        ;
      guint n = end - i, shown = n > MAX_GLYPHS ? MAX_GLYPHS - 1 : n;
      g_array_append_vals (kept, s, shown);
      if (shown == n)
        continue;
      g_autoptr (GString) names = g_string_new (NULL);
      for (guint k = shown; k < n; k++)
        g_string_append_printf (names, "%s%s", k == shown ? "" : ", ", s[k].title);
      g_autofree char *title = g_strdup_printf ("+%u", n - shown);
      SceneSatellite more = { .group = SLUICE_NONE,
                              .bundle = SLUICE_NONE,
                              .host = s->host,
                              .kind = SLUICE_ITEM_MORE,
                              .width = 34,
                              .height = SCENE_CONSTANT_HEIGHT,
                              .title = keep (b, title),
                              .note = keep (b, names->str),
                              .right = s->right,
                              .item = SLUICE_NONE };
      g_array_append_val (kept, more);
    }
  g_array_unref (level->satellites);
  level->satellites = kept;
}

static void
attach_satellites (SceneBuilder *b, SceneLevel *level, const Ties *ties)
{
  guint first, n = sluice_hierarchy_get_bundles (b->hierarchy, level->group, &first);
  guint base = group_at (b, level->group)->first_child;
  for (guint i = first; i < first + n; i++)
    {
      const SluiceEdgeBundle *e = sluice_hierarchy_get_bundle (b->hierarchy, i);
      SluiceNodeClass node_class = group_at (b, e->from)->node_class;
      /* At the forward half, if there is one. */
      if (e->kind != SLUICE_EDGE_DATA
          || (ties[e->from - base].readers > 0 && group_at (b, e->to)->gradient
              && !group_at (b, e->from)->gradient))
        continue;
      if (ties[e->from - base].satellite && is_host (b, ties, base, e->to)
          && node_class != SLUICE_NODE_CLASS_SUMMARY)
        {
          add_satellite (b, level, e->from, b->member_of[e->to], i);
          if (node_class == SLUICE_NODE_CLASS_VARIABLE)
            b->host_of[e->from] = b->member_of[e->to];
        }
      if (ties[e->to - base].satellite && ties[e->to - base].writer == e->from
          && group_at (b, e->to)->node_class == SLUICE_NODE_CLASS_SUMMARY)
        add_satellite (b, level, e->to, b->member_of[e->from], i);
    }
  count_surplus (b, level);
}

/* A word, which a single number has, instead of sizes: plates with it would be all that is read
 * where losses and rates are handed round. */
static gboolean
is_scalar (const char *shape)
{
  return shape != NULL && strpbrk (shape, "0123456789?") == NULL;
}

/* The shape all data of a bundle has, or how many tensors it is. */
static const char *
label_of (SceneBuilder *b, const SluiceEdgeBundle *bundle)
{
  SluiceGraphModel *model = sluice_hierarchy_get_model (b->hierarchy);
  const char *shape = NULL;
  guint n = 0;
  gboolean equal = TRUE;
  for (guint i = bundle->first_edge; i < bundle->first_edge + bundle->n_edges; i++)
    {
      const SluiceModelEdge *e =
          sluice_graph_model_get_edge (model, sluice_hierarchy_get_bundled_edge (b->hierarchy, i));
      if (e->kind != SLUICE_EDGE_DATA)
        continue;
      equal = equal && (n == 0 || shape == e->shape); /* shapes are interned */
      shape = e->shape;
      n++;
    }
  if (n == 0)
    return NULL;
  if (equal)
    return is_scalar (shape) ? NULL : shape;
  g_autofree char *count = sluice_format_step (n);
  g_autofree char *text =
      g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s tensor", "%s tensors", n), count);
  return keep (b, text);
}

/* The member that a child is drawn as, or, for the update of a variable, at; else SLUICE_NONE. */
static guint
end_of (const SceneBuilder *b, guint group, SluiceEdgeKind kind)
{
  guint found = b->member_of[group];
  return found == SLUICE_NONE && kind == SLUICE_EDGE_REFERENCE ? b->host_of[group] : found;
}

static void
add_wires (SceneBuilder *b, SceneLevel *level)
{
  guint first, n = sluice_hierarchy_get_bundles (b->hierarchy, level->group, &first);
  g_autofree guint *control = g_new0 (guint, level->members->len + 1);
  for (guint i = first; i < first + n; i++)
    {
      const SluiceEdgeBundle *e = sluice_hierarchy_get_bundle (b->hierarchy, i);
      /* What ends at a glyph is its stalk, or seen when one end is selected. */
      SceneWire w = { .from = end_of (b, e->from, e->kind),
                      .to = end_of (b, e->to, e->kind),
                      .from_group = e->from,
                      .to_group = e->to,
                      .bundle = i,
                      .kind = e->kind,
                      .bytes = e->bytes,
                      .arrow = TRUE };
      w.quiet = w.from == SLUICE_NONE || w.to == SLUICE_NONE || w.from == w.to
                || (e->serves && e->kind == SLUICE_EDGE_DATA)
                || g_array_index (level->members, SceneMember, w.from).aside
                || g_array_index (level->members, SceneMember, w.to).aside;
      if (e->kind == SLUICE_EDGE_CONTROL && !w.quiet)
        {
          control[w.from]++;
          control[w.to]++;
        }
      if (e->kind == SLUICE_EDGE_DATA)
        w.label = label_of (b, e);
      g_array_append_val (level->wires, w);
    }
  for (guint i = 0; i < level->wires->len; i++)
    {
      SceneWire *w = &g_array_index (level->wires, SceneWire, i);
      if (w->kind == SLUICE_EDGE_CONTROL && !w->quiet)
        w->quiet = control[w->from] > MAX_CONTROL || control[w->to] > MAX_CONTROL;
    }
}

static void
add_port_wire (SceneBuilder *b, SceneLevel *level, guint member, gboolean in)
{
  guint group = g_array_index (level->members, SceneMember, member).group;
  const SceneCrossing *c = in ? &b->in[group] : &b->out[group];
  SceneWire w = { .from = in ? SCENE_PORT_IN : member,
                  .to = in ? member : SCENE_PORT_OUT,
                  .from_group = in ? level->group : group,
                  .to_group = in ? group : level->group,
                  .bundle = SLUICE_NONE,
                  .kind = SLUICE_EDGE_DATA,
                  .bytes = c->bytes,
                  .arrow = in };
  /* The line outside carries the label already. */
  g_array_append_val (level->wires, w);
  if (in)
    level->has_in = TRUE;
  else
    level->has_out = TRUE;
}

static guint
find_first (guint *before, guint i)
{
  while (before[i] != i)
    i = before[i] = before[before[i]];
  return i;
}

/* Which members have lines to the border: all, unless the scope is a collection of many parts that
 * no line ties to each other. Then such lines would say of each that it is a part. A part of one
 * box has none where parts are many, others where there are many others. */
static void
find_entered (const SceneBuilder *b, const SceneLevel *level, guint8 *entered)
{
  guint n = level->members->len, n_parts = 0, n_larger = 0;
  g_autofree guint *first = g_new (guint, n + 1);
  g_autofree guint *size = g_new0 (guint, n + 1);
  g_autofree guint8 *crossed = g_new0 (guint8, n + 1);
  for (guint i = 0; i < n; i++)
    first[i] = i;
  for (guint i = 0; i < level->wires->len; i++)
    {
      const SceneWire *w = &g_array_index (level->wires, SceneWire, i);
      if (!w->quiet && !w->stub)
        first[find_first (first, w->from)] = find_first (first, w->to);
    }
  for (guint i = 0; i < n; i++)
    {
      const SceneMember *m = &g_array_index (level->members, SceneMember, i);
      guint part = find_first (first, i);
      size[part]++;
      crossed[part] |= !m->aside && (b->in[m->group].n_data > 0 || b->out[m->group].n_data > 0);
    }
  for (guint i = 0; i < n; i++)
    {
      n_parts += crossed[i];
      n_larger += crossed[i] && size[i] > 1;
    }
  for (guint i = 0; i < n; i++)
    entered[i] = (size[find_first (first, i)] > 1 ? n_larger : n_parts) <= MAX_ENTRANCES;
}

/* Lines between the border and the members that something outside is tied to. Where these are many,
 * only the first and last in the flow have one. */
static void
add_port_wires (SceneBuilder *b, SceneLevel *level)
{
  guint n_members = level->members->len, n_wires = level->wires->len;
  g_autofree guint8 *has_in = g_new0 (guint8, n_members + 1);
  g_autofree guint8 *has_out = g_new0 (guint8, n_members + 1);
  g_autofree guint8 *entered = g_new0 (guint8, n_members + 1);
  find_entered (b, level, entered);
  for (guint i = 0; i < n_wires; i++)
    {
      const SceneWire *w = &g_array_index (level->wires, SceneWire, i);
      if (w->quiet || w->kind != SLUICE_EDGE_DATA)
        continue;
      has_out[w->from] = 1;
      has_in[w->to] = 1;
    }
  for (int side = 0; side < 2; side++)
    {
      const SceneCrossing *crossings = side == 0 ? b->in : b->out;
      const guint8 *inside = side == 0 ? has_in : has_out;
      guint n = 0;
      for (guint i = 0; i < n_members; i++)
        n += crossings[g_array_index (level->members, SceneMember, i).group].n_data > 0;
      for (guint i = 0; i < n_members; i++)
        {
          const SceneMember *m = &g_array_index (level->members, SceneMember, i);
          if (!m->aside && entered[i] && crossings[m->group].n_data > 0
              && (n <= MAX_ENTRANCES || !inside[i]))
            add_port_wire (b, level, i, side == 0);
        }
    }
}

/* The children of the lowest common scope that hold the two groups. */
static void
lift (const SceneBuilder *b, guint *x, guint *y)
{
  while (group_at (b, *x)->depth > group_at (b, *y)->depth)
    *x = group_at (b, *x)->parent;
  while (group_at (b, *y)->depth > group_at (b, *x)->depth)
    *y = group_at (b, *y)->parent;
  while (group_at (b, *x)->parent != group_at (b, *y)->parent)
    {
      *x = group_at (b, *x)->parent;
      *y = group_at (b, *y)->parent;
    }
}

/* Adds a tensor to every border it crosses between @group and @top, where its line outside ends. */
static void
cross (SceneBuilder *b, SceneCrossing *crossings, guint group, guint top, guint64 bytes)
{
  for (guint g = group; g != top; g = group_at (b, g)->parent)
    if (b->open[group_at (b, g)->parent])
      {
        crossings[g].n_data++;
        crossings[g].bytes += bytes;
      }
}

void
sluice_scene_find_crossings (SceneBuilder *b)
{
  SluiceHierarchy *h = b->hierarchy;
  SluiceGraphModel *model = sluice_hierarchy_get_model (h);
  guint n = sluice_graph_model_get_n_edges (model);
  b->in = g_new0 (SceneCrossing, sluice_hierarchy_get_n_groups (h));
  b->out = g_new0 (SceneCrossing, sluice_hierarchy_get_n_groups (h));
  for (guint e = 0; e < n; e++)
    {
      const SluiceModelEdge *edge = sluice_graph_model_get_edge (model, e);
      guint from = sluice_hierarchy_get_op_group (h, edge->from);
      guint to = sluice_hierarchy_get_op_group (h, edge->to), top_from = from, top_to = to;
      if (edge->kind != SLUICE_EDGE_DATA || from == to)
        continue;
      lift (b, &top_from, &top_to);
      /* What is not drawn outside does not go on inside: that a gradient reads its forward half,
       * and lines of what is set aside. */
      if ((group_at (b, to)->gradient && !group_at (b, from)->gradient) || is_aside (b, top_from)
          || is_aside (b, top_to))
        continue;
      cross (b, b->out, from, top_from, edge->bytes);
      cross (b, b->in, to, top_to, edge->bytes);
    }
}

SceneLevel *
sluice_scene_level_new (SceneBuilder *b, guint group, SluiceFlowDirection flow)
{
  const SluiceGroup *g = group_at (b, group);
  SceneLevel *level = g_new0 (SceneLevel, 1);
  g_autofree Ties *ties = g_new0 (Ties, g->n_children + 1);

  level->group = group;
  level->flow = flow;
  level->view_width = b->view_width;
  level->view_height = b->view_height;
  level->members = g_array_new (FALSE, FALSE, sizeof (SceneMember));
  level->satellites = g_array_new (FALSE, FALSE, sizeof (SceneSatellite));
  level->wires = g_array_new (FALSE, FALSE, sizeof (SceneWire));
  level->points = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  find_satellites (b, group, ties);
  for (guint i = 0; i < g->n_children; i++)
    {
      b->member_of[g->first_child + i] = b->host_of[g->first_child + i] = SLUICE_NONE;
      if (!ties[i].satellite)
        add_member (b, level, g->first_child + i);
    }
  attach_satellites (b, level, ties);
  add_wires (b, level);
  sluice_scene_level_shorten (b, level);
  if (group != 0)
    add_port_wires (b, level);
  return level;
}

void
sluice_scene_level_free (SceneLevel *self)
{
  for (guint i = 0; i < self->members->len; i++)
    g_clear_pointer (&g_array_index (self->members, SceneMember, i).inner, sluice_scene_level_free);
  g_array_unref (self->members);
  g_array_unref (self->satellites);
  g_array_unref (self->wires);
  g_array_unref (self->points);
  g_free (self);
}
