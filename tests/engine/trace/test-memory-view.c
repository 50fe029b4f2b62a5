/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Bands, stack, addresses and holders of logs drawn by lot, against what a look at every record
 * says; who read what, who held it too long and who grows, on logs made by hand. */
#include <string.h>

#include "engine/base/dtype.h"
#include "engine/trace/memory-view.h"

#define N_PLACES  40
#define N_RECORDS 900
#define N_BEFORE  12
#define N_COLUMNS 37

/* ---- logs ---- */

typedef struct
{
  SluiceAllocationLog *log;
  gsize counted[2][SLUICE_N_MEMORY_CLASSES];
} Writer;

static void
writer_init (Writer *self)
{
  *self = (Writer){ .log = sluice_allocation_log_new (0) };
  self->log->begin_ticks = 1000;
}

/* The ticks of a log are its own; those of these are the test's. */
static void
add (Writer *self, gint64 time, SluiceAllocationRecord record)
{
  sluice_allocation_log_add (self->log, &record);
  self->log->records[self->log->n_records - 1].ticks = 1000 + (guint64) time;
}

static void
reserve (Writer *self, gint64 time, guint64 address, gsize given)
{
  add (self, time,
       (SluiceAllocationRecord){
           .address = address, .given = given, .kind = SLUICE_ALLOCATION_RESERVED });
}

static void
make (Writer *self, gint64 time, guint64 address, gsize bytes, SluiceOwner owner)
{
  guint8 shard = address & 1;
  self->counted[shard][owner.memory_class] += bytes;
  add (self, time,
       (SluiceAllocationRecord){ .address = address,
                                 .bytes = bytes,
                                 .given = bytes + 64,
                                 .counted = self->counted[shard][owner.memory_class],
                                 .owner = owner,
                                 .kind = SLUICE_ALLOCATION_MADE,
                                 .shard = shard });
}

static void
end (Writer *self, gint64 time, guint64 address, gsize bytes, SluiceOwner owner)
{
  guint8 shard = address & 1;
  self->counted[shard][owner.memory_class] -= bytes;
  add (self, time,
       (SluiceAllocationRecord){ .address = address,
                                 .bytes = bytes,
                                 .given = bytes + 64,
                                 .counted = self->counted[shard][owner.memory_class],
                                 .owner = owner,
                                 .kind = SLUICE_ALLOCATION_FREED,
                                 .shard = shard });
}

static void
hand_on (Writer *self, gint64 time, guint64 address, gsize bytes, SluiceOwner from, SluiceOwner to)
{
  guint8 shard = address & 1;
  self->counted[shard][from.memory_class] -= bytes;
  self->counted[shard][to.memory_class] += bytes;
  add (self, time,
       (SluiceAllocationRecord){ .address = address,
                                 .bytes = bytes,
                                 .given = bytes + 64,
                                 .counted = self->counted[shard][to.memory_class],
                                 .owner = to,
                                 .kind = SLUICE_ALLOCATION_HANDED_ON,
                                 .shard = shard });
}

/* Ticks are nanoseconds. */
static SluiceMemoryTape *
finish (Writer *self, gint64 length)
{
  self->log->end_ticks = 1000 + (guint64) length;
  return sluice_memory_tape_new ("CPU:0", 1, self->log, 1);
}

typedef struct
{
  gsize given, bytes; /* given 0: not there; bytes 0: free */
  SluiceOwner owner;
} Place;

static SluiceOwner
draw_owner (GRand *rand)
{
  return (SluiceOwner){ (guint32) g_rand_int_range (rand, 0, 6),
                        (guint32) g_rand_int_range (rand, 0, SLUICE_N_MEMORY_CLASSES) };
}

