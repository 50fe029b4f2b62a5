/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/dot.h"

#include <glib/gi18n-lib.h>
#include <graphviz/gvc.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#define MAX_NODES 150
#define MAX_EDGES 300
#define INCH      72.0 /* in points; we let a pixel be a point */

/* libgvc and libcgraph keep global state: everything here takes turns. */
static pthread_mutex_t graphviz_lock = PTHREAD_MUTEX_INITIALIZER;

/* Graphviz takes char* where it means const. */
#define TEXT(literal) ((char *) (literal))

static void
set_number (void *object, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (text, sizeof text, "%.3f", value);
  agsafeset (object, TEXT (name), text, TEXT (""));
}

static void
set_text (void *object, const char *name, const char *value)
{
  agsafeset (object, TEXT (name), TEXT (value), TEXT (""));
}

typedef struct
{
  SluiceScene *scene;
  Agraph_t **cluster; /* per item: of an open scope */
  Agnode_t **node;    /* per item */
} Export;

static void
export_item (Export *x, Agraph_t *root, guint index)
{
  const SluiceSceneItem *item = sluice_scene_get_item (x->scene, index);
  Agraph_t *parent = item->parent == SLUICE_NONE ? root : x->cluster[item->parent];
  char name[32];
  if (item->kind == SLUICE_ITEM_HEADING)
    return;
  if (item->kind == SLUICE_ITEM_OPEN_SCOPE)
    {
      g_snprintf (name, sizeof name, "cluster_%u", index);
      x->cluster[index] = agsubg (parent, name, TRUE);
      set_text (x->cluster[index], "label", item->title);
      parent = x->cluster[index];
    }
  const char *path =
      item->node == SLUICE_NONE
          ? NULL
          : sluice_hierarchy_get_group (sluice_scene_get_hierarchy (x->scene), item->node)->path;
  /* A constant stands at each of its readers: its second picture has a name of its own. */
  gboolean first = path != NULL && sluice_scene_find_item (x->scene, item->node) == index;
  g_autofree char *unique =
      first ? g_strdup (path) : g_strdup_printf ("%s#%u", path != NULL ? path : "more", index);
  Agnode_t *node = x->node[index] = agnode (parent, unique, TRUE);
  SluicePoint centre = sluice_rect_centre (&item->rect);
  g_autofree char *at = g_strdup_printf ("%.0f,%.0f", centre.x, -centre.y);
  gboolean frame = item->kind == SLUICE_ITEM_OPEN_SCOPE;
  set_text (node, "label", frame ? "" : item->title);
  set_text (node, "shape", frame ? "point" : item->kind == SLUICE_ITEM_SCOPE ? "box" : "ellipse");
  set_text (node, "pos", at);
  set_number (node, "width", item->rect.width / INCH);
  set_number (node, "height", item->rect.height / INCH);
}

static void
export_edge (Export *x, Agraph_t *root, guint index)
{
  static const char *const styles[] = { [SLUICE_EDGE_DATA] = "solid",
                                        [SLUICE_EDGE_REFERENCE] = "dashed",
                                        [SLUICE_EDGE_BACK] = "bold",
                                        [SLUICE_EDGE_CONTROL] = "dashed" };
  const SluiceSceneEdge *e = sluice_scene_get_edge (x->scene, index);
  if (e->quiet || e->from == SLUICE_NONE || e->to == SLUICE_NONE || x->node[e->from] == NULL
      || x->node[e->to] == NULL)
    return;
  Agedge_t *edge = agedge (root, x->node[e->from], x->node[e->to], NULL, TRUE);
  set_text (edge, "label", e->label != NULL ? e->label : "");
  set_text (edge, "style", styles[e->kind]);
  set_text (edge, "color", e->kind == SLUICE_EDGE_REFERENCE ? "#e66100" : "#8e8e95");
  set_number (edge, "penwidth", e->width);
  if (e->kind == SLUICE_EDGE_BACK)
    set_text (edge, "constraint", "false"); /* it leads down: ranks follow from the others */
}

static int
append_text (void *channel, const char *text)
{
  g_string_append (channel, text);
  return 0;
}

