/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes keys of transfers: what is read as one is written as it was, and the rest is refused with
 * a reason. */
#include "engine/device/transfer.h"
#include "tests/fuzz/fuzz-driver.h"

static guint n_read;

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strndup (data != NULL ? (const char *) data : "", size);
  guint64 frame = 0, iteration = 0;
  g_autoptr (SluiceTransfer) transfer =
      sluice_transfer_parse_key (text, &frame, &iteration, &error);
  g_assert_true ((transfer != NULL) == (error == NULL));
  if (transfer == NULL)
    return 0;
  g_autofree char *again = sluice_transfer_dup_key (transfer, frame, iteration);
  g_assert_cmpstr (again, ==, text);
  n_read++;
  return 0;
}

void
fuzz_init (void)
{
}

void
fuzz_check_met (void)
{
  g_assert_cmpuint (n_read, >=, 3);
}

GPtrArray *
fuzz_seeds (void)
{
  static const char *const seeds[] = {
    "/job:worker/replica:0/task:3/device:GPU:0;00000000deadbeef;/job:ps/task:0/cpu:0;w/read:0;0:0",
    "/cpu:0;ffffffffffffffff;;edge_12_x;18446744073709551615:42",
    ";0000000000000000;CPU:1;^init;7:8",
  };
  return fuzz_texts (seeds, G_N_ELEMENTS (seeds));
}
