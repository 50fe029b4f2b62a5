/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <string.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "engine/train/data.h"
#include "engine/train/npz-write.h"
#include "tests/engine/train/folder.h"
#include "tests/engine/train/samples.h"

static void
set_up (Folder *f, gconstpointer unused)
{
  folder_init (f);
}

static void
tear_down (Folder *f, gconstpointer unused)
{
  folder_clear (f);
}

static void
assert_fails (SluiceTensor *tensor, GError **error, SluiceError code, const char *word)
{
  g_assert_null (tensor);
  g_assert_error (*error, SLUICE_ERROR, (int) code);
  if (strstr ((*error)->message, word) == NULL)
    g_error ("'%s' is not in: %s", word, (*error)->message);
  g_clear_error (error);
}

/* ---- IDX ---- */

static SluiceTensor *
parse_idx (GByteArray *bytes, GError **error)
{
  return sluice_idx_parse (bytes->data, bytes->len, "a file", error);
}

static void
test_idx (Folder *f, gconstpointer unused)
{
  static const guint8 bytes[] = { 1, 2, 3, 4, 5, 255 };
  static const guint8 shorts[] = { 0x01, 0x02, 0xff, 0xfe };
  static const guint8 floats[] = { 0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0 };
  g_autoptr (GByteArray) a = sample_idx (0x08, 2, (guint32[]){ 2, 3 }, bytes, sizeof bytes);
  g_autoptr (SluiceTensor) x = parse_idx (a, NULL);
  g_assert_cmpint (x->dtype, ==, SLUICE_UINT8);
  g_assert_cmpint (x->shape.dim[1], ==, 3);
  g_assert_cmpmem (x->data, 6, bytes, 6);
  g_autoptr (GByteArray) b = sample_idx (0x0b, 1, (guint32[]){ 2 }, shorts, sizeof shorts);
  g_autoptr (SluiceTensor) y = parse_idx (b, NULL);
  g_assert_cmpint (((const gint16 *) y->data)[0], ==, 0x102);
  g_assert_cmpint (((const gint16 *) y->data)[1], ==, -2);
  g_autoptr (GByteArray) c = sample_idx (0x0d, 1, (guint32[]){ 2 }, floats, sizeof floats);
  g_autoptr (SluiceTensor) z = parse_idx (c, NULL);
  g_assert_cmpfloat (((const float *) z->data)[0], ==, 1);
  g_assert_cmpfloat (((const float *) z->data)[1], ==, -2.5);
}

static void
test_idx_bad (Folder *f, gconstpointer unused)
{
  static const guint8 bytes[] = { 1, 2, 3, 4, 5, 255 };
  g_autoptr (GByteArray) good = sample_idx (0x08, 2, (guint32[]){ 2, 3 }, bytes, sizeof bytes);
  for (guint n = 0; n < good->len; n++)
    {
      GError *error = NULL;
      assert_fails (sluice_idx_parse (good->data, n, "a file", &error), &error,
                    SLUICE_ERROR_DATA_LOSS, "a file");
    }
  GError *error = NULL;
  g_byte_array_append (good, bytes, 1);
  assert_fails (parse_idx (good, &error), &error, SLUICE_ERROR_DATA_LOSS, "longer");
  error = NULL;
  g_autoptr (GByteArray) type = sample_idx (0x07, 1, (guint32[]){ 6 }, bytes, sizeof bytes);
  assert_fails (parse_idx (type, &error), &error, SLUICE_ERROR_DATA_LOSS, "no IDX file");
  error = NULL;
  g_autoptr (GByteArray) huge =
      sample_idx (0x0e, 3, (guint32[]){ G_MAXUINT32, G_MAXUINT32, G_MAXUINT32 }, bytes, 6);
  g_assert_null (parse_idx (huge, &error));
  g_assert_cmpint (error->domain, ==, SLUICE_ERROR);
  g_error_free (error);
}

/* ---- NumPy ---- */

