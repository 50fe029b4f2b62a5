/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Print hands its input on, and says on stderr what else it is given. */
#include <glib/gi18n-lib.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"
#include "kernels/string/text.h"

typedef struct
{
  char *message;
  gint64 summarize; /* below 0: everything */
  gint64 first_n;   /* below 0: every time */
} Print;

#define CONTAINER "_print" /* apart from what graphs name, so that its resets leave it alone */

/* How often a node has spoken in a session, whatever the plan that it ran in. */
typedef struct
{
  SluiceResource parent;
  _Atomic gint64 n_printed;
} Turns;

static void
turns_finalize (SluiceResource *resource)
{
  g_free (resource);
}

static const SluiceResourceType turns_type = { "Print", turns_finalize };

static SluiceResource *
make_turns (gpointer data, GError **error)
{
  Turns *self = g_new0 (Turns, 1);
  atomic_init (&self->parent.ref_count, 1);
  self->parent.type = &turns_type;
  return &self->parent;
}

static void
print_free (gpointer state)
{
  Print *self = state;
  g_free (self->message);
  g_free (self);
}

static gpointer
print_prepare (const SluiceNode *node, GError **error)
{
  Print *self = g_new0 (Print, 1);
  self->message = sluice_node_dup_text (node, "message");
  self->summarize = sluice_node_get_int (node, "summarize");
  self->first_n = sluice_node_get_int (node, "first_n");
  return self;
}

/* May this call still speak? FALSE with call->error where a graph has put something else in the
 * place of the count. */
static gboolean
take_turn (SluiceKernelCall *call, const Print *self)
{
  if (self->first_n <= 0)
    return self->first_n < 0;
  GError *error = NULL;
  Turns *turns = (Turns *) sluice_resources_get (call->resources, CONTAINER, call->node->name,
                                                 &turns_type, make_turns, NULL, &error);
  if (turns == NULL)
    return sluice_call_fail_with (call, error);
  gint64 n = atomic_load (&turns->n_printed);
  while (n < self->first_n && !atomic_compare_exchange_weak (&turns->n_printed, &n, n + 1))
    ;
  sluice_resource_unref (&turns->parent);
  return n < self->first_n;
}

static gboolean
print_compute (SluiceKernelCall *call)
{
  const Print *self = call->state;
  sluice_call_forward (call, 0, 0);
  if (!take_turn (call, self))
    return call->error == NULL;
  g_autoptr (GString) line = g_string_new (self->message);
  guint most = self->summarize < 0 ? G_MAXUINT : (guint) MIN (self->summarize, G_MAXUINT);
  for (guint i = 1; i < call->n_inputs; i++)
    {
      g_autofree char *text = sluice_tensor_to_string (sluice_call_input (call, i), most);
      /* "float [2] = [1 2]": the values alone, as TensorFlow writes them. */
      const char *values = strstr (text, " = ");
      g_string_append_printf (line, "[%s]", values ? values + strlen (" = ") : text);
    }
  g_string_append_c (line, '\n');
  fputs (line->str, stderr);
  return TRUE;
}

static const SluiceSample samples[] = {
  /* Nothing of it is to be seen in a test's output. */
  { "U=[float,int32,string]; message='m'; first_n=0",
    "float[2,3]; float[3]; int32[]; string[]='a'" },
  { "U=[]; first_n=0", "float[0]" },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceOpDef print_op = {
  .name = "Print",
  .signature = "input: T, data: U -> output: T",
  .attrs = "T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; "
           "summarize: int = 3",
  .summary = N_ ("Hands its input on and prints others on the standard error"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_unchanged,
  .gradient = sluice_grad_pass,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &print_op };

static const SluiceKernel kernels[] = {
  { .op = "Print",
    .device = "CPU",
    .host_inputs = ~1u,
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .prepare = print_prepare,
    .free_state = print_free,
    .compute = print_compute },
};

const SluiceKernelModule sluice_module_flow_print = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
