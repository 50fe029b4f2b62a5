/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/device/yardstick.h"

#include "engine/device/kernel.h"
#include "engine/graph/builder.h"

#define N_CALLS 256
#define SIDE    256 /* of matrices: what layers of samples have, in the second cache */
#define LONG    ((gint64) 1 << 22) /* elements: more than caches hold */

static SluiceEdge
placeholder (SluiceBuilder *b, const char *name, SluiceShape shape)
{
  return sluice_builder_add (
      b, "Placeholder", name, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", &shape)));
}

static SluiceGraph *
make_yardstick (GError **error)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge one = placeholder (&b, "one", SLUICE_SHAPE (1));
  SluiceEdge matrix = placeholder (&b, "matrix", SLUICE_SHAPE (SIDE, SIDE));
  SluiceEdge vector = placeholder (&b, "vector", SLUICE_SHAPE (LONG));
  SluiceEdge chain = one;
  sluice_builder_add (&b, "Neg", SLUICE_YARDSTICK_STEP, &one, 1, NULL, 0);
  for (guint i = 1; i < N_CALLS; i++)
    chain = sluice_op (&b, "Neg", chain);
  sluice_builder_add (&b, "Neg", SLUICE_YARDSTICK_CALLS, &chain, 1, NULL, 0);
  sluice_builder_add (&b, "Neg", SLUICE_YARDSTICK_TRAFFIC, &vector, 1, NULL, 0);
  sluice_builder_add (&b, "MatMul", SLUICE_YARDSTICK_WORK, (SluiceEdge[]){ matrix, matrix }, 2,
                      NULL, 0);
  return sluice_builder_finish (&b, error) ? g_steal_pointer (&graph) : NULL;
}

static void
init (void)
{
  sluice_yardstick_set (make_yardstick);
}

const SluiceKernelModule sluice_module_math_yardstick = { .init = init };
