/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/engine/command/fixture.h"

#include "engine/passes/passes.h"
#include "kernels/registry.h"

void
fixture_init (int *argc, char ***argv)
{
  g_test_init (argc, argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
}

void
fixture_run (Fixture *self, const char *script)
{
  g_autoptr (GError) error = NULL;
  sluice_command_stack_run (self->stack, script, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
}

void
fixture_set_up (Fixture *self, gconstpointer script)
{
  self->graph = sluice_graph_new ();
  self->stack = sluice_command_stack_new (self->graph);
  if (script != NULL)
    fixture_run (self, script);
}

void
fixture_tear_down (Fixture *self, gconstpointer unused)
{
  sluice_command_stack_free (self->stack);
  sluice_graph_unref (self->graph);
}