static void
draw_record (Writer *writer, GRand *rand, Place *places, gint64 time)
{
  guint i = (guint) g_rand_int_range (rand, 0, N_PLACES);
  guint64 address = 5000 + 1000 * i + i % 2;
  Place *place = &places[i];
  SluiceOwner owner = draw_owner (rand);
  if (place->given == 0)
    {
      place->given = 64 * (gsize) g_rand_int_range (rand, 2, 10);
      reserve (writer, time, address, place->given);
    }
  else if (place->bytes == 0 && g_rand_int_range (rand, 0, 5) == 0)
    {
      add (writer, time,
           (SluiceAllocationRecord){
               .address = address, .given = place->given, .kind = SLUICE_ALLOCATION_RETURNED });
      place->given = 0;
    }
  else if (place->bytes == 0)
    {
      place->bytes = place->given - 64;
      place->owner = owner;
      make (writer, time, address, place->bytes, owner);
    }
  else if (g_rand_boolean (rand))
    {
      hand_on (writer, time, address, place->bytes, place->owner, owner);
      place->owner = owner;
    }
  else
    {
      end (writer, time, address, place->bytes, place->owner);
      place->bytes = 0;
    }
}

static SluiceMemoryTape *
draw_tape (guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  Place places[N_PLACES] = { { 0 } };
  Writer writer;
  writer_init (&writer);
  for (guint i = 0; i < N_BEFORE; i++)
    {
      places[i] = (Place){ 256, 192, draw_owner (rand) };
      reserve (&writer, 0, 5000 + 1000 * i + i % 2, 256);
      make (&writer, 0, 5000 + 1000 * i + i % 2, 192, places[i].owner);
    }
  gint64 time = 1;
  for (guint i = 0; i < N_RECORDS; i++)
    {
      draw_record (&writer, rand, places, time);
      time += g_rand_int_range (rand, 0, 4); /* some at the same time */
    }
  return finish (&writer, time + 5);
}

/* ---- against every record ---- */

typedef struct
{
  Place places[N_PLACES];
  gsize live, reserved, classes[SLUICE_N_MEMORY_CLASSES];
} Naive;

static void
naive_follow (Naive *self, const SluiceAllocationRecord *record)
{
  Place *place = &self->places[(record->address - 5000) / 1000];
  if (record->kind == SLUICE_ALLOCATION_RESERVED)
    place->given = record->given;
  if (record->kind == SLUICE_ALLOCATION_RETURNED)
    place->given = 0;
  if (record->kind <= SLUICE_ALLOCATION_HANDED_ON)
    {
      place->bytes = record->kind == SLUICE_ALLOCATION_FREED ? 0 : record->bytes;
      place->owner = record->owner;
    }
  self->live = self->reserved = 0;
  memset (self->classes, 0, sizeof self->classes);
  for (guint i = 0; i < N_PLACES; i++)
    {
      self->live += self->places[i].bytes;
      self->reserved += self->places[i].given;
      self->classes[self->places[i].owner.memory_class] += self->places[i].bytes;
    }
}

static void
check_map (const SluiceMemoryView *view, guint moment, const Naive *naive)
{
  g_autoptr (SluiceMemoryMap) map = sluice_memory_view_make_map (view, moment);
  guint64 offset = 0;
  guint n_holes = 0;
  g_assert_cmpuint (map->live, ==, naive->live);
  g_assert_cmpuint (map->pool, ==, naive->reserved);
  g_assert_cmpuint (map->live + map->free + map->rounding, ==, map->pool);
  for (guint i = 0; i < map->pieces->len; i++)
    {
      const SluiceMemoryPiece *piece = &g_array_index (map->pieces, SluiceMemoryPiece, i);
      g_assert_cmpuint (piece->offset, ==, offset);
      g_assert_cmpuint (piece->bytes, >, 0);
      offset += piece->bytes;
      n_holes += piece->band == SLUICE_BAND_NONE;
    }
  g_assert_cmpuint (n_holes, ==, map->n_holes);
  g_assert_cmpuint (map->largest, <=, map->free);
}

