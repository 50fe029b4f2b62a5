/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/judge.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/graph/shape-words.h"
#include "engine/graph/trial.h"

/* Larger than any size that a graph has: an axis that takes it takes all. */
#define ABSURD 982451653

/* ---- what an input takes ---- */

/* A node, one of its inputs and a value that is put there. */
typedef struct
{
  const SluiceNode *node;
  guint input;
  SluiceNode *value; /* a stand-in */
  SluiceDType dtype;
} Probe;

static void
probe_init (Probe *self, const SluiceNode *node, guint input, SluiceDType dtype)
{
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  *self = (Probe){ node, input, sluice_stand_in_new (dtype, &shape), dtype };
}

static void
probe_clear (Probe *self)
{
  sluice_stand_in_free (self->value);
}

static gboolean
takes (const Probe *self, const SluiceShape *shape)
{
  SluiceOutput output;
  sluice_stand_in_set (self->value, self->dtype, shape);
  return sluice_node_try_input (self->node, self->input, (SluiceEdge){ self->value, 0 }, &output,
                                NULL);
}

static guint
find_ranks (const Probe *self)
{
  guint ranks = 0;
  for (int rank = 0; rank <= SLUICE_MAX_RANK; rank++)
    {
      SluiceShape shape = sluice_shape_of_rank (rank);
      if (takes (self, &shape))
        ranks |= 1u << rank;
    }
  return ranks;
}

/* The size that an axis must have; -1: any, or none that is a size of the node's other inputs. */
static gint64
find_size (const Probe *self, int rank, int axis)
{
  SluiceShape shape = sluice_shape_of_rank (rank);
  shape.dim[axis] = ABSURD;
  if (takes (self, &shape))
    return -1;
  for (guint i = 0; i < self->node->n_inputs; i++)
    {
      SluiceEdge other = i != self->input ? self->node->inputs[i] : SLUICE_NO_EDGE;
      for (int k = 0; other.node != NULL && k < sluice_edge_shape (other)->rank; k++)
        {
          shape.dim[axis] = sluice_edge_shape (other)->dim[k];
          if (shape.dim[axis] >= 0 && takes (self, &shape))
            return shape.dim[axis];
        }
    }
  return -1;
}

static gboolean
is_one (guint ranks)
{
  return ranks != 0 && (ranks & (ranks - 1)) == 0;
}

void
sluice_input_want_find (const SluiceNode *node,
                        guint input,
                        SluiceDType dtype,
                        SluiceInputWant *want)
{
  Probe probe;
  *want = (SluiceInputWant){ sluice_node_get_input_dtype (node, input), 0, SLUICE_SHAPE_UNKNOWN };
  probe_init (&probe, node, input, want->dtype != SLUICE_INVALID ? want->dtype : dtype);
  want->ranks = find_ranks (&probe);
  if (is_one (want->ranks))
    {
      int rank = g_bit_nth_lsf (want->ranks, -1);
      want->shape = sluice_shape_of_rank (rank);
      for (int i = 0; i < rank; i++)
        want->shape.dim[i] = find_size (&probe, rank, i);
    }
  probe_clear (&probe);
}

static gboolean
says_a_size (const SluiceShape *shape)
{
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] >= 0)
      return TRUE;
  return shape->rank == 0;
}

char *
sluice_input_want_dup_words (const SluiceInputWant *self)
{
  const char *type =
      self->dtype != SLUICE_INVALID ? sluice_dtype_get_word (self->dtype) : _ ("any value");
  g_autofree char *shape =
      says_a_size (&self->shape) ? sluice_shape_dup_words (&self->shape) : NULL;
  if (shape != NULL)
    return g_strdup_printf ("%s, %s", type, shape);
  if (self->shape.rank < 0)
    return g_strdup (type);
  return g_strdup_printf (ngettext ("%s of %d axis", "%s of %d axes", (gulong) self->shape.rank),
                          type, self->shape.rank);
}

/* ---- why not ---- */

/* "reads 2 axes, this has 4". (transfer full) (nullable): the number of axes is not why */
static char *
explain_rank (const Probe *probe, int rank)
{
  guint ranks = find_ranks (probe);
  if (rank < 0 || ranks == 0 || (ranks & (1u << rank)))
    return NULL;
  int least = g_bit_nth_lsf (ranks, -1);
  if (is_one (ranks))
    return g_strdup_printf (
        ngettext ("reads %d axis, this has %d", "reads %d axes, this has %d", (gulong) least),
        least, rank);
  if (rank < least)
    return g_strdup_printf (ngettext ("reads %d axis or more, this has %d",
                                      "reads %d axes or more, this has %d", (gulong) least),
                            least, rank);
  return g_strdup_printf (
      ngettext ("does not read %d axis", "does not read %d axes", (gulong) rank), rank);
}

