/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Ten element-wise ops in a row on a million floats, as a session runs them: fused, against a plain
 * loop with all ten in it, which the compiler vectorises for this CPU, and against the same run
 * with nothing fused. "mad" multiplies and adds five times, "functions" has four transcendental
 * ones.
 *
 * bench-fused [WORD]: only those whose name contains it.
 */
#include <math.h>
#include <stdio.h>

#include "engine/runtime/session/session.h"
#include "kernels/math/scalar.h"
#include "kernels/typed.h"
#include "tests/bench/race.h"

#define N   (1 << 20)
#define OPS 10

typedef SluiceEdge (*Chain) (SluiceBuilder *b, SluiceEdge x, SluiceEdge s, SluiceEdge t);

typedef struct
{
  SluiceSession *session;
  SluiceCallable *callable;
  SluiceTensor *feeds[3];
} Run;

static SluiceEdge
mad_chain (SluiceBuilder *b, SluiceEdge x, SluiceEdge s, SluiceEdge t)
{
  for (int i = 0; i < OPS / 2; i++)
    x = sluice_op (b, "AddV2", sluice_op (b, "Mul", x, s), t);
  return x;
}

static SluiceEdge
functions_chain (SluiceBuilder *b, SluiceEdge x, SluiceEdge s, SluiceEdge t)
{
  x = sluice_op (b, "Tanh", sluice_op (b, "AddV2", sluice_op (b, "Mul", x, s), t));
  x = sluice_op (b, "Sigmoid", sluice_op (b, "Mul", x, s));
  x = sluice_op (b, "Exp", sluice_op (b, "Sub", x, t));
  x = sluice_op (b, "Log", sluice_op (b, "AddV2", x, t));
  return sluice_op (b, "Mul", x, s);
}

/* ---- rivals ---- */

typedef struct
{
  const float *x;
  float *out, s, t;
} Plain;

SLUICE_HOT static void
mad_loop (const float *restrict x, float *restrict out, float s, float t)
{
  for (int i = 0; i < N; i++)
    {
      float y = x[i];
      for (int k = 0; k < OPS / 2; k++)
        y = y * s + t;
      out[i] = y;
    }
}

SLUICE_HOT static void
functions_loop (const float *restrict x, float *restrict out, float s, float t)
{
  for (int i = 0; i < N; i++)
    {
      float y = scalar_sigmoid_f32 (scalar_tanh_f32 (x[i] * s + t) * s);
      out[i] = scalar_log_f32 (scalar_exp_f32 (y - t) + t) * s;
    }
}

static void
plain_mad (gpointer data)
{
  Plain *p = data;
  mad_loop (p->x, p->out, p->s, p->t);
}

static void
plain_functions (gpointer data)
{
  Plain *p = data;
  functions_loop (p->x, p->out, p->s, p->t);
}

/* ---- ours ---- */

static G_NORETURN void
fatal (GError *error)
{
  g_error ("%s", error->message);
}

static void
run_init (Run *self, Chain chain, SluiceTensor *const *feeds, gboolean no_fusion)
{
  static const char *const names[] = { "x:0", "s:0", "t:0" }, *const fetches[] = { "y:0" };
  const SluiceShape shapes[] = { SLUICE_SHAPE (-1), SLUICE_SHAPE_SCALAR, SLUICE_SHAPE_SCALAR };
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  SluiceEdge edges[3];
  GError *error = NULL;
  sluice_builder_init (&b, graph, NULL);
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strndup (names[i], 1);
      SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                             sluice_attr_shape ("shape", &shapes[i]) };
      edges[i] = sluice_builder_add (&b, "Placeholder", name, NULL, 0, attrs, 2);
      self->feeds[i] = feeds[i];
    }
  SluiceEdge y = chain (&b, edges[0], edges[1], edges[2]);
  sluice_builder_add (&b, "Identity", "y", &y, 1, NULL, 0);
  self->session = sluice_session_new (&(SluiceSessionOptions){ .no_fusion = no_fusion }, &error);
  if (!sluice_builder_finish (&b, &error) || !sluice_session_extend (self->session, graph, &error))
    fatal (error);
  self->callable = sluice_session_prepare (
      self->session,
      &(SluiceStepNames){ .feeds = (SluiceFeed[]){ { names[0] }, { names[1] }, { names[2] } },
                          .fetches = fetches,
                          .n_feeds = 3,
                          .n_fetches = 1 },
      &error);
  if (!self->callable)
    fatal (error);
}

static void
run_call (gpointer data)
{
  Run *self = data;
  SluiceTensor *output;
  GError *error = NULL;
  if (!sluice_callable_run (self->callable, self->feeds, &output, NULL, &error))
    fatal (error);
  sluice_tensor_unref (output);
}

static void
run_clear (Run *self)
{
  sluice_callable_unref (self->callable);
  g_object_unref (self->session);
}

static void
bench_chain (const char *name, Chain chain, void (*plain) (gpointer data), double goal)
{
  g_autoptr (SluiceTensor) x = race_filled (&SLUICE_SHAPE (N));
  g_autoptr (SluiceTensor) s = sluice_tensor_new_float (1.01f);
  g_autoptr (SluiceTensor) t = sluice_tensor_new_float (0.1f);
  g_autofree float *out = g_new (float, N);
  SluiceTensor *feeds[] = { x, s, t };
  Plain loop = { x->data, out, 1.01f, 0.1f };
  Run fused, apart;
  run_init (&fused, chain, feeds, FALSE);
  run_init (&apart, chain, feeds, TRUE);
  g_autofree char *against_loop = g_strdup_printf ("fused-10-ops/%s", name);
  g_autofree char *against_apart = g_strdup_printf ("fused-10-ops/%s/unfused", name);
  const Contender ours = { run_call, &fused };
  race (against_loop, OPS * N, "Gop/s", goal, (Contender[]){ ours, { plain, &loop } }, 2);
  race (against_apart, OPS * N, "Gop/s", 1, (Contender[]){ ours, { run_call, &apart } }, 2);
  run_clear (&fused);
  run_clear (&apart);
}

static void
bench_all (void)
{
  bench_chain ("mad", mad_chain, plain_mad, 0.8);
  bench_chain ("functions", functions_chain, plain_functions, 0.8);
}

int
main (int argc, char **argv)
{
  return race_main (argc, argv, bench_all);
}