static int
nothing_to_flush (void *channel)
{
  return 0;
}

char *
sluice_scene_dup_dot (SluiceScene *scene)
{
  static Agiodisc_t io = { NULL, append_text, nothing_to_flush };
  guint n = sluice_scene_get_n_items (scene);
  g_autofree Agraph_t **clusters = g_new0 (Agraph_t *, n + 1);
  g_autofree Agnode_t **nodes = g_new0 (Agnode_t *, n + 1);
  Export x = { scene, clusters, nodes };
  GString *text = g_string_new (NULL);

  pthread_mutex_lock (&graphviz_lock);
  io.afread = AgIoDisc.afread;
  Agdisc_t disc = { NULL, &AgIdDisc, &io };
  Agraph_t *root = agopen (TEXT ("graph"), Agdirected, &disc);
  set_text (root, "rankdir", sluice_scene_get_flow (scene) == SLUICE_FLOW_UP ? "BT" : "TB");
  for (guint i = 0; i < n; i++)
    export_item (&x, root, i);
  for (guint i = 0; i < sluice_scene_get_n_edges (scene); i++)
    export_edge (&x, root, i);
  agwrite (root, text);
  agclose (root);
  pthread_mutex_unlock (&graphviz_lock);
  return g_string_free (text, FALSE);
}

static char last_error[512]; /* guarded by graphviz_lock */

static int
keep_error (char *message)
{
  g_strlcat (last_error, message, sizeof last_error);
  return 0;
}

static SluiceGraphModel *
model_from_graph (Agraph_t *graph)
{
  SluiceGraphModel *model = sluice_graph_model_new ();
  for (Agnode_t *v = agfstnode (graph); v != NULL; v = agnxtnode (graph, v))
    {
      const char *op = agget (v, TEXT ("op")), *device = agget (v, TEXT ("device"));
      SluiceModelNode node = { .name = agnameof (v),
                               .op = op != NULL && *op != '\0' ? op : "Node",
                               .device = device != NULL && *device != '\0' ? device : NULL };
      sluice_graph_model_add_node (model, &node);
    }
  for (Agnode_t *v = agfstnode (graph); v != NULL; v = agnxtnode (graph, v))
    for (Agedge_t *e = agfstout (graph, v); e != NULL; e = agnxtout (graph, e))
      {
        const char *style = agget (e, TEXT ("style")), *shape = agget (e, TEXT ("shape"));
        SluiceEdgeKind kind = g_strcmp0 (style, "dashed") == 0 ? SLUICE_EDGE_CONTROL
                              : g_strcmp0 (style, "bold") == 0 ? SLUICE_EDGE_BACK
                                                               : SLUICE_EDGE_DATA;
        SluiceModelEdge edge = { .from = sluice_graph_model_lookup (model, agnameof (agtail (e))),
                                 .to = sluice_graph_model_lookup (model, agnameof (aghead (e))),
                                 .kind = kind,
                                 .shape = shape != NULL && *shape != '\0' ? shape : NULL };
        sluice_graph_model_add_edge (model, &edge);
      }
  return model;
}

SluiceGraphModel *
sluice_graph_model_new_from_dot (const char *text, GError **error)
{
  SluiceGraphModel *model = NULL;
  pthread_mutex_lock (&graphviz_lock);
  last_error[0] = '\0';
  agusererrf before = agseterrf (keep_error);
  Agraph_t *graph = agmemread (text);
  if (graph != NULL && agisdirected (graph))
    model = model_from_graph (graph);
  else
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, _ ("Not a directed graph in DOT: %s"),
                 graph != NULL ? _ ("its edges have no direction") : g_strstrip (last_error));
  if (graph != NULL)
    agclose (graph);
  agseterrf (before);
  pthread_mutex_unlock (&graphviz_lock);
  return model;
}

