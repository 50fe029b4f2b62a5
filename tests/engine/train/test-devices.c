/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The samples train on devices with memory and queues of their own as they do on the CPU, wherever
 * their nodes stand: the same losses and variables, to the bit. */
#include "engine/base/residency.h"
#include "engine/graph/edit.h"
#include "engine/passes/passes.h"
#include "engine/passes/spread.h"
#include "engine/store/checkpoint.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"

#define N_STEPS 4
#define ENOUGH  ((gsize) 1 << 30)

static const char *const samples[] = { "digits-mlp", "digits-lenet", "lstm",
                                       "word2vec",   "cart-pole",    "moe",
                                       "towers",     "hogwild",      NULL };

/* How much memory each device has. */
typedef enum
{
  ROOM_ANY,
  ROOM_MEASURED, /* more than it takes, but it has a limit */
  ROOM_HALF,  /* of what the sample takes at most on one device of which there is enough, and what
                 one kernel needs at once */
  ROOM_LEAST, /* what one kernel needs at once, and no byte more */
} Room;

/* Where nodes stand. */
typedef struct
{
  const char *device;      /* of the session: (nullable) */
  const char *const *over; /* (nullable): spread over these by lot */
  Room room;
} Way;

static const char *const cpu_and_sim[] = { "CPU:0", "SIM:0", NULL };
static const char *const two_sims[] = { "SIM:0", "SIM:1", NULL };
static const Way on_cpu = { NULL, NULL, ROOM_ANY };
static const Way ways[] = {
  { "SIM:0", NULL, ROOM_MEASURED }, { "SIM:0", cpu_and_sim, ROOM_ANY },
  { "SIM:1", two_sims, ROOM_ANY },  { "SIM:0", NULL, ROOM_HALF },
  { "SIM:1", two_sims, ROOM_HALF }, { "SIM:0", NULL, ROOM_LEAST },
};

typedef struct
{
  SluiceProject *project;
  SluiceExamples *examples, *test;
  gsize peak, at_once; /* of SIM:0 with room enough, and the most that a kernel took of it */
} Sample;

/* Of asynchronous workers one: several make each run another one. */
static void
keep_first (char **names)
{
  for (guint i = 1, n = g_strv_length (names); i < n; i++)
    g_clear_pointer (&names[i], g_free);
}

static void
sample_init (Sample *self, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "data", "samples", name, NULL);
  *self = (Sample){ .project = sluice_project_load (path, &error) };
  g_assert_no_error (error);
  keep_first (self->project->train);
  keep_first (self->project->loss);
  sluice_examples_load_all (self->project, &self->examples, &self->test, &error);
  g_assert_no_error (error);
}

static void
sample_clear (Sample *self)
{
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  sluice_project_free (self->project);
}

/* Towers ask for CPUs: where they are not there they stand as the others do. */
static void
leave_cpus (SluiceGraph *graph)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->device[0] != '\0')
        sluice_graph_set_device (graph, node, "");
    }
}

static gsize
get_bytes (const Sample *sample, Room room)
{
  switch (room)
    {
    case ROOM_HALF:
      return MAX (sample->peak / 2, sample->at_once);
    case ROOM_LEAST:
      return sample->at_once;
    default:
      return ENOUGH;
    }
}

static char *
dup_memory (const Sample *sample, Room room)
{
  gsize bytes = get_bytes (sample, room);
  return room == ROOM_ANY ? NULL : g_strdup_printf ("memory=%" G_GSIZE_FORMAT, bytes);
}

static SluiceReplica *
begin (const Sample *sample, const Way *way)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *memory = dup_memory (sample, way->room);
  const SluiceSessionOptions host = { .device = way->device, .device_options = memory };
  SluiceGraph *graph = sluice_project_load_graph (sample->project, &error);
  g_assert_no_error (error);
  leave_cpus (graph);
  if (way->over != NULL)
    sluice_spread_nodes (graph, 0, 7, way->over, g_strv_length ((char **) way->over));
  SluiceReplica *replica =
      sluice_replica_new_of (sample->project, graph, sample->examples, NULL, 1, &host, &error);
  g_assert_no_error (error);
  return replica;
}

/* Appends the losses. */
static void
train (SluiceReplica *replica, guint n, GArray *losses)
{
  g_autoptr (GError) error = NULL;
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  for (guint i = 0; i < n; i++)
    {
      const SluiceRunOptions options = { .step = (guint64) replica->n_done + 1 };
      sluice_replica_step (replica, scalars, NULL, &options, &error);
      g_assert_no_error (error);
      g_array_append_val (losses, scalars[0]);
    }
}

static void
check_variables (SluiceReplica *a, SluiceReplica *b)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) left = sluice_replica_dup_variables (a, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) right = sluice_replica_dup_variables (b, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (left->len, ==, right->len);
  g_assert_cmpuint (left->len, >, 0);
  for (guint i = 0; i < left->len; i++)
    {
      const SluiceNamedTensor *x = &g_array_index (left, SluiceNamedTensor, i);
      const SluiceNamedTensor *y = &g_array_index (right, SluiceNamedTensor, i);
      g_assert_cmpstr (x->name, ==, y->name);
      if (!sluice_tensor_identical (x->tensor, y->tensor))
        g_error ("'%s' differs", x->name);
    }
}

