/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Which loop a node belongs to is static: an Enter runs outside and what it gives lies inside, an
 * Exit runs inside and what it gives lies outside, all else stands where its inputs lie. Paper:
 * Dynamic Control Flow in Large-Scale Machine Learning, 4.1; the checks are those of TensorFlow's
 * executor and partitioner.
 */
#include "engine/passes/frames.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

#define UNKNOWN G_MAXUINT

typedef struct
{
  SluiceWork *work;
  const GPtrArray *order;
  GHashTable *by_name; /* frame name -> number + 1 of the last frame of that name */
} Find;

static SluiceWorkFrame *
frame_at (const SluiceWork *work, guint number)
{
  return &g_array_index (work->frames, SluiceWorkFrame, number);
}

/* "inside the loop 'while/context'", for messages. (transfer full) */
static char *
describe (const SluiceWork *work, guint frame)
{
  return frame ? g_strdup_printf ("inside the loop '%s'", frame_at (work, frame)->name)
               : g_strdup ("outside all loops");
}

static gboolean
fail_node (const SluiceWorkNode *node, GError **error, const char *what)
{
  return sluice_node_fail (node->origin, error, SLUICE_ERROR_INVALID_ARGUMENT, "%s", what);
}

/* Frames of one name in one parent are one frame. */
static gboolean
enter_frame (Find *find, SluiceWorkNode *node, GError **error)
{
  GArray *frames = find->work->frames;
  const SluiceString *text = sluice_node_get_string (node->origin, "frame_name");
  g_autofree char *name = g_strndup (text->data, text->length);
  gint64 parallel = sluice_node_get_int (node->origin, "parallel_iterations");
  parallel = node->is_sequential ? 1 : parallel;
  if (parallel < 1)
    return fail_node (node, error, "attribute parallel_iterations must be at least 1");
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (find->by_name, name));
  if (number && frame_at (find->work, number - 1)->parent != node->frame)
    for (number = frames->len; number > 1; number--)
      {
        const SluiceWorkFrame *frame = frame_at (find->work, number - 1);
        if (frame->parent == node->frame && g_str_equal (frame->name, name))
          break;
      }
  if (number < 2)
    {
      char *kept = sluice_work_alloc (find->work, text->length + 1);
      strcpy (kept, name);
      SluiceWorkFrame frame = { .name = kept,
                                .parent = node->frame,
                                .depth = frame_at (find->work, node->frame)->depth + 1,
                                .parallel_iterations = (guint) MIN (parallel, G_MAXINT32) };
      g_array_append_val (frames, frame);
      number = frames->len;
      g_hash_table_insert (find->by_name, kept, GUINT_TO_POINTER (number));
    }
  frame_at (find->work, number - 1)->n_enters++;
  node->output_frame = number - 1;
  return TRUE;
}

/* The frame in which the node's inputs lie, as far as that is known. */
static guint
frame_of_inputs (const SluiceWorkNode *node)
{
  guint n = node->n_inputs + node->n_controls;
  for (guint i = 0; i < n; i++)
    {
      const SluiceWorkNode *before =
          i < node->n_inputs ? node->inputs[i].node : node->controls[i - node->n_inputs];
      if (!before)
        return 0; /* fed from outside */
      if (before->output_frame != UNKNOWN)
        return before->output_frame;
    }
  return n ? UNKNOWN : 0;
}

/* node->output_frame becomes the frame in which its outputs lie. */
static gboolean
settle_node (Find *find, SluiceWorkNode *node, GError **error)
{
  node->output_frame = node->frame;
  switch (sluice_work_role (node))
    {
    case SLUICE_ROLE_ENTER:
      return enter_frame (find, node, error);
    case SLUICE_ROLE_EXIT:
      if (node->frame == 0)
        return fail_node (node, error,
                          "its input does not come from inside a loop: an Exit needs an Enter "
                          "somewhere before it");
      node->output_frame = frame_at (find->work, node->frame)->parent;
      return TRUE;
    case SLUICE_ROLE_NEXT_ITERATION:
      if (node->frame == 0)
        return fail_node (node, error,
                          "its input does not come from inside a loop, so there is no next "
                          "iteration: bring the value in by an Enter");
      return TRUE;
    default:
      return TRUE;
    }
}

/* Nodes that only a back edge reaches are known one sweep later than what gives it. */
static gboolean
settle_all (Find *find, GError **error)
{
  for (guint i = 0; i < find->order->len; i++)
    {
      SluiceWorkNode *node = find->order->pdata[i];
      node->frame = node->output_frame = UNKNOWN;
    }
  for (gboolean changed = TRUE; changed;)
    {
      changed = FALSE;
      for (guint i = 0; i < find->order->len; i++)
        {
          SluiceWorkNode *node = find->order->pdata[i];
          if (node->frame != UNKNOWN)
            continue;
          node->frame = frame_of_inputs (node);
          if (node->frame == UNKNOWN)
            continue;
          changed = TRUE;
          if (!settle_node (find, node, error))
            return FALSE;
        }
    }
  for (guint i = 0; i < find->order->len; i++)
    {
      const SluiceWorkNode *node = find->order->pdata[i];
      if (node->frame == UNKNOWN)
        return fail_node (node, error,
                          "is part of a loop that nothing enters: give its Merge an Enter");
    }
  return TRUE;
}

