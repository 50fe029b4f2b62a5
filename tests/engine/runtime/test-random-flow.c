/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Random programs of assignments, conditionals and loops, as graphs of Switch, Merge and frames,
 * against an interpreter that knows nothing of graphs: the same bits on any number of threads and
 * devices, CPUs or such with memory and queues of their own, with any number of parallel
 * iterations. */
#include "engine/grad/grad.h"
#include "tests/engine/runtime/fixture.h"

#include <math.h>
#include <string.h>

#define ROOM      (1 << 28) /* bytes of devices that are to hold as little as they can */
#define N_VARS    4
#define MAX_DEPTH 3

typedef enum
{
  ASSIGN, /* v[a] = v[b] * k + v[c] */
  COND,   /* if v[a] < k: first, else: second */
  LOOP,   /* for i in 0 … trips - 1: first, with v[a] *= v[b] as it was before the loop */
} Kind;

typedef struct _Statement Statement;
struct _Statement
{
  Kind kind;
  int a, b, c, trips, parallel;
  float k;
  GPtrArray *first, *second;
};

static void
statement_free (gpointer data)
{
  Statement *s = data;
  g_clear_pointer (&s->first, g_ptr_array_unref);
  g_clear_pointer (&s->second, g_ptr_array_unref);
  g_free (s);
}

static GPtrArray *
make_program (GRand *rand, int depth)
{
  GPtrArray *program = g_ptr_array_new_with_free_func (statement_free);
  int n = g_rand_int_range (rand, depth ? 0 : 2, 4);
  for (int i = 0; i < n; i++)
    {
      Statement *s = g_new0 (Statement, 1);
      s->kind = depth < MAX_DEPTH ? g_rand_int_range (rand, 0, 3) : ASSIGN;
      s->a = g_rand_int_range (rand, 0, N_VARS);
      s->b = g_rand_int_range (rand, 0, N_VARS);
      s->c = g_rand_int_range (rand, 0, N_VARS);
      s->k = (float) g_rand_double_range (rand, -1, 1);
      s->trips = g_rand_int_range (rand, 0, 5);
      s->parallel = g_rand_int_range (rand, 1, 5);
      if (s->kind != ASSIGN)
        s->first = make_program (rand, depth + 1);
      if (s->kind == COND)
        s->second = make_program (rand, depth + 1);
      g_ptr_array_add (program, s);
    }
  return program;
}

static void
interpret (const GPtrArray *program, float *v)
{
  for (guint i = 0; i < program->len; i++)
    {
      const Statement *s = program->pdata[i];
      if (s->kind == ASSIGN)
        {
          float product = v[s->b] * s->k;
          v[s->a] = product + v[s->c];
        }
      else if (s->kind == COND)
        interpret (v[s->a] < s->k ? s->first : s->second, v);
      else
        {
          float before = v[s->b];
          for (int trip = 0; trip < s->trips; trip++)
            {
              v[s->a] *= before;
              interpret (s->first, v);
            }
        }
    }
}

/* The same with derivatives by one of the inputs beside the values. */
static void
interpret_dual (const GPtrArray *program, double *v, double *d)
{
  for (guint i = 0; i < program->len; i++)
    {
      const Statement *s = program->pdata[i];
      if (s->kind == ASSIGN)
        {
          v[s->a] = v[s->b] * (double) s->k + v[s->c];
          d[s->a] = d[s->b] * (double) s->k + d[s->c];
        }
      else if (s->kind == COND)
        interpret_dual (v[s->a] < (double) s->k ? s->first : s->second, v, d);
      else
        {
          double before = v[s->b], d_before = d[s->b];
          for (int trip = 0; trip < s->trips; trip++)
            {
              d[s->a] = d[s->a] * before + v[s->a] * d_before;
              v[s->a] *= before;
              interpret_dual (s->first, v, d);
            }
        }
    }
}

/* Where nodes stand by lot. */
typedef struct
{
  const char *const *devices;
  guint n_devices;
} Places;

