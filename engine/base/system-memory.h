/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Memory of the system, in blocks that are 64-byte aligned. */

#if defined(__SANITIZE_ADDRESS__)
#define SLUICE_SANITIZES_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLUICE_SANITIZES_ADDRESS 1
#endif
#endif

/* What a block of so many bytes takes: large ones are of pages. */
gsize sluice_system_memory_round (gsize bytes);
/* bytes: rounded. In huge pages where it is large: walking page tables is what limits random access
 * to it, and faults its first touch. (nullable) */
void *sluice_system_memory_map (gsize bytes);
void sluice_system_memory_unmap (void *memory, gsize bytes);
/* Of memory that nothing was written to yet, whoever it came from: in huge pages where it can be.
 */
void sluice_system_memory_prefer_huge (void *memory, gsize bytes);