static void
test_npy (Folder *f, gconstpointer unused)
{
  static const float values[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (GByteArray) bytes = sample_npy ("<f4", "(2, 3)", values, sizeof values);
  g_autoptr (SluiceTensor) t = sluice_npy_parse (bytes->data, bytes->len, "a file", NULL);
  g_assert_cmpint (t->dtype, ==, SLUICE_FLOAT);
  g_assert_cmpint (t->shape.rank, ==, 2);
  g_assert_cmpmem (t->data, sizeof values, values, sizeof values);
  g_autoptr (GByteArray) one = sample_npy ("<f4", "(6,)", values, sizeof values);
  g_autoptr (SluiceTensor) v = sluice_npy_parse (one->data, one->len, "a file", NULL);
  g_assert_cmpint (v->shape.rank, ==, 1);
  for (guint n = 0; n < bytes->len; n++)
    {
      GError *error = NULL;
      assert_fails (sluice_npy_parse (bytes->data, n, "a file", &error), &error,
                    SLUICE_ERROR_DATA_LOSS, "a file");
    }
  static const struct
  {
    const char *descr, *shape, *word;
  } bad[] = { { ">f4", "(2, 3)", "type" }, { "<U2", "(3,)", "type" },
              { "|S0", "(3,)", "type" },   { "<f4", "(2, -3)", "shape" },
              { "<f4", "2", "shape" },     { "<f4", "(2, 4)", "cut off" },
              { "<f4", "(2, 3", "shape" } };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      GError *error = NULL;
      g_autoptr (GByteArray) b = sample_npy (bad[i].descr, bad[i].shape, values, sizeof values);
      assert_fails (sluice_npy_parse (b->data, b->len, "a file", &error), &error,
                    SLUICE_ERROR_DATA_LOSS, bad[i].word);
    }
}

/* What is written is read back: all that NumPy has, strings by their bytes. */
static void
test_npy_format (Folder *f, gconstpointer unused)
{
  const SluiceDTypeSet kept = SLUICE_SET_INTS | SLUICE_SET_COMPLEX | SLUICE_SET (SLUICE_HALF)
                              | SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE)
                              | SLUICE_SET (SLUICE_BOOL) | SLUICE_SET (SLUICE_STRING);
  for (int dtype = 1; dtype < SLUICE_N_DTYPES; dtype++)
    {
      if (!sluice_dtype_in (dtype, kept))
        continue;
      g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (dtype, &SLUICE_SHAPE (2, 3));
      if (dtype == SLUICE_STRING)
        sluice_string_set ((SluiceString *) tensor->data + 1, "a\0b", 3);
      else
        memset (tensor->data, 1, sluice_tensor_bytes (tensor));
      g_autoptr (GBytes) bytes = sluice_npy_format (tensor, NULL);
      gsize length;
      const guint8 *data = g_bytes_get_data (bytes, &length);
      g_assert_cmpuint (length % 64, ==,
                        (6 * (dtype == SLUICE_STRING ? 3 : sluice_dtype_size (dtype))) % 64);
      g_autoptr (SluiceTensor) back = sluice_npy_parse (data, length, "a file", NULL);
      g_assert_true (sluice_tensor_identical (tensor, back));
    }
  g_autoptr (SluiceTensor) brain = sluice_tensor_new_zeros (SLUICE_BFLOAT16, &SLUICE_SHAPE_SCALAR);
  *(guint16 *) brain->data = sluice_float_to_bfloat16 (-1.5f);
  g_autoptr (GBytes) wide = sluice_npy_format (brain, NULL);
  gsize length;
  const guint8 *data = g_bytes_get_data (wide, &length);
  g_autoptr (SluiceTensor) back = sluice_npy_parse (data, length, "a file", NULL);
  g_assert_cmpint (back->dtype, ==, SLUICE_FLOAT);
  g_assert_cmpfloat (*(const float *) back->data, ==, -1.5f);
  g_autoptr (SluiceTensor) handle = sluice_tensor_new_zeros (SLUICE_RESOURCE, &SLUICE_SHAPE_SCALAR);
  GError *error = NULL;
  g_assert_null (sluice_npy_format (handle, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNIMPLEMENTED);
  g_error_free (error);
}

