/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes the readers of data files: the first byte says which, so that one format's seeds also meet
 * the other readers. */
#include <string.h>

#include "engine/train/data.h"
#include "tests/engine/train/samples.h"
#include "tests/fuzz/fuzz-driver.h"

void
fuzz_init (void)
{
}

/* Either a tensor or an error, never both, never neither. */
static void
done (SluiceTensor *tensor, GError *error)
{
  g_assert_true ((tensor == NULL) == (error != NULL));
  g_clear_pointer (&tensor, sluice_tensor_unref);
  g_clear_error (&error);
}

static void
read_npz (const guint8 *data, gsize size)
{
  GError *error = NULL;
  GBytes *member = sluice_npz_read (data, size, "b", "input", &error);
  g_assert_true ((member == NULL) == (error != NULL));
  g_clear_error (&error);
  if (member == NULL)
    return;
  gsize length;
  const guint8 *bytes = g_bytes_get_data (member, &length);
  SluiceTensor *tensor = sluice_npy_parse (bytes, length, "input", &error);
  done (tensor, error);
  g_bytes_unref (member);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size == 0)
    return 0;
  guint8 kind = *data++ % 4;
  size--;
  GError *error = NULL;
  SluiceTensor *tensor = NULL;
  char **names = NULL;
  switch (kind)
    {
    case 0:
      tensor = sluice_idx_parse (data, size, "input", &error);
      break;
    case 1:
      tensor = sluice_npy_parse (data, size, "input", &error);
      break;
    case 2:
      tensor = sluice_csv_parse ((const char *) data, size, "input", &names, &error);
      break;
    default:
      read_npz (data, size);
      return 0;
    }
  done (tensor, error);
  g_strfreev (names);
  return 0;
}

static void
add_seed (GPtrArray *seeds, guint8 kind, const void *data, gsize size)
{
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, &kind, 1);
  g_byte_array_append (bytes, data, size);
  g_ptr_array_add (seeds, g_byte_array_free_to_bytes (bytes));
}

GPtrArray *
fuzz_seeds (void)
{
  static const guint8 elements[24] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  static const char *const tables[] = { "a,b\n1,2\n3,4\n", "1, -2e3\r\n\"3\",nan\r\n", "1\n2\n3" };
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GByteArray) idx = sample_idx (0x08, 3, (guint32[]){ 2, 3, 4 }, elements, 24);
  g_autoptr (GByteArray) doubles = sample_idx (0x0e, 1, (guint32[]){ 3 }, elements, 24);
  g_autoptr (GByteArray) npy = sample_npy ("<f4", "(2, 3)", elements, 24);
  add_seed (seeds, 0, idx->data, idx->len);
  add_seed (seeds, 0, doubles->data, doubles->len);
  add_seed (seeds, 1, npy->data, npy->len);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    add_seed (seeds, 2, tables[i], strlen (tables[i]));
  for (guint deflate = 0; deflate < 2; deflate++)
    {
      g_autoptr (GByteArray) npz = sample_npz ("a.npy", "b.npy", npy, deflate);
      add_seed (seeds, 3, npz->data, npz->len);
    }
  return seeds;
}
