/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "engine/base/tensor.h"

/*
 * Checkpoints: safetensors with one extra tensor-free header entry, "__metadata__":
 *   "sluice.state": JSON: step, input cursor and shuffle, every random stream, what a resumed run
 *     needs to go on bit for bit;
 *   "sluice.crc32c": JSON: the CRC-32C of each tensor's bytes by name, eight hexadecimal digits;
 *   "sluice.header_crc32c": the same of what comes before the tensors.
 * Opens in PyTorch, JAX, NumPy.
 */
typedef struct
{
  char *name;
  SluiceTensor *tensor;
} SluiceNamedTensor;

/* Can such a file hold tensors of that dtype? */
gboolean sluice_safetensors_has_dtype (SluiceDType dtype);

/* tensors: (element-type SluiceNamedTensor): sorted by name on the way out; state: (nullable) JSON
   text. Written to a temporary file, fsynced and renamed: the file is there whole or not at all.
   The same input gives the same bytes. */
gboolean
sluice_safetensors_write (const char *path, GArray *tensors, const char *state, GError **error);

/* (transfer full) (element-type SluiceNamedTensor); state: (out) (nullable): NULL where the file
   has none. DATA_LOSS on torn or foreign bytes, and on any bit that is not as it was written,
   naming the tensor. */
GArray *sluice_safetensors_read (const char *path, char **state, GError **error);
/* What stands in a file now, whatever its checksums say: to tell what is damaged in it. */
GArray *sluice_safetensors_read_unsummed (const char *path, GError **error);
/* The same of a file's bytes; fuzzed. */
GArray *sluice_safetensors_parse (const char *bytes, gsize length, char **state, GError **error);
/* (transfer full): the JSON object in such a header or state. DATA_LOSS where it is none, or nested
   so deep that parsing it would exhaust the stack. */
JsonNode *sluice_checkpoint_parse_json (const char *text, gsize length, GError **error);