static const char *const cpus[] = { "/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3" };
static const char *const with_sims[] = { "/cpu:0", "/device:SIM:0", "/device:SIM:1" };
static const Places on_sims = { with_sims, G_N_ELEMENTS (with_sims) };

typedef struct
{
  Fixture *f;
  GRand *rand;
  Places places;
  guint n_frames;
} Maker;

/* The variables at one place of the program, and what a constant must wait for to be there. */
typedef struct
{
  SluiceEdge v[N_VARS];
  SluiceNode *pivot;
} Env;

static SluiceEdge
make (Maker *m,
      const char *op,
      SluiceNode *pivot,
      const SluiceEdge *in,
      guint n,
      const SluiceAttr *attrs,
      guint n_attrs)
{
  const char *device = m->places.devices[g_rand_int_range (m->rand, 0, (int) m->places.n_devices)];
  return (SluiceEdge){
    fixture_node (m->f, op, NULL, device, in, n, &pivot, pivot != NULL, attrs, n_attrs), 0
  };
}

#define MAKE(m, op, ...)                                                                           \
  make ((m), (op), NULL, (SluiceEdge[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__),   \
        NULL, 0)

static SluiceEdge
constant (Maker *m, const Env *env, SluiceTensor *take)
{
  g_autoptr (SluiceTensor) tensor = take;
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", tensor->dtype),
                         sluice_attr_tensor ("value", tensor) };
  return make (m, "Const", env->pivot, NULL, 0, attrs, 2);
}

static void build (Maker *m, const GPtrArray *program, Env *env);

static void
build_cond (Maker *m, const Statement *s, Env *env)
{
  SluiceEdge pred =
      MAKE (m, "Less", env->v[s->a], constant (m, env, sluice_tensor_new_float (s->k)));
  SluiceEdge pivot = MAKE (m, "Switch", pred, pred);
  Env sides[2];
  for (int side = 0; side < 2; side++)
    sides[side].pivot = MAKE (m, "Identity", sluice_edge_port (pivot, side)).node;
  for (int i = 0; i < N_VARS; i++)
    {
      SluiceEdge both = MAKE (m, "Switch", env->v[i], pred);
      sides[0].v[i] = both;
      sides[1].v[i] = sluice_edge_port (both, 1);
    }
  build (m, s->second, &sides[0]);
  build (m, s->first, &sides[1]);
  for (int i = 0; i < N_VARS; i++)
    env->v[i] = MAKE (m, "Merge", sides[0].v[i], sides[1].v[i]);
}

static SluiceEdge
enter (Maker *m, const Statement *s, const char *frame, SluiceEdge value, gboolean is_constant)
{
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", frame),
                         sluice_attr_bool ("is_constant", is_constant),
                         sluice_attr_int ("parallel_iterations", s->parallel) };
  return make (m, "Enter", NULL, &value, 1, attrs, 3);
}

static void
build_loop (Maker *m, const Statement *s, Env *env)
{
  g_autofree char *frame = g_strdup_printf ("frame%u", m->n_frames++);
  SluiceEdge merges[N_VARS + 1], switches[N_VARS + 1];
  SluiceEdge limit =
      enter (m, s, frame, constant (m, env, sluice_tensor_new_int32 (s->trips)), TRUE);
  SluiceEdge before = enter (m, s, frame, env->v[s->b], TRUE);
  for (int i = 0; i <= N_VARS; i++)
    {
      SluiceEdge start = i < N_VARS ? env->v[i] : constant (m, env, sluice_tensor_new_int32 (0));
      SluiceEdge first = enter (m, s, frame, start, FALSE);
      merges[i] = MAKE (m, "Merge", first, first);
    }
  SluiceEdge pred = MAKE (m, "LoopCond", MAKE (m, "Less", merges[N_VARS], limit));
  for (int i = 0; i <= N_VARS; i++)
    switches[i] = MAKE (m, "Switch", merges[i], pred);
  Env body;
  body.pivot = MAKE (m, "Identity", sluice_edge_port (switches[N_VARS], 1)).node;
  for (int i = 0; i < N_VARS; i++)
    body.v[i] = sluice_edge_port (switches[i], 1);
  body.v[s->a] = MAKE (m, "Mul", body.v[s->a], before);
  build (m, s->first, &body);
  SluiceEdge one = constant (m, &body, sluice_tensor_new_int32 (1));
  SluiceEdge count = MAKE (m, "Add", (SluiceEdge){ body.pivot, 0 }, one);
  for (int i = 0; i <= N_VARS; i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceEdge next = MAKE (m, "NextIteration", i < N_VARS ? body.v[i] : count);
      g_assert_true (sluice_graph_set_input (m->f->graph, merges[i].node, 1, next, &error));
      if (i < N_VARS)
        env->v[i] = MAKE (m, "Exit", switches[i]);
    }
}