static void
test_npz_write (Folder *f, gconstpointer unused)
{
  g_autofree char *path = g_build_filename (f->path, "out.npz", NULL), *contents = NULL;
  g_autoptr (SluiceTensor) one = sluice_tensor_new_float (1), two = sluice_tensor_new_float (2);
  const char *const names[] = { "scope/a:0", "b" };
  g_autoptr (GError) error = NULL;
  for (int i = 0; i < 2; i++) /* the second time over the first */
    g_assert_true (sluice_npz_write (path, names, (SluiceTensor *[]){ one, two }, i + 1, &error));
  gsize length;
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_autoptr (GPtrArray) members = sluice_npz_list ((const guint8 *) contents, length, path, &error);
  g_assert_cmpuint (members->len, ==, 2);
  g_assert_cmpstr (members->pdata[0], ==, "scope/a:0");
  g_autoptr (GBytes) bytes = sluice_npz_read ((const guint8 *) contents, length, "b", path, &error);
  const guint8 *data = g_bytes_get_data (bytes, &length);
  g_autoptr (SluiceTensor) back = sluice_npy_parse (data, length, path, &error);
  g_assert_true (sluice_tensor_identical (two, back));
  g_assert_false (
      sluice_npz_write ("/dev/null/a.npz", names, (SluiceTensor *[]){ one, two }, 2, &error));
  g_assert_nonnull (strstr (error->message, "/dev/null/a.npz"));
}

static void
test_npz (Folder *f, gconstpointer unused)
{
  static const gint64 values[] = { 7, -8, 9 };
  g_autoptr (GByteArray) npy = sample_npy ("<i8", "(3,)", values, sizeof values);
  for (guint deflate = 0; deflate < 2; deflate++)
    {
      g_autoptr (GByteArray) zip = sample_npz ("first.npy", "second.npy", npy, deflate);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) member = sluice_npz_read (zip->data, zip->len, "second", "a", &error);
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (member, NULL), g_bytes_get_size (member), npy->data,
                       npy->len);
      g_assert_null (sluice_npz_read (zip->data, zip->len, "third", "a", &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
      g_assert_nonnull (strstr (error->message, "first.npy, second.npy"));
      for (guint n = 0; n < zip->len; n++)
        {
          g_clear_error (&error);
          g_autoptr (GBytes) none = sluice_npz_read (zip->data, n, "second", "a", &error);
          g_assert_null (none);
          g_assert_nonnull (error);
        }
    }
}

/* ---- CSV ---- */

static SluiceTensor *
parse_csv (const char *text, char ***names, GError **error)
{
  return sluice_csv_parse (text, strlen (text), "a file", names, error);
}

static void
test_csv (Folder *f, gconstpointer unused)
{
  static const double want[] = { 1, -2.5, 3, 4e3 };
  static const char *const same[] = { "1,-2.5\n3,4e3\n", "1,-2.5\r\n3,4e3\r\n", "1, -2.5\n\n3,4e3",
                                      "\"1\",\"-2.5\"\n3,4000\n", "a,b\n1,-2.5\n3,4e3\n" };
  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceTensor) t = parse_csv (same[i], NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (t->shape.dim[0], ==, 2);
      g_assert_cmpint (t->shape.dim[1], ==, 2);
      g_assert_cmpmem (t->data, sizeof want, want, sizeof want);
    }
  g_auto (GStrv) names = NULL;
  g_autoptr (SluiceTensor) t = parse_csv ("\"one\", two\r\n1,2\n", &names, NULL);
  g_assert_cmpuint (g_strv_length (names), ==, 2);
  g_assert_cmpstr (names[0], ==, "one");
  g_assert_cmpstr (names[1], ==, "two");
}

static void
test_csv_bad (Folder *f, gconstpointer unused)
{
  static const struct
  {
    const char *text, *word;
  } bad[] = { { "1,2\n3\n", "line 2 has 1 fields" },
              { "1,2\n3,4,5\n", "line 2 has 3 fields" },
              { "1,2\n3,x\n", "line 2, field 2: 'x'" },
              { "a,b\nc,d\n", "line 2, field 1: 'c'" },
              { "1,2\n3,\n", "line 2, field 2" },
              { "1,2\n3,4 5\n", "line 2, field 2" },
              { "", "no line of numbers" },
              { "a,b\n", "no line of numbers" },
              { "\n\n", "no line of numbers" } };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      GError *error = NULL;
      assert_fails (parse_csv (bad[i].text, NULL, &error), &error, SLUICE_ERROR_DATA_LOSS,
                    bad[i].word);
    }
}

/* ---- splits of a project ---- */

static SluiceProject *
load_project (Folder *f, const char *const *assignments)
{
  g_autoptr (GError) error = NULL;
  folder_write_project (f, NULL);
  SluiceProject *project = sluice_project_load (f->path, &error);
  g_assert_no_error (error);
  for (guint i = 0; assignments[i] != NULL; i++)
    g_assert_true (sluice_project_set (project, assignments[i], NULL));
  return project;
}