static void
check_moment (const SluiceMemoryView *view, guint moment, const Naive *naive)
{
  gsize classes[SLUICE_N_MEMORY_CLASSES], held = 0, bands = 0;
  g_assert_cmpuint (sluice_memory_view_get_live (view, moment), ==, naive->live);
  g_assert_cmpuint (sluice_memory_view_get_reserved (view, moment), ==, naive->reserved);
  sluice_memory_view_sum_classes (view, moment, classes);
  g_assert_cmpmem (classes, sizeof classes, naive->classes, sizeof naive->classes);
  g_autoptr (GArray) holdings = sluice_memory_view_dup_holdings (view, moment);
  for (guint i = 0; i < holdings->len; i++)
    {
      const SluiceMemoryHolding *holding = &g_array_index (holdings, SluiceMemoryHolding, i);
      const SluiceMemoryBand *band = sluice_memory_view_get_band (view, holding->band);
      g_assert_cmpuint (band->owner.node, ==, holding->owner.node);
      g_assert_true (i == 0 || holding->bytes <= (holding - 1)->bytes);
      held += holding->bytes;
      bands += holding->n_blocks;
    }
  g_assert_cmpuint (held, ==, naive->live);
  for (guint i = 0; i < N_PLACES; i++)
    bands -= naive->places[i].bytes > 0;
  g_assert_cmpuint (bands, ==, 0);
}

/* In a column the bands stand on each other without a gap, in the order of their ranks. */
static void
check_column (const SluiceMemoryView *view, const SluiceMemoryLayout *layout, guint column)
{
  gsize height = 0;
  guint before = SLUICE_BAND_NONE;
  while (height < layout->live[column])
    {
      guint found = sluice_memory_layout_find (layout, view, column, height);
      g_assert_cmpuint (found, !=, SLUICE_BAND_NONE);
      const SluiceMemoryBand *band = sluice_memory_view_get_band (view, found);
      g_assert_cmpuint (band->begin, <=, layout->moments[column]);
      g_assert_cmpuint (band->end, >, layout->moments[column]);
      g_assert_true (before == SLUICE_BAND_NONE
                     || sluice_memory_view_get_band (view, before)->rank < band->rank);
      g_assert_cmpuint (sluice_memory_layout_find (layout, view, column, height + band->bytes - 1),
                        ==, found);
      height += band->bytes;
      before = found;
    }
  g_assert_cmpuint (height, ==, layout->live[column]);
  g_assert_cmpuint (sluice_memory_layout_find (layout, view, column, height), ==, SLUICE_BAND_NONE);
}

static void
check_layout (const SluiceMemoryView *view, gint64 from, gint64 to)
{
  g_autoptr (SluiceMemoryLayout) layout = sluice_memory_view_lay_out (view, from, to, N_COLUMNS);
  gsize most = 0, shown = 0;
  for (guint c = 0; c < N_COLUMNS; c++)
    {
      check_column (view, layout, c);
      shown = MAX (shown, layout->live[c]);
    }
  for (guint m = sluice_memory_view_find_moment (view, from);
       m <= sluice_memory_view_find_moment (view, to - 1); m++)
    most = MAX (most, sluice_memory_view_get_live (view, m));
  g_assert_cmpuint (shown, ==, most); /* no column hides a peak */
}

static void
test_lot (void)
{
  for (guint32 seed = 1; seed <= 25; seed++)
    {
      g_autoptr (SluiceMemoryTape) tape = draw_tape (seed);
      g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
      Naive naive = { 0 };
      gsize peak = 0;
      guint peak_moment = 0;
      g_assert_cmpuint (sluice_memory_view_get_n_wrong (view), ==, 0);
      for (guint m = 1; m < sluice_memory_view_get_n_moments (view); m++)
        {
          naive_follow (&naive, &tape->log->records[m - 1]);
          check_moment (view, m, &naive);
          if (m % 7 == 0)
            check_map (view, m, &naive);
          peak_moment = naive.live > peak ? m : peak_moment;
          peak = MAX (peak, naive.live);
        }
      g_assert_cmpuint (sluice_memory_view_get_peak (view), ==, peak_moment);
      check_layout (view, 0, tape->length);
      check_layout (view, tape->length / 3, tape->length / 2);
      check_layout (view, tape->length / 2, tape->length / 2 + 9);
    }
}

