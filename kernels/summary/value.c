/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/summary/value.h"

enum
{
  SUMMARY_VALUE = 1,
  VALUE_TAG = 1
};

void
sluice_summary_put_value (GByteArray *summary,
                          const char *tag,
                          gsize tag_length,
                          const GByteArray *content)
{
  AUTO_BYTES value = g_byte_array_new ();
  if (tag_length)
    sluice_wire_put_bytes (value, VALUE_TAG, tag, tag_length);
  g_byte_array_append (value, content->data, content->len);
  sluice_wire_put_bytes (summary, SUMMARY_VALUE, value->data, value->len);
}

gboolean
sluice_call_output_bytes (SluiceKernelCall *call, const GByteArray *bytes)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE_SCALAR);
  if (out == NULL)
    return FALSE;
  sluice_string_set (out->data, (const char *) bytes->data, bytes->len);
  return TRUE;
}