static void
build (Maker *m, const GPtrArray *program, Env *env)
{
  for (guint i = 0; i < program->len; i++)
    {
      const Statement *s = program->pdata[i];
      if (s->kind == COND)
        build_cond (m, s, env);
      else if (s->kind == LOOP)
        build_loop (m, s, env);
      else
        {
          SluiceEdge k = constant (m, env, sluice_tensor_new_float (s->k));
          env->v[s->a] = MAKE (m, "Add", MAKE (m, "Mul", env->v[s->b], k), env->v[s->c]);
        }
    }
}

static const char *const inputs[N_VARS] = { "x0", "x1", "x2", "x3" };

/* A program as a graph in a session. */
typedef struct
{
  GRand *rand;
  GPtrArray *program;
  Fixture f;
  const char *names[N_VARS]; /* of the values after it */
} Case;

static void
case_init (Case *self, guint32 seed, Places places, const SluiceSessionOptions *options)
{
  self->rand = g_rand_new_with_seed (seed);
  self->program = make_program (self->rand, 0);
  fixture_init (&self->f, options);
  Maker m = { &self->f, self->rand, places, 0 };
  Env env = { .pivot = NULL };
  for (int i = 0; i < N_VARS; i++)
    env.v[i] = fixture_placeholder (&self->f, inputs[i], SLUICE_FLOAT);
  build (&m, self->program, &env);
  for (int i = 0; i < N_VARS; i++)
    self->names[i] = MAKE (&m, "Identity", env.v[i]).node->name;
  fixture_extend (&self->f);
}

static void
case_clear (Case *self)
{
  fixture_clear (&self->f);
  g_ptr_array_unref (self->program);
  g_rand_free (self->rand);
}

/* A run gives what the interpreter does; FALSE: it was cancelled. */
static gboolean
check_run (const Case *self, SluiceSession *session, GRand *rand, const _Atomic int *cancel_flag)
{
  float v[N_VARS];
  SluiceFeed feeds[N_VARS];
  SluiceTensor *outputs[N_VARS];
  g_autoptr (GError) error = NULL;
  SluiceRunOptions options = { .cancel_flag = cancel_flag };
  for (int i = 0; i < N_VARS; i++)
    {
      v[i] = (float) g_rand_double_range (rand, -1, 1);
      feeds[i] = (SluiceFeed){ inputs[i], sluice_tensor_new_float (v[i]) };
    }
  gboolean ok = sluice_session_run (
      session,
      &(SluiceStepNames){
          .feeds = feeds, .fetches = self->names, .n_feeds = N_VARS, .n_fetches = N_VARS },
      outputs, &options, &error);
  if (cancel_flag && !ok)
    g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  else
    g_assert_no_error (error);
  guint saved = sluice_denormals_flush_begin ();
  interpret (self->program, v);
  sluice_denormals_flush_end (saved);
  for (int i = 0; i < N_VARS; i++)
    {
      sluice_tensor_unref (feeds[i].tensor);
      if (!ok)
        continue;
      g_assert_cmpmem (outputs[i]->data, sizeof (float), &v[i], sizeof (float));
      sluice_tensor_unref (outputs[i]);
    }
  return ok;
}

