/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes records of TensorFlow's debugger: what is read of one lies within it, and its tensor is
 * one or is refused with a reason. */
#include "engine/base/wire.h"
#include "engine/graph/tensorproto.h"
#include "engine/train/tfdbg.h"
#include "tests/fuzz/fuzz-driver.h"

static guint n_read;

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  SluiceTfdbgValue value;
  sluice_tfdbg_parse (data, size, &value);
  if (value.edge != NULL)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (value.tensor >= data && value.length <= size
                     && value.tensor + value.length <= data + size);
      g_assert_true (g_utf8_validate (value.edge, -1, NULL));
      g_autoptr (SluiceTensor) tensor =
          sluice_tensor_from_proto (value.tensor, value.length, &error);
      g_assert_true ((tensor != NULL) == (error == NULL));
      n_read++;
    }
  sluice_tfdbg_value_clear (&value);
  return 0;
}

void
fuzz_init (void)
{
}

void
fuzz_check_met (void)
{
  g_assert_cmpuint (n_read, >, 0);
}

GPtrArray *
fuzz_seeds (void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint slot = 0; slot < 2; slot++)
    {
      g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3));
      g_autoptr (GBytes) proto = sluice_tensor_to_proto (tensor, NULL);
      g_autoptr (GByteArray) trace = g_byte_array_new ();
      GByteArray *record = g_byte_array_new ();
      gsize length;
      const guint8 *bytes = g_bytes_get_data (proto, &length);
      sluice_wire_put_text (trace, 1, "context");
      sluice_wire_put_text (trace, 2, "scope/node");
      sluice_wire_put_number (trace, 3, slot);
      sluice_wire_put_number (trace, 4, 7);
      sluice_wire_put_bytes (trace, 5, bytes, length);
      sluice_wire_put_double (record, 1, 1.5);
      sluice_wire_put_message (record, 10, trace);
      g_ptr_array_add (seeds, g_byte_array_free_to_bytes (record));
    }
  return seeds;
}