/* What it took, or that it has done with less. */
static void
weigh (Sample *sample, SluiceReplica *replica, Room room)
{
  guint64 n_out = 0;
  for (guint i = 1; room != ROOM_ANY && i < sluice_session_get_n_devices (replica->session); i++)
    {
      SluiceMemoryStats stats;
      SluiceResidencyStats moved;
      const SluiceDevice *device = sluice_session_get_device (replica->session, i);
      sluice_allocator_get_stats (device->allocator, &stats);
      sluice_residency_get_stats (device->residency, &moved);
      n_out += moved.n_out;
      if (room == ROOM_MEASURED)
        {
          sample->peak = stats.peak_bytes;
          sample->at_once = moved.most_at_once;
          g_assert_cmpuint (moved.n_out, ==, 0);
        }
      else
        g_assert_cmpuint (stats.peak_bytes, <=, get_bytes (sample, room));
      g_test_message ("%s: peak %" G_GSIZE_FORMAT ", at once %" G_GSIZE_FORMAT
                      ", moved out %" G_GUINT64_FORMAT ", back %" G_GUINT64_FORMAT,
                      device->short_name, stats.peak_bytes, moved.most_at_once, moved.n_out,
                      moved.n_back);
    }
  g_assert_true (room < ROOM_HALF || n_out > 0);
}

static void
check_losses (const GArray *a, const GArray *b)
{
  g_assert_cmpmem (a->data, a->len * sizeof (double), b->data, b->len * sizeof (double));
}

static void
test_ways (gconstpointer name)
{
  Sample sample;
  sample_init (&sample, name);
  g_autoptr (GArray) expected = g_array_new (FALSE, FALSE, sizeof (double));
  SluiceReplica *reference = begin (&sample, &on_cpu);
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_replica_initialize (reference, &error));
  train (reference, N_STEPS, expected);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autoptr (GArray) losses = g_array_new (FALSE, FALSE, sizeof (double));
      SluiceReplica *replica = begin (&sample, &ways[i]);
      sluice_replica_initialize (replica, &error);
      g_assert_no_error (error);
      train (replica, N_STEPS, losses);
      check_losses (losses, expected);
      check_variables (replica, reference);
      weigh (&sample, replica, ways[i].room);
      sluice_replica_free (replica);
    }
  sluice_replica_free (reference);
  sample_clear (&sample);
}

/* The checkpoint of the first half of the steps, on devices of one way. */
static GBytes *
train_to_checkpoint (const Sample *sample, const Way *way, const char *path, GArray *losses)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = NULL;
  gsize bytes;
  SluiceReplica *replica = begin (sample, way);
  sluice_replica_initialize (replica, &error);
  g_assert_no_error (error);
  train (replica, N_STEPS / 2, losses);
  sluice_replica_save (replica, path, &bytes, &error);
  g_assert_no_error (error);
  sluice_replica_free (replica);
  file = g_mapped_file_new (path, FALSE, &error);
  g_assert_no_error (error);
  return g_bytes_new (g_mapped_file_get_contents (file), g_mapped_file_get_length (file));
}

/* Checkpoints are the same file on whatever devices, spread or not, and go on on others: from each
 * way to the next. */
static void
test_checkpoints (gconstpointer name)
{
  Sample sample;
  sample_init (&sample, name);
  g_autoptr (GError) error = NULL;
  Folder folder;
  folder_init (&folder);
  g_autofree char *path = folder_dup_path (&folder, "kept.safetensors");
  g_autoptr (GArray) expected = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GBytes) kept = NULL;
  SluiceReplica *reference = begin (&sample, &on_cpu);
  sluice_replica_initialize (reference, &error);
  train (reference, N_STEPS, expected);
  static const Way on_another = { "SIM:1", NULL, ROOM_ANY };
  const Way *const all[] = { &on_cpu, &ways[0], &ways[1], &on_another, &ways[2] };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autoptr (GArray) losses = g_array_new (FALSE, FALSE, sizeof (double));
      g_autoptr (GBytes) saved = train_to_checkpoint (&sample, all[i], path, losses);
      if (kept == NULL)
        kept = g_bytes_ref (saved);
      g_assert_true (g_bytes_equal (saved, kept));
      SluiceReplica *second = begin (&sample, all[(i + 1) % G_N_ELEMENTS (all)]);
      sluice_replica_restore (second, path, &error);
      g_assert_no_error (error);
      train (second, N_STEPS / 2, losses);
      check_losses (losses, expected);
      check_variables (second, reference);
      sluice_replica_free (second);
    }
  sluice_replica_free (reference);
  folder_clear (&folder);
  sample_clear (&sample);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  for (guint i = 0; samples[i] != NULL; i++)
    {
      g_autofree char *path = g_strconcat ("/train/devices/ways/", samples[i], NULL);
      g_autofree char *other = g_strconcat ("/train/devices/checkpoints/", samples[i], NULL);
      g_test_add_data_func (path, samples[i], test_ways);
      g_test_add_data_func (other, samples[i], test_checkpoints);
    }
  return g_test_run ();
}