static void
check_program (guint32 seed, guint n_devices, gboolean no_optimize)
{
  Case c;
  case_init (&c, seed, (Places){ cpus, n_devices },
             &(SluiceSessionOptions){ .n_cpus = n_devices,
                                      .no_optimize = no_optimize,
                                      .order_seed = seed % 4 == 0 ? 0 : seed,
                                      .recompute = seed % 3 == 0,
                                      .fit = seed % 4 == 1 ? ROOM : 0,
                                      .fit_slack = ROOM - 1000 });
  for (int run = 0; run < 3; run++)
    check_run (&c, c.f.session, c.rand, NULL);
  case_clear (&c);
}

static void
test_one_device (void)
{
  for (guint threads = 1; threads <= 4; threads++)
    {
      sluice_pool_set_threads (threads);
      for (guint32 seed = 0; seed < 40; seed++)
        check_program (seed, 1, seed % 3 == 0);
    }
}

static void
test_devices (void)
{
  for (guint threads = 1; threads <= 4; threads += 3)
    {
      sluice_pool_set_threads (threads);
      for (guint32 seed = 100; seed < 130; seed++)
        check_program (seed, 2 + seed % 3, seed % 3 == 0);
    }
}

/* Links of simulated devices take so long, by lot. (transfer full) */
static char *
dup_latency (guint32 seed)
{
  return g_strdup_printf ("latency=%uus", seed % 5 * seed % 97);
}

static void
test_sims (void)
{
  for (guint threads = 1; threads <= 4; threads += 3)
    {
      sluice_pool_set_threads (threads);
      for (guint32 seed = 300; seed < 330; seed++)
        {
          g_autofree char *latency = dup_latency (seed);
          Case c;
          case_init (&c, seed, on_sims,
                     &(SluiceSessionOptions){ .device = "SIM:1",
                                              .device_options = latency,
                                              .no_optimize = seed % 3 == 0,
                                              .order_seed = seed % 4 == 0 ? 0 : seed,
                                              .recompute = seed % 3 == 0,
                                              .fit = seed % 4 == 1 ? ROOM : 0,
                                              .fit_slack = ROOM - 1000 });
          for (int run = 0; run < 3; run++)
            check_run (&c, c.f.session, c.rand, NULL);
          case_clear (&c);
        }
    }
}

/* ---- many runs at once, some of them cancelled ---- */

#define N_RUNNERS 3

typedef struct
{
  const Case *c;
  SluiceSession *session;
  guint32 seed;
  _Atomic int *cancel_flag;
  guint n_finished;
} Runner;

static gpointer
run_some (gpointer data)
{
  Runner *self = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (self->seed);
  for (int i = 0; i < 4; i++)
    self->n_finished += check_run (self->c, self->session, rand, self->cancel_flag);
  return NULL;
}

/* Returns how many runs came to their end. */
static guint
stress_program (guint32 seed, gboolean has_sims)
{
  Case c;
  g_autofree char *latency = dup_latency (seed);
  guint n_cpus = has_sims ? 1 : 1 + seed / 2 % 4;
  case_init (&c, seed, has_sims ? on_sims : (Places){ cpus, n_cpus },
             &(SluiceSessionOptions){ .n_cpus = n_cpus,
                                      .device = has_sims ? "SIM:1" : NULL,
                                      .device_options = has_sims ? latency : NULL,
                                      .order_seed = seed,
                                      .recompute = seed % 3 == 0,
                                      .fit = seed % 4 == 1 ? ROOM : 0,
                                      .fit_slack = ROOM - 1000 });
  g_autoptr (SluiceSession) like =
      sluice_session_new (&(SluiceSessionOptions){ .like = c.f.session }, NULL);
  _Atomic int cancel_flag = 0;
  Runner runners[N_RUNNERS];
  GThread *threads[N_RUNNERS];
  guint n = 0;
  for (guint i = 0; i < N_RUNNERS; i++)
    {
      /* The last one's runs end where the first one's have; the second has a session of its own. */
      runners[i] = (Runner){ .c = &c,
                             .session = i == 1 ? like : c.f.session,
                             .seed = seed + i,
                             .cancel_flag = i + 1 == N_RUNNERS ? &cancel_flag : NULL };
      threads[i] = g_thread_new ("runner", run_some, &runners[i]);
    }
  for (guint i = 0; i < N_RUNNERS; i++)
    {
      g_thread_join (threads[i]);
      cancel_flag = 1;
      n += runners[i].n_finished;
    }
  case_clear (&c);
  return n;
}