/* The first axis that is wrong by itself. */
static char *
explain_size (const Probe *probe, const SluiceShape *shape)
{
  for (int i = 0; i < shape->rank; i++)
    {
      SluiceShape alone = sluice_shape_of_rank (shape->rank);
      alone.dim[i] = shape->dim[i];
      if (shape->dim[i] < 0 || takes (probe, &alone))
        continue;
      gint64 want = find_size (probe, shape->rank, i);
      g_autofree char *is = g_strdup_printf ("%" G_GINT64_FORMAT, shape->dim[i]);
      g_autofree char *wanted = g_strdup_printf ("%" G_GINT64_FORMAT, want);
      return want < 0 ? g_strdup_printf (_ ("axis %d cannot be %s"), i, is)
                      : g_strdup_printf (_ ("reads %s in axis %d, this has %s"), wanted, i, is);
    }
  return NULL;
}

static char *
explain_type (const SluiceNode *node, guint input, SluiceDType dtype)
{
  SluiceDType want = sluice_node_get_input_dtype (node, input);
  const char *is = sluice_dtype_get_word (dtype);
  if (sluice_dtype_is_ref (want) && !sluice_dtype_is_ref (dtype))
    return g_strdup (_ ("reads a variable, not a value"));
  if (want != SLUICE_INVALID && sluice_dtype_base (want) != sluice_dtype_base (dtype))
    return g_strdup_printf (_ ("reads %s, this is %s"), sluice_dtype_get_word (want), is);
  return NULL;
}

char *
sluice_judge_dup_rest (const char *message)
{
  const char *colon = strstr (message, "': ");
  return g_strdup (colon != NULL ? colon + strlen ("': ") : message);
}

static char *
explain (SluiceEdge from, const SluiceNode *node, guint input, const GError *error)
{
  SluiceDType dtype = sluice_edge_dtype (from);
  const SluiceShape *shape = sluice_edge_shape (from), unknown = SLUICE_SHAPE_UNKNOWN;
  Probe probe;
  char *reason = explain_type (node, input, dtype);
  if (reason != NULL)
    return reason;
  probe_init (&probe, node, input, dtype);
  if (!takes (&probe, &unknown))
    reason = node->op != NULL
                 ? g_strdup_printf (_ ("does not read %s"), sluice_dtype_get_word (dtype))
                 : NULL;
  else if ((reason = explain_rank (&probe, shape->rank)) == NULL)
    reason = explain_size (&probe, shape);
  probe_clear (&probe);
  return reason != NULL ? reason : sluice_judge_dup_rest (error->message);
}

/* ---- the judge ---- */

struct _SluiceJudge
{
  SluiceGraph *graph;
  SluiceNode *from;   /* (nullable) */
  guint64 version;    /* of the graph, when `before` was collected */
  GHashTable *before; /* (nullable): what leads to it */
};

SluiceJudge *
sluice_judge_new (SluiceGraph *graph)
{
  SluiceJudge *self = g_new0 (SluiceJudge, 1);
  self->graph = graph;
  return self;
}

void
sluice_judge_free (SluiceJudge *self)
{
  g_clear_pointer (&self->before, g_hash_table_unref);
  g_free (self);
}

void
sluice_verdict_clear (SluiceVerdict *self)
{
  g_clear_pointer (&self->reason, g_free);
}

static gboolean
closes_cycle (SluiceJudge *self, SluiceNode *from, SluiceNode *node)
{
  if (from != node && sluice_node_is_ordered_before (from, node))
    return FALSE;
  guint64 version = sluice_graph_get_version (self->graph);
  if (self->before == NULL || self->from != from || self->version != version)
    {
      g_clear_pointer (&self->before, g_hash_table_unref);
      self->before = sluice_node_collect_before (from);
      self->from = from;
      self->version = version;
    }
  return g_hash_table_contains (self->before, node);
}

static gboolean
is_back_edge (const SluiceNode *from, const SluiceNode *node)
{
  return sluice_node_get_role (from) == SLUICE_ROLE_NEXT_ITERATION
         && sluice_node_get_role (node) == SLUICE_ROLE_MERGE;
}

/* What leads to an edge is the most to find. */
gboolean
sluice_judge_fits (
    SluiceJudge *self, SluiceEdge from, SluiceNode *node, guint input, SluiceOutput *result)
{
  return sluice_node_try_input (node, input, from, result, NULL)
         && !sluice_node_mixes_loops (node, input, from)
         && (is_back_edge (from.node, node) || !closes_cycle (self, from.node, node));
}

gboolean
sluice_judge_ask (
    SluiceJudge *self, SluiceEdge from, SluiceNode *node, guint input, SluiceVerdict *verdict)
{
  g_autoptr (GError) error = NULL;
  *verdict = (SluiceVerdict){ .result.shape = SLUICE_SHAPE_UNKNOWN };
  if (!is_back_edge (from.node, node) && closes_cycle (self, from.node, node))
    verdict->reason = g_strdup (_ ("would read what it makes itself"));
  else if (sluice_node_mixes_loops (node, input, from))
    verdict->reason = g_strdup (_ ("lies in another loop"));
  else if (!sluice_node_try_input (node, input, from, &verdict->result, &error))
    verdict->reason = explain (from, node, input, error);
  verdict->fits = verdict->reason == NULL;
  return verdict->fits;
}
