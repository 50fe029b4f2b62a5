/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes scripts of commands: any text is done or refused with a reason, and all of it is taken
 * back to the same bytes. `save` is not among them: a mutation would write files of any name. */
#include "engine/command/stack.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/fuzz/fuzz-driver.h"

static void
check_report (guint line, const char *text, const char *said, const GError *error, gpointer data)
{
  if (error != NULL)
    g_assert_true (*error->message != '\0' && g_utf8_validate (error->message, -1, NULL));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *script = g_strndup (data != NULL ? (const char *) data : "", size);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  g_autoptr (GBytes) before = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  if (g_strstr_len (script, -1, "save") != NULL)
    return 0;
  gboolean ok = sluice_command_stack_run (stack, script, TRUE, check_report, NULL, &error);
  g_assert_true (ok == (error == NULL));
  g_assert_true (sluice_command_stack_undo (stack, sluice_command_stack_get_n_undo (stack), NULL));
  g_autoptr (GBytes) after = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (before, after));
  return 0;
}

void
fuzz_init (void)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
}

GPtrArray *
fuzz_seeds (void)
{
  static const char *const seeds[] = {
    "add Placeholder x dtype=DT_FLOAT shape=[?,2]\nadd Neg y x\nconnect x y:0\nset y _a=[1,2]\n"
    "rename y s/y\nduplicate s t\ndelete x\nundo 2\nredo\ncheck\n",
    "add Const w/initial value=[[1.0],[2.0]]\n"
    "add VarHandleOp w dtype=DT_FLOAT shape=[2,1]\nadd AssignVariableOp w/Assign w w/initial\n"
    "add ReadVariableOp r w dtype=DT_FLOAT\nadd L2Loss loss r\n"
    "train loss optimizer=adam learning-rate=0.1 clip=1\nsummary scalar loss \"a b\"\n",
    "add Const c dtype=DT_FLOAT value={ tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } "
    "float_val: 1 } }\nadd Const d value=\"a\\x41\"\nset c value=[1,2] # x\n",
    "add Placeholder x dtype=DT_FLOAT shape=[?,4,4,1]\nadd Placeholder y dtype=DT_INT64 shape=[?]\n"
    "layer conv2d c input=x filters=2\nlayer batch-norm b input=c/output\n"
    "layer flatten f input=b/output\nlayer dense d input=f/output units=3\n"
    "layer softmax-cross-entropy l input=d/output labels=y\nlayer conv2d c filters=3\n",
    "add Placeholder x dtype=DT_FLOAT shape=[?,?,4]\nlayer gru g input=x units=2 sequences=true\n"
    "layer attention a input=g/output heads=1 size=2 causal=true\nlayer mean m input=a/output\n"
    "layer l2 l input=m/output weights=[a/query/kernel] rate=0.1\nset g units=3\n"
    "train l/output optimizer=momentum learning-rate=0.1 schedule=cosine steps=9 clip-norm=1\n"
    "unlayer m\nset g/output _layer=\"gru input=./x:7 units=\"\nset g units=2\n",
    "add Placeholder i dtype=DT_INT32 shape=[?]\nlayer embedding e input=i rows=9 units=2\n"
    "layer mean m input=e/output\nadd NoOp n/output _layer=\"dense\"\nset n units=2\n"
    "train m/output optimizer=adam learning-rate=0.1 clip-value=1\n",
    "add AddN a \"\" \"\" T=DT_INT32\nadd Const c value=3\nconnect c a:0\nconnect c a:2\n"
    "control c a\nuncontrol c a\ngroup g a c\nungroup g\ninsert Neg n c\ncolocate n c\n"
    "device n \"/cpu:0\"\ndisconnect a:0\n",
  };
  return fuzz_texts (seeds, G_N_ELEMENTS (seeds));
}