/* The allocator's own count is believed, not the sum. */
static void
test_wrong_count (void)
{
  Writer writer;
  const SluiceOwner owner = { 1, SLUICE_MEMORY_ACTIVATION };
  writer_init (&writer);
  make (&writer, 5, 100, 640, owner);
  writer.log->records[0].counted += 64; /* somebody has 64 bytes that no owner has */
  g_autoptr (SluiceMemoryTape) tape = finish (&writer, 10);
  g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
  g_assert_cmpuint (sluice_memory_view_get_n_wrong (view), ==, 1);
}

/* ---- who uses what ---- */

enum
{
  WEIGHTS = 1,
  CONV,
  IDENTITY,
  GRAD,
  UPDATE,
  LOSS
};

static void
run (SluiceMemoryTape *tape, guint32 node, gint64 from, gint64 to)
{
  const SluiceMemoryRun ran = { .node = node, .start = from, .end = to };
  g_array_append_val (tape->runs, ran);
}

static void
read_by (SluiceMemoryTape *tape, guint32 from, guint32 to)
{
  const SluiceRead read = { from, to };
  g_array_append_val (tape->reads, read);
}

/* CONV's value goes through IDENTITY, which makes nothing, to GRAD at 600; GRAD's is read by UPDATE
 * at 700 and freed only at 990, in the time of LOSS. */
static SluiceMemoryTape *
make_step (gint64 growth)
{
  const SluiceOwner weights = { WEIGHTS, SLUICE_MEMORY_PARAMETER };
  const SluiceOwner conv = { CONV, SLUICE_MEMORY_ACTIVATION };
  const SluiceOwner grad = { GRAD, SLUICE_MEMORY_GRADIENT };
  const SluiceOwner queue = { LOSS, SLUICE_MEMORY_QUEUE };
  Writer writer;
  writer_init (&writer);
  make (&writer, 0, 1000, 4096, weights);
  for (gint64 i = 0; i < growth; i++)
    make (&writer, 0, 9000 + 1000 * (guint64) i, 64, queue);
  make (&writer, 105, 2000, 2048, conv);
  make (&writer, 605, 3000, 1024, grad);
  end (&writer, 645, 2000, 2048, conv);
  make (&writer, 910, 2000, 2048, (SluiceOwner){ LOSS, SLUICE_MEMORY_WORKSPACE });
  end (&writer, 985, 2000, 2048, (SluiceOwner){ LOSS, SLUICE_MEMORY_WORKSPACE });
  end (&writer, 990, 3000, 1024, grad);
  SluiceMemoryTape *tape = finish (&writer, 1000);
  run (tape, CONV, 100, 200);
  run (tape, IDENTITY, 210, 220);
  run (tape, GRAD, 600, 650);
  run (tape, UPDATE, 700, 720);
  run (tape, LOSS, 900, 995);
  read_by (tape, WEIGHTS, CONV);
  read_by (tape, CONV, IDENTITY);
  read_by (tape, IDENTITY, GRAD);
  read_by (tape, GRAD, UPDATE);
  sluice_memory_tape_name (tape, GRAD, "conv/grad", "Conv2DBackpropFilter");
  return tape;
}

static guint
find_band (const SluiceMemoryView *view, guint32 node)
{
  for (guint i = 0; i < sluice_memory_view_get_n_bands (view); i++)
    if (sluice_memory_view_get_band (view, i)->owner.node == node)
      return i;
  g_assert_not_reached ();
}

static guint32
node_of_run (const SluiceMemoryView *view, guint number)
{
  g_assert_cmpuint (number, !=, SLUICE_BAND_NONE);
  return sluice_memory_view_get_run (view, number)->node;
}

