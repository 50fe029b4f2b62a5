/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <zip.h>
#include <zlib.h>

#include "engine/base/error.h"

/* The error of libzip, which may be zlib's, as one of Sluice's. Where it fails without a word it
 * had no memory. */
static inline int
sluice_zip_error_code (const zip_error_t *error, int otherwise)
{
  int code = zip_error_code_zip (error);
  gboolean is_zlib = zip_error_system_type (error) == ZIP_ET_ZLIB;
  return code == ZIP_ER_MEMORY || code == ZIP_ER_OK
                 || (is_zlib && zip_error_code_system (error) == Z_MEM_ERROR)
             ? SLUICE_ERROR_RESOURCE_EXHAUSTED
             : otherwise;
}