/* SLUICE_STRESS_SECONDS in the environment: for so long, instead of a few programs. Every other one
 * has simulated devices. */
static void
test_stress (void)
{
  const char *text = g_getenv ("SLUICE_STRESS_SECONDS");
  gint64 until = text ? g_get_monotonic_time () + g_ascii_strtoll (text, NULL, 10) * 1000000 : 0;
  guint n_programs = 0, n_runs = 0, n_with_sims = 0;
  for (; until ? g_get_monotonic_time () < until : n_programs < 40; n_programs++)
    {
      sluice_pool_set_threads (1 + n_programs % 4);
      n_runs += stress_program (1000 + n_programs, n_programs % 2 != 0);
      n_with_sims += n_programs % 2;
    }
  g_test_message ("%u programs, %u of them on simulated devices, %u runs came to their end",
                  n_programs, n_with_sims, n_runs);
  g_assert_cmpuint (n_runs, >=, n_programs * 4 * (N_RUNNERS - 1));
}

/* ---- gradients ---- */

/* No handle of a stack lies on a stack: TensorFlow's optimizer would take the pushes to it away. */
static void
check_stacks (SluiceGraph *graph)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (sluice_node_get_role (node) == SLUICE_ROLE_STACK_PUSH)
        g_assert_cmpint (sluice_edge_dtype (node->inputs[1]), !=, SLUICE_RESOURCE);
    }
}

static void
check_gradient (guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (GPtrArray) program = make_program (rand, 0);
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  Maker m = { &f, rand, { cpus, 1 }, 0 };
  Env env = { .pivot = NULL };
  SluiceEdge xs[N_VARS];
  SluiceGrad dxs[N_VARS];
  g_autoptr (GError) error = NULL;
  for (int i = 0; i < N_VARS; i++)
    env.v[i] = xs[i] = fixture_placeholder (&f, inputs[i], SLUICE_FLOAT);
  build (&m, program, &env);
  SluiceEdge y = MAKE (&m, "Identity", env.v[0]);
  sluice_gradients (f.graph, "gradients", &y, 1, NULL, xs, N_VARS, dxs, &error);
  g_assert_no_error (error);
  check_stacks (f.graph);
  fixture_extend (&f);
  for (int run = 0; run < 3; run++)
    {
      SluiceFeed feeds[N_VARS];
      double start[N_VARS];
      for (int i = 0; i < N_VARS; i++)
        {
          start[i] = (double) (float) g_rand_double_range (rand, -1, 1);
          feeds[i] = (SluiceFeed){ inputs[i], sluice_tensor_new_float ((float) start[i]) };
        }
      for (int i = 0; i < N_VARS; i++)
        {
          double v[N_VARS], d[N_VARS] = { 0 };
          memcpy (v, start, sizeof v);
          d[i] = 1;
          interpret_dual (program, v, d);
          float got = 0;
          if (dxs[i].values.node)
            got = fixture_fetch (&f, dxs[i].values.node->name, feeds, N_VARS);
          g_assert_cmpfloat (fabs ((double) got - d[0]), <=, 1e-4 * (1 + fabs (d[0])));
        }
      for (int i = 0; i < N_VARS; i++)
        sluice_tensor_unref (feeds[i].tensor);
    }
}

static void
test_gradients (void)
{
  for (guint threads = 1; threads <= 2; threads++)
    {
      sluice_pool_set_threads (threads);
      for (guint32 seed = 200; seed < 260; seed++)
        check_gradient (seed);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/random-flow/one-device", test_one_device);
  g_test_add_func ("/runtime/random-flow/devices", test_devices);
  g_test_add_func ("/runtime/random-flow/sims", test_sims);
  g_test_add_func ("/runtime/random-flow/stress", test_stress);
  g_test_add_func ("/runtime/random-flow/gradients", test_gradients);
  return g_test_run ();
}