static void
test_uses (void)
{
  g_autoptr (SluiceMemoryTape) tape = make_step (0);
  g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
  guint n;
  const SluiceMemoryBand *conv = sluice_memory_view_get_band (view, find_band (view, CONV));
  const guint *readings = sluice_memory_view_get_readings (view, find_band (view, CONV), &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (node_of_run (view, readings[0]), ==, IDENTITY);
  g_assert_cmpuint (node_of_run (view, readings[1]), ==, GRAD);
  g_assert_cmpuint (node_of_run (view, conv->freer), ==, GRAD);
  g_assert_cmpint (conv->waste, ==, 0);
  g_assert_false (conv->stays);

  const SluiceMemoryBand *weights = sluice_memory_view_get_band (view, find_band (view, WEIGHTS));
  g_assert_true (weights->was_before && weights->stays);
  g_assert_cmpuint (weights->freer, ==, SLUICE_BAND_NONE);

  /* Held by LOSS for 270 ns after UPDATE had read it. */
  g_autoptr (GArray) late = sluice_memory_view_dup_late (view);
  g_assert_cmpuint (late->len, ==, 1);
  const SluiceMemoryBand *grad = sluice_memory_view_get_band (view, g_array_index (late, guint, 0));
  g_assert_cmpuint (grad->owner.node, ==, GRAD);
  g_assert_cmpint (grad->used, ==, 720);
  g_assert_cmpint (grad->waste, ==, 270);
  g_assert_cmpuint (node_of_run (view, grad->freer), ==, LOSS);
  g_assert_cmpstr (sluice_memory_view_get_name (view, grad->owner.node), ==, "conv/grad");
  g_assert_null (sluice_memory_view_get_name (view, 77));
}

static const SluiceMemoryHolding *
find_holding (const GArray *holdings, guint32 node)
{
  for (guint i = 0; i < holdings->len; i++)
    if (g_array_index (holdings, SluiceMemoryHolding, i).owner.node == node)
      return &g_array_index (holdings, SluiceMemoryHolding, i);
  g_assert_not_reached ();
}

/* What would help is said only where it is so. */
static void
test_help (void)
{
  g_autoptr (SluiceMemoryTape) tape = make_step (0);
  g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
  guint peak = sluice_memory_view_get_peak (view);
  g_assert_cmpint (sluice_memory_view_get_time (view, peak), ==, 605);
  g_autoptr (GArray) at_peak = sluice_memory_view_dup_holdings (view, peak);
  g_assert_cmpint (find_holding (at_peak, WEIGHTS)->help, ==, SLUICE_HELP_KEPT);
  g_assert_cmpint (find_holding (at_peak, CONV)->help, ==, SLUICE_HELP_NONE); /* GRAD reads it */
  guint early = sluice_memory_view_find_moment (view, 400);
  g_assert_cmpint (sluice_memory_view_get_time (view, early), ==, 105);
  g_autoptr (GArray) then = sluice_memory_view_dup_holdings (view, early);
  g_assert_cmpint (find_holding (then, CONV)->help, ==, SLUICE_HELP_NONE); /* CONV makes it */
}

/* next: when UPDATE runs again; 0: it does not */
static void
check_gain (gint64 next)
{
  const SluiceOwner grad = { GRAD, SLUICE_MEMORY_GRADIENT };
  const SluiceOwner loss = { LOSS, SLUICE_MEMORY_ACTIVATION };
  Writer writer;
  writer_init (&writer);
  make (&writer, 100, 3000, 1024, grad);
  make (&writer, 500, 4000, 4096, loss);
  end (&writer, 600, 4000, 4096, loss);
  end (&writer, 900, 3000, 1024, grad);
  g_autoptr (SluiceMemoryTape) tape = finish (&writer, 1000);
  run (tape, GRAD, 90, 110);
  run (tape, UPDATE, 200, 300);
  run (tape, LOSS, 490, 610);
  if (next > 0)
    run (tape, UPDATE, next, next + 20);
  read_by (tape, GRAD, UPDATE);
  g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
  guint peak = sluice_memory_view_get_peak (view);
  g_assert_cmpuint (sluice_memory_view_get_live (view, peak), ==, 5120);
  g_autoptr (GArray) holdings = sluice_memory_view_dup_holdings (view, peak);
  const SluiceMemoryHolding *holding = find_holding (holdings, GRAD);
  g_assert_cmpint (holding->help, ==, next > 0 ? SLUICE_HELP_WAITS : SLUICE_HELP_AT_ONCE);
  g_assert_cmpuint (holding->gain, ==, next > 0 ? 0 : 1024);
  g_assert_cmpint (holding->until, ==, next);
}

static void
test_gain (void)
{
  check_gain (0);
  check_gain (800);
}

/* A kernel that runs several nodes makes one thing and hands on another: who reads that keeps it.
 */
static void
test_together (void)
{
  const SluiceOwner grad = { GRAD, SLUICE_MEMORY_GRADIENT };
  for (gboolean is_together = FALSE; is_together <= TRUE; is_together++)
    {
      Writer writer;
      writer_init (&writer);
      make (&writer, 100, 3000, 1024, grad);
      make (&writer, 210, 4000, 64, (SluiceOwner){ UPDATE, SLUICE_MEMORY_GRADIENT });
      end (&writer, 900, 3000, 1024, grad);
      g_autoptr (SluiceMemoryTape) tape = finish (&writer, 1000);
      run (tape, GRAD, 90, 110);
      run (tape, UPDATE, 200, 300);
      run (tape, LOSS, 850, 905);
      g_array_index (tape->runs, SluiceMemoryRun, 1).is_together = is_together;
      read_by (tape, GRAD, UPDATE);
      read_by (tape, UPDATE, LOSS);
      g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
      const SluiceMemoryBand *band = sluice_memory_view_get_band (view, find_band (view, GRAD));
      g_assert_cmpint (band->waste, ==, is_together ? 0 : 600);
      g_assert_cmpuint (band->n_readings, ==, is_together ? 2 : 1);
    }
}

/* The one that has more behind each step is named; what is large and stays so is not. */
static void
test_growth (void)
{
  SluiceMemoryView *views[4];
  for (gint64 i = 0; i < 4; i++)
    {
      g_autoptr (SluiceMemoryTape) tape = make_step (1 + 2 * i);
      views[i] = sluice_memory_view_new (tape);
    }
  g_autoptr (GArray) few = sluice_memory_find_growth (views, 2);
  g_assert_cmpuint (few->len, ==, 0);
  g_autoptr (GArray) grown = sluice_memory_find_growth (views, 4);
  g_assert_cmpuint (grown->len, ==, 1);
  const SluiceMemoryGrowth *growth = &g_array_index (grown, SluiceMemoryGrowth, 0);
  g_assert_cmpuint (growth->owner.node, ==, LOSS);
  g_assert_cmpuint (growth->owner.memory_class, ==, SLUICE_MEMORY_QUEUE);
  g_assert_cmpuint (growth->first, ==, 64);
  g_assert_cmpuint (growth->last, ==, 7 * 64);
  for (guint i = 0; i < 4; i++)
    sluice_memory_view_free (views[i]);
}

static void
test_lines (void)
{
  g_autoptr (SluiceMemoryTape) tape = make_step (0);
  g_autoptr (GString) lines = g_string_new (NULL);
  sluice_memory_tape_print (tape, lines);
  g_auto (GStrv) each = g_strsplit (lines->str, "\n", -1);
  g_assert_cmpuint (g_strv_length (each), ==, 1 + tape->log->n_records + tape->runs->len + 1);
  g_assert_nonnull (strstr (each[0], "\"event\":\"step\",\"step\":1,\"device\":\"CPU:0\""));
  g_assert_nonnull (strstr (each[3], "\"node\":\"conv/grad\",\"class\":\"gradient\""));
  g_assert_nonnull (strstr (lines->str, "\"event\":\"ran\""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/memory/lot", test_lot);
  g_test_add_func ("/trace/memory/wrong-count", test_wrong_count);
  g_test_add_func ("/trace/memory/uses", test_uses);
  g_test_add_func ("/trace/memory/help", test_help);
  g_test_add_func ("/trace/memory/gain", test_gain);
  g_test_add_func ("/trace/memory/together", test_together);
  g_test_add_func ("/trace/memory/growth", test_growth);
  g_test_add_func ("/trace/memory/lines", test_lines);
  return g_test_run ();
}