static void
write_gz (Folder *f, const char *name, GByteArray *bytes)
{
  g_autofree char *path = folder_dup_path (f, name);
  gzFile file = gzopen (path, "wb");
  g_assert_cmpint (gzwrite (file, bytes->data, bytes->len), ==, bytes->len);
  g_assert_cmpint (gzclose (file), ==, Z_OK);
}

static void
test_examples (Folder *f, gconstpointer unused)
{
  static const guint8 pixels[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
  g_autoptr (GByteArray) x = sample_idx (0x08, 3, (guint32[]){ 3, 2, 2 }, pixels, 12);
  g_autoptr (GByteArray) y = sample_idx (0x08, 1, (guint32[]){ 3 }, pixels, 3);
  write_gz (f, "x.gz", x);
  folder_write (f, "y.idx", y->data, y->len);
  g_autoptr (SluiceProject) project =
      load_project (f, (const char *const[]){ "data.source=idx", "train-x=x.gz", "train-y=y.idx",
                                              "data.shape=2;2;1", NULL });
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceExamples) examples = sluice_examples_load (project, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (examples->n, ==, 3);
  g_assert_cmpint (examples->x->shape.rank, ==, 4);

  /* A .gz that is cut off, or is none. */
  g_autofree char *path = folder_dup_path (f, "x.gz");
  g_autofree char *packed = NULL;
  gsize length;
  g_file_get_contents (path, &packed, &length, NULL);
  for (gsize n = 1; n < length; n++)
    {
      folder_write (f, "x.gz", packed, n);
      g_assert_null (sluice_examples_load (project, FALSE, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
      g_clear_error (&error);
    }
  g_assert_true (sluice_project_set (project, "train-x=absent.gz", NULL));
  g_assert_null (sluice_examples_load (project, FALSE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "absent.gz"));
}

/* y is a column of the file that holds x: the last one, by name, or by number. */
static void
test_y_column (Folder *f, gconstpointer unused)
{
  static const struct
  {
    const char *column;
    double y, first;
  } cases[] = { { "y-column=", 30, 10 }, { "y-column=a", 10, 20 }, { "y-column=1", 20, 10 } };
  folder_write (f, "table.csv", "a,b,c\n10,20,30\n11,21,31\n", -1);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceProject) project = load_project (
          f, (const char *const[]){ "train-x=table.csv", "train-y=", cases[i].column, NULL });
      g_autoptr (SluiceExamples) examples = sluice_examples_load (project, FALSE, &error);
      g_assert_no_error (error);
      g_assert_cmpint (examples->x->shape.dim[1], ==, 2);
      g_assert_cmpfloat (((const double *) examples->y->data)[0], ==, cases[i].y);
      g_assert_cmpfloat (((const double *) examples->x->data)[0], ==, cases[i].first);
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = load_project (
      f, (const char *const[]){ "train-x=table.csv", "train-y=", "y-column=d", NULL });
  g_assert_null (sluice_examples_load (project, FALSE, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "'d'"));
}

/* One file, cut into examples; what follows each element is its y. */
static void
test_sequence (Folder *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *) "abcdefghij", 10);
  write_gz (f, "text.gz", bytes);
  g_autoptr (SluiceProject) project =
      load_project (f, (const char *const[]){ "data.source=text", "train-x=text.gz",
                                              "train-y=", "data.shape=3", NULL });
  g_autoptr (SluiceExamples) examples = sluice_examples_load (project, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (examples->n, ==, 3);
  g_assert_cmpmem (examples->x->data, 9, "abcdefghi", 9);
  g_assert_cmpmem (examples->y->data, 9, "bcdefghij", 9);
  g_assert_cmpint (examples->y->shape.dim[1], ==, 3);

  /* Of another format just as well; examples that are not whole are left out. */
  static const guint8 shorts[] = { 0, 1, 0, 2, 0, 3, 0, 4 };
  g_autoptr (GByteArray) idx = sample_idx (0x0b, 1, (guint32[]){ 4 }, shorts, sizeof shorts);
  folder_write (f, "words.idx", idx->data, idx->len);
  g_autoptr (SluiceProject) words =
      load_project (f, (const char *const[]){ "data.source=idx", "train-x=words.idx",
                                              "train-y=", "data.shape=2", NULL });
  g_autoptr (SluiceExamples) few = sluice_examples_load (words, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (few->n, ==, 1);
  g_assert_cmpint (((const gint16 *) few->y->data)[1], ==, 3);

  /* Too short for one, or no length given. */
  static const char *const lengths[] = { "data.shape=10", "data.shape=2;2" };
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_assert_true (sluice_project_set (project, lengths[i], NULL));
      g_assert_null (sluice_examples_load (project, FALSE, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "one sequence"));
      g_clear_error (&error);
    }
}

static void
test_npz_of_a_project (Folder *f, gconstpointer unused)
{
  static const float values[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (GByteArray) x = sample_npy ("<f4", "(2, 3)", values, sizeof values);
  g_autoptr (GByteArray) y = sample_npy ("<f4", "(2,)", values, 8);
  g_autoptr (GByteArray) zip = sample_npz ("x.npy", "z.npy", x, TRUE);
  folder_write (f, "data.npz", zip->data, zip->len);
  folder_write (f, "y.npy", y->data, y->len);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = load_project (
      f, (const char *const[]){ "data.source=npy", "train-x=data.npz:x", "train-y=y.npy", NULL });
  g_autoptr (SluiceExamples) examples = sluice_examples_load (project, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (examples->n, ==, 2);
  g_assert_cmpfloat (((const float *) examples->x->data)[5], ==, 6);
  GError *no_member = NULL;
  assert_fails (sluice_npy_parse (zip->data, zip->len, "data.npz", &no_member), &no_member,
                SLUICE_ERROR_DATA_LOSS, "name one of its members");
}

/* ---- gathering ---- */

static void
test_gather (Folder *f, gconstpointer unused)
{
  static const guint8 bytes[] = { 0, 51, 102, 153, 204, 255 };
  g_autoptr (SluiceTensor) from =
      sluice_tensor_new_from (SLUICE_UINT8, &SLUICE_SHAPE (3, 2), bytes);
  static const gint64 rows[] = { 2, 0 };
  g_autoptr (SluiceTensor) floats = sluice_examples_gather (from, rows, 2, SLUICE_FLOAT, 1.0 / 255);
  g_assert_cmpfloat_with_epsilon (((const float *) floats->data)[0], 0.8, 1e-6);
  g_assert_cmpfloat (((const float *) floats->data)[1], ==, 1);
  g_assert_cmpfloat (((const float *) floats->data)[2], ==, 0);
  g_autoptr (SluiceTensor) ints = sluice_examples_gather (from, rows, 2, SLUICE_INT64, 1);
  g_assert_cmpint (((const gint64 *) ints->data)[1], ==, 255);
  g_autoptr (SluiceTensor) bools = sluice_examples_gather (from, rows, 2, SLUICE_BOOL, 1);
  g_assert_cmpint (((const guint8 *) bools->data)[1], ==, 1);
  g_assert_cmpint (((const guint8 *) bools->data)[2], ==, 0);
  g_autoptr (SluiceTensor) halves = sluice_examples_gather (from, rows, 2, SLUICE_HALF, 1);
  g_assert_cmpfloat (sluice_half_to_float (((const guint16 *) halves->data)[0]), ==, 204);
  g_autoptr (SluiceTensor) as_is = sluice_examples_gather (from, rows, 1, SLUICE_UINT8, 1);
  g_assert_cmpmem (as_is->data, 2, bytes + 4, 2);

  /* Rows that are longer than what is converted at once. */
  g_autofree gint32 *many = g_new (gint32, 2 * 1301);
  for (gint32 i = 0; i < 2 * 1301; i++)
    many[i] = i;
  g_autoptr (SluiceTensor) wide =
      sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (2, 1301), many);
  g_autoptr (SluiceTensor) out = sluice_examples_gather (wide, rows + 1, 1, SLUICE_DOUBLE, 2);
  for (guint i = 0; i < 1301; i++)
    g_assert_cmpfloat (((const double *) out->data)[i], ==, 2 * i);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/data/" name, Folder, NULL, set_up, func, tear_down)
  ADD ("idx", test_idx);
  ADD ("idx-bad", test_idx_bad);
  ADD ("npy", test_npy);
  ADD ("npy-format", test_npy_format);
  ADD ("npz", test_npz);
  ADD ("npz-write", test_npz_write);
  ADD ("csv", test_csv);
  ADD ("csv-bad", test_csv_bad);
  ADD ("sequence", test_sequence);
  ADD ("examples", test_examples);
  ADD ("y-column", test_y_column);
  ADD ("npz-of-a-project", test_npz_of_a_project);
  ADD ("gather", test_gather);
  return g_test_run ();
}