static gboolean
check_inputs (const SluiceWork *work, const SluiceWorkNode *node, GError **error)
{
  const SluiceWorkNode *first = NULL;
  guint frame = UNKNOWN;
  for (guint i = 0; i < node->n_inputs + node->n_controls; i++)
    {
      const SluiceWorkNode *before =
          i < node->n_inputs ? node->inputs[i].node : node->controls[i - node->n_inputs];
      guint own = before ? before->output_frame : 0;
      if (frame == UNKNOWN)
        {
          frame = own;
          first = before;
        }
      if (own == frame)
        continue;
      g_autofree char *here = describe (work, frame), *there = describe (work, own);
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "%s '%s' has inputs from different frames: '%s' lies %s, '%s' %s; bring "
                   "values into a loop by Enter and out of it by Exit",
                   node->origin->op_name, node->origin->name,
                   first ? first->origin->name : "a fed value", here,
                   before ? before->origin->name : "a fed value", there);
      return sluice_node_sign_error (node->origin, error);
    }
  return TRUE;
}

/* A loop that spans devices needs the predicate that every device waits for. */
static gboolean
check_pivots (const Find *find, GError **error)
{
  guint n = find->work->frames->len;
  g_autofree guint8 *has_pivot = g_new0 (guint8, n);
  g_autofree SluiceWorkNode **next = g_new0 (SluiceWorkNode *, n);
  g_autofree SluiceWorkNode **far = g_new0 (SluiceWorkNode *, n);
  for (guint i = 0; i < find->order->len; i++)
    {
      SluiceWorkNode *node = find->order->pdata[i];
      has_pivot[node->frame] |= sluice_work_role (node) == SLUICE_ROLE_LOOP_COND;
      if (sluice_work_is_back_edge (node))
        next[node->frame] = node;
      if (node->kind == SLUICE_WORK_RECV)
        far[node->frame] = node;
    }
  for (guint i = 1; i < n; i++)
    if (next[i] && far[i] && !has_pivot[i])
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "the loop '%s' ('%s') spans several devices and has no LoopCond: pass "
                          "its predicate through one",
                          frame_at (find->work, i)->name, next[i]->origin->name);
  return TRUE;
}

static gboolean
check_fetch (const SluiceWork *work, SluiceWorkEdge fetch, GError **error)
{
  const SluiceWorkNode *node = fetch.node;
  if (!node || node->output_frame == 0)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "fetch '%s:%d' lies inside the loop '%s', where it has a value in every "
                      "iteration; fetch an Exit of the loop",
                      node->origin->name, fetch.port, frame_at (work, node->output_frame)->name);
}

static gboolean
check_fetches (const Find *find, GError **error)
{
  for (guint i = 0; i < find->work->n_fetches; i++)
    if (!check_fetch (find->work, find->work->fetches[i], error))
      return FALSE;
  for (guint i = 0; i < find->order->len; i++)
    {
      const SluiceWorkNode *node = find->order->pdata[i];
      if (node->kind == SLUICE_WORK_FETCH && !check_fetch (find->work, node->inputs[0], error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_find_frames (SluiceWork *work, const GPtrArray *order, GError **error)
{
  g_clear_pointer (&work->frames, g_array_unref);
  work->frames = g_array_new (FALSE, TRUE, sizeof (SluiceWorkFrame));
  SluiceWorkFrame root = { .name = "" };
  g_array_append_val (work->frames, root);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  Find find = { work, order, by_name };
  if (!settle_all (&find, error))
    return FALSE;
  if (work->frames->len == 1)
    return TRUE;
  for (guint i = 0; i < order->len; i++)
    if (!check_inputs (work, order->pdata[i], error))
      return FALSE;
  return check_pivots (&find, error) && check_fetches (&find, error);
}

static guint
depth_of (const SluiceWork *work, guint frame)
{
  return frame_at (work, frame)->depth;
}

guint
sluice_frame_common (const SluiceWork *work, guint a, guint b)
{
  while (a != b)
    if (depth_of (work, a) >= depth_of (work, b))
      a = sluice_frame_parent (work, a);
    else
      b = sluice_frame_parent (work, b);
  return a;
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  return sluice_analysis_find_frames (work, error);
}

/* From here on the frames are kept right by who changes the graph. */
const SluicePass sluice_pass_frames = {
  .name = "frames",
  .summary = N_ ("Which loop each node runs in"),
  .requires = SLUICE_FACT_PARTITIONED | SLUICE_FACT_SCHEDULED,
  .provides = SLUICE_FACT_FRAMED,
  .run = run,
};
