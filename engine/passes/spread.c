/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/passes/spread.h"

#include "engine/device/device.h"
#include "engine/device/kernel.h"
#include "engine/graph/edit.h"
#include "engine/graph/lower.h"
#include "engine/passes/work.h"

#define ANY     -1 /* nobody of the group asked for a device */
#define NOWHERE -2 /* what they ask for is not there, or not one device */

typedef struct
{
  SluiceGraph *graph;
  const char *const *devices;
  guint n_devices;
  gboolean moves_cpus; /* who asks for a CPU has asked for no other device */
  guint32 *parent;     /* union-find over node indices */
  int *asked;          /* by root: a device, ANY or NOWHERE */
} Spread;

static guint32
find_root (Spread *self, guint32 i)
{
  while (self->parent[i] != i)
    i = self->parent[i] = self->parent[self->parent[i]];
  return i;
}

static void
tie (Spread *self, const SluiceNode *a, const SluiceNode *b)
{
  guint32 x = find_root (self, a->id - 1), y = find_root (self, b->id - 1);
  self->parent[MAX (x, y)] = MIN (x, y);
}

static void
tie_class (Spread *self, const SluiceNode *node)
{
  const SluiceAttrValue *class = sluice_node_get_attr (node, "_class");
  for (guint i = 0; class != NULL && i < class->list.n; i++)
    {
      g_autofree char *text =
          g_strndup (class->list.items[i].s.data, class->list.items[i].s.length);
      const SluiceNode *other =
          g_str_has_prefix (text, "loc:@") ? sluice_graph_find (self->graph, text + 5) : NULL;
      if (other != NULL)
        tie (self, node, other);
    }
}

static char *
dup_text (const SluiceNode *node, const char *attr)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, attr);
  return value != NULL ? g_strndup (value->s.data, value->s.length) : g_strdup ("");
}

/* Those that make one resource. names: "container/shared_name" → the first of them */
static void
tie_shared (Spread *self, GHashTable *names, SluiceNode *node)
{
  g_autofree char *container = dup_text (node, "container"), *name = dup_text (node, "shared_name");
  if (*name == '\0')
    return;
  g_autofree char *key = g_strconcat (container, "/", name, NULL);
  const SluiceNode *other = g_hash_table_lookup (names, key);
  if (other != NULL)
    tie (self, node, other);
  else
    g_hash_table_insert (names, g_steal_pointer (&key), node);
}

static void
tie_node (Spread *self, const SluiceNode *node)
{
  tie_class (self, node);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (edge.node == NULL || edge.port >= (int) edge.node->n_outputs)
        continue;
      SluiceDType dtype = sluice_edge_dtype (edge);
      if (dtype == SLUICE_RESOURCE
          || (sluice_dtype_is_ref (dtype) && sluice_node_takes_ref (node, i)))
        tie (self, node, edge.node);
    }
}

/* The device that a node asks for. */
static int
parse_request (const Spread *self, const SluiceNode *node)
{
  SluiceDeviceSpec spec;
  if (node->device[0] == '\0')
    return ANY;
  if (!sluice_device_spec_parse (&spec, node->device, NULL))
    return NOWHERE;
  int device = self->moves_cpus && g_strcmp0 (spec.type, "CPU") == 0 ? ANY : NOWHERE;
  g_autofree char *name = g_strdup_printf ("%s:%d", spec.type, MAX (spec.index, 0));
  for (guint i = 0; i < self->n_devices && device == NOWHERE; i++)
    if (g_str_equal (name, self->devices[i]))
      device = (int) i;
  sluice_device_spec_clear (&spec);
  return device;
}

static void
ask (Spread *self, guint32 i)
{
  int device = parse_request (self, sluice_graph_get_node (self->graph, i));
  int *asked = &self->asked[find_root (self, i)];
  if (*asked == ANY)
    *asked = device;
  else if (device != ANY && device != *asked)
    *asked = NOWHERE;
}

/* Calls are written out; groups are made, with what they ask for. Those of the first nodes keep
 * their devices. */
static void
gather (Spread *self,
        SluiceGraph *graph,
        guint first,
        const char *const *devices,
        guint n_devices,
        gboolean moves_cpus)
{
  sluice_graph_lower_all (graph);
  guint n = sluice_graph_get_n_nodes (graph);
  *self =
      (Spread){ graph, devices, n_devices, moves_cpus, g_new (guint32, n + 1), g_new (int, n + 1) };
  for (guint32 i = 0; i < n; i++)
    {
      self->parent[i] = i;
      self->asked[i] = ANY;
    }
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint32 i = 0; i < n; i++)
    {
      tie_node (self, sluice_graph_get_node (graph, i));
      tie_shared (self, names, sluice_graph_get_node (graph, i));
    }
  for (guint32 i = 0; i < n; i++)
    ask (self, i);
  for (guint32 i = 0; i < first; i++)
    self->asked[find_root (self, i)] = NOWHERE;
}

static void
set_devices (Spread *self, guint first)
{
  for (guint32 i = first; i < sluice_graph_get_n_nodes (self->graph); i++)
    {
      int device = self->asked[find_root (self, i)];
      if (device < 0)
        continue;
      g_autofree char *name = g_strconcat ("/device:", self->devices[device], NULL);
      sluice_graph_set_device (self->graph, sluice_graph_get_node (self->graph, i), name);
    }
  g_free (self->parent);
  g_free (self->asked);
}

void
sluice_spread_nodes (
    SluiceGraph *graph, guint first, guint64 seed, const char *const *devices, guint n_devices)
{
  Spread self;
  if (seed == 0)
    return;
  gather (&self, graph, first, devices, n_devices, FALSE);
  g_autoptr (GRand) lot = g_rand_new_with_seed_array (
      (const guint32[]){ (guint32) seed, (guint32) (seed >> 32), first }, 3);
  for (guint32 i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (find_root (&self, i) == i && self.asked[i] != NOWHERE)
      self.asked[i] = g_rand_int_range (lot, 0, (gint32) n_devices);
  set_devices (&self, first);
}

char **
sluice_list_cpus (guint n)
{
  char **names = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = g_strdup_printf ("CPU:%u", i);
  return names;
}

/* Of an op that has kernels, but none for such a device. klass (nullable): that of CPUs. */
static gboolean
lacks_kernel (const SluiceNode *node, const SluiceDeviceClass *klass)
{
  guint n_kernels;
  sluice_kernel_list (node->op_name, &n_kernels);
  if (n_kernels == 0)
    return FALSE;
  return klass != NULL ? sluice_device_class_find_kernel (klass, node, G_MAXINT, NULL) == NULL
                       : sluice_kernel_find (node, "CPU", G_MAXINT, NULL) == NULL;
}

void
sluice_put_nodes (SluiceGraph *graph, guint first, const char *type, guint device)
{
  Spread self;
  g_autofree char *name = g_strdup_printf ("%s:%u", type, device);
  gather (&self, graph, first, (const char *const *) &name, 1, TRUE);
  guint n = sluice_graph_get_n_nodes (graph);
  const SluiceDeviceKind *kind = sluice_device_find_kind (type, NULL);
  for (guint32 i = 0; i < n; i++)
    if (lacks_kernel (sluice_graph_get_node (graph, i), kind != NULL ? kind->klass : NULL))
      self.asked[find_root (&self, i)] = NOWHERE;
  for (guint32 i = 0; i < n; i++)
    if (find_root (&self, i) == i && self.asked[i] != NOWHERE)
      self.asked[i] = 0;
  set_devices (&self, first);
}
