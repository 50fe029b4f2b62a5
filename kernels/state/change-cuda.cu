/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What an assignment does to elements, on a CUDA device, in a kernel call under way. */
#include "kernels/math/elementwise-cuda.h"

extern "C" {
#include "kernels/state/change.h"
}

template <typename M, typename F>
static void
launch_change (void *to_, const void *from_, gint64 n)
{
  M *to = (M *) sluice_cuda_map (to_, n * sizeof (M), SLUICE_CUDA_READ | SLUICE_CUDA_WRITE);
  const M *from = (const M *) sluice_cuda_map (from_, n * sizeof (M), SLUICE_CUDA_READ);
  if (to != NULL && from != NULL)
    sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
      sluice_put (&to[i], F () (sluice_wide (to[i]), sluice_wide (from[i])));
    });
}

#define FUNCTOR(fn, s, T)                                                                          \
  struct Change_##fn##_##s                                                                         \
  {                                                                                                \
    SLUICE_MEMBER T operator() (T x, T y) const { return scalar_##fn##_##s (x, y); }               \
  };
EACH_RI (FUNCTOR, add)
EACH_RI (FUNCTOR, sub)

typedef struct
{
  SluiceDType dtype;
  SluiceChange change;
  SluiceChangeFunc func;
} Entry;
#define ENTRY(dtype, change, M, functor) { dtype, change, launch_change<M, Change_##functor> },
#define ADD_ENTRY(dtype, M, functor)     ENTRY (dtype, SLUICE_CHANGE_ADD, M, functor)
#define SUB_ENTRY(dtype, M, functor)     ENTRY (dtype, SLUICE_CHANGE_SUB, M, functor)
static const Entry entries[] = { ENTRIES_RI (ADD_ENTRY, add) ENTRIES_RI (SUB_ENTRY, sub) };

/* (nullable), as sluice_change_func() */
extern "C" SluiceChangeFunc
sluice_cuda_change_func (SluiceDType dtype, SluiceChange change)
{
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    if (entries[i].dtype == dtype && entries[i].change == change)
      return entries[i].func;
  return NULL;
}
