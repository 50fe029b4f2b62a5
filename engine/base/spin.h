/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* Tells the processor that a loop only waits: it saves power, and leaves the core's other thread
 * more of it. */
static inline void
sluice_cpu_pause (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}