static Agraph_t *
make_dot_graph (const SluiceLayoutNode *nodes,
                guint n_nodes,
                const SluiceLayoutEdge *edges,
                guint n_edges,
                const SluiceLayoutOptions *options,
                Agnode_t **v,
                Agedge_t **e)
{
  Agraph_t *g = agopen (TEXT ("level"), Agdirected, NULL);
  set_number (g, "nodesep", options->node_gap / INCH);
  set_number (g, "ranksep", options->rank_gap / INCH);
  for (guint i = 0; i < n_nodes; i++)
    {
      char name[16];
      g_snprintf (name, sizeof name, "%u", i);
      v[i] = agnode (g, name, TRUE);
      set_text (v[i], "label", "");
      set_text (v[i], "shape", "box");
      set_text (v[i], "fixedsize", "true");
      /* Edges meet in the middle of a dot node, which so has to be our anchor. */
      set_number (v[i], "width", 2 * MAX (nodes[i].left, nodes[i].right) / INCH);
      set_number (v[i], "height", MAX (nodes[i].height, 2) / INCH);
    }
  for (guint i = 0; i < n_edges; i++)
    {
      char key[16];
      g_snprintf (key, sizeof key, "%u", i);
      e[i] = agedge (g, v[edges[i].from], v[edges[i].to], key, TRUE);
      set_text (e[i], "arrowhead", "none");
      set_number (e[i], "weight", MAX (floor (edges[i].weight), 1));
    }
  return g;
}

static SluiceLayout *
take_dot_layout (Agraph_t *g, guint n_nodes, guint n_edges, Agnode_t **v, Agedge_t **e)
{
  SluiceLayout *layout = g_new0 (SluiceLayout, 1);
  boxf box = GD_bb (g);
  layout->n_nodes = n_nodes;
  layout->n_edges = n_edges;
  layout->width = box.UR.x - box.LL.x;
  layout->height = box.UR.y - box.LL.y;
  layout->anchors = g_new0 (SluicePoint, n_nodes + 1);
  layout->ranks = g_new0 (guint, n_nodes + 1);
  layout->routes = g_new0 (SluiceLayoutRoute, n_edges + 1);
  layout->points = g_array_new (FALSE, FALSE, sizeof (SluicePoint));
  layout->n_components = 1;
  for (guint i = 0; i < n_nodes; i++)
    {
      layout->anchors[i].x = ND_coord (v[i]).x - box.LL.x;
      layout->anchors[i].y = box.UR.y - ND_coord (v[i]).y;
      layout->ranks[i] = ND_rank (v[i]);
    }
  for (guint i = 0; i < n_edges; i++)
    {
      const splines *spl = ED_spl (e[i]);
      layout->routes[i].first_point = layout->points->len;
      for (int k = 0; spl != NULL && spl->size > 0 && k < spl->list[0].size; k++)
        {
          SluicePoint p = { spl->list[0].list[k].x - box.LL.x, box.UR.y - spl->list[0].list[k].y };
          g_array_append_val (layout->points, p);
        }
      layout->routes[i].n_points = layout->points->len - layout->routes[i].first_point;
    }
  return layout;
}

SluiceLayout *
sluice_dot_layout_new (const SluiceLayoutNode *nodes,
                       guint n_nodes,
                       const SluiceLayoutEdge *edges,
                       guint n_edges,
                       const SluiceLayoutOptions *options)
{
  SluiceLayout *layout = NULL;
  Agnode_t *v[MAX_NODES];
  Agedge_t *e[MAX_EDGES];
  if (n_nodes == 0 || n_nodes > MAX_NODES || n_edges > MAX_EDGES)
    return NULL;
  for (guint i = 0; i < n_edges; i++)
    if (edges[i].from == edges[i].to)
      return NULL;
  pthread_mutex_lock (&graphviz_lock);
  GVC_t *gvc = gvContext ();
  Agraph_t *g = make_dot_graph (nodes, n_nodes, edges, n_edges, options, v, e);
  if (gvLayout (gvc, g, "dot") == 0)
    {
      layout = take_dot_layout (g, n_nodes, n_edges, v, e);
      gvFreeLayout (gvc, g);
    }
  agclose (g);
  gvFreeContext (gvc);
  pthread_mutex_unlock (&graphviz_lock);
  return layout;
}
