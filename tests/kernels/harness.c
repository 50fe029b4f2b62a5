/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/kernels/harness.h"

void
harness_init (Harness *self, guint64 seed, gboolean reference_kernels)
{
  g_autoptr (GError) error = NULL;
  /* Not folded: the kernels run when a test runs them. */
  SluiceSessionOptions options = { .seed = seed,
                                   .reference_kernels = reference_kernels,
                                   .no_optimize = TRUE };
  sluice_registry_init (sluice_kernel_modules ());
  self->graph = sluice_graph_new ();
  sluice_builder_init (&self->b, self->graph, NULL);
  self->session = sluice_session_new (&options, &error);
  g_assert_no_error (error);
}

void
harness_clear (Harness *self)
{
  g_clear_object (&self->session);
  g_clear_pointer (&self->graph, sluice_graph_unref);
}

SluiceEdge
harness_add (Harness *self,
             const char *op,
             const char *name,
             const SluiceEdge *inputs,
             guint n_inputs,
             const SluiceAttr *attrs,
             guint n_attrs)
{
  SluiceEdge edge = sluice_builder_add (&self->b, op, name, inputs, n_inputs, attrs, n_attrs);
  g_assert_no_error (self->b.error);
  return edge;
}

SluiceEdge
harness_floats (Harness *self, const SluiceShape *shape, const float *values)
{
  return sluice_builder_const (&self->b, sluice_tensor_new_from (SLUICE_FLOAT, shape, values));
}

SluiceEdge
harness_noise (Harness *self, const SluiceShape *shape)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, shape);
  guint32 state = 12345;
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      state = state * 1664525u + 1013904223u;
      ((float *) tensor->data)[i] = (float) (gint32) state / 2147483648.0f;
    }
  return sluice_builder_const (&self->b, tensor);
}

SluiceEdge
harness_placeholder (Harness *self, const char *name, SluiceDType dtype)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", dtype) };
  return harness_add (self, "Placeholder", name, NULL, 0, attrs, 1);
}

SluiceEdge
harness_variable (Harness *self, gboolean resource, const char *name, SluiceEdge initial)
{
  g_autofree char *init = g_strconcat (name, "/init", NULL);
  g_autofree char *read = g_strconcat (name, "/read", NULL);
  const SluiceShape *shape = sluice_edge_shape (initial);
  SluiceEdge v = harness_add (
      self, resource ? "VarHandleOp" : "VariableV2", name, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", shape)));
  harness_op (self, resource ? "AssignVariableOp" : "Assign", init, v, initial);
  if (resource)
    harness_add (self, "ReadVariableOp", read, &v, 1,
                 SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT)));
  else
    harness_op (self, "Identity", read, v);
  return v;
}

SluiceTensor *
harness_run (Harness *self,
             const char *fetch,
             const char *target,
             const SluiceFeed *feeds,
             guint n_feeds,
             GError **error)
{
  SluiceTensor *output = NULL;
  if (!sluice_session_extend (self->session, self->graph, error)
      || !sluice_session_run (self->session,
                              &(SluiceStepNames){ .feeds = feeds,
                                                  .fetches = &fetch,
                                                  .targets = &target,
                                                  .n_feeds = n_feeds,
                                                  .n_fetches = fetch != NULL,
                                                  .n_targets = target != NULL },
                              &output, NULL, error))
    return NULL;
  return output;
}

SluiceTensor *
harness_fetch (Harness *self, const char *fetch)
{
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = harness_run (self, fetch, NULL, NULL, 0, &error);
  g_assert_no_error (error);
  return output;
}

void
harness_target (Harness *self, const char *target)
{
  g_autoptr (GError) error = NULL;
  harness_run (self, NULL, target, NULL, 0, &error);
  g_assert_no_error (error);
}

void
harness_fails (Harness *self, const char *fetch, const char *target, SluiceError code)
{
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = harness_run (self, fetch, target, NULL, 0, &error);
  g_assert_null (output);
  g_assert_error (error, SLUICE_ERROR, (int) code);
}
