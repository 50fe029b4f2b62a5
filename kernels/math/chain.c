/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/chain.h"

#include "kernels/typed.h"

/* The processor guesses compares that repeat from block to block, and misses a jump through a
 * table: with one the whole is half as fast. */
#ifndef __clang__
#pragma GCC optimize("no-jump-tables")
#endif

/* What happens to a value v: the other operand w is one element or as many. */
enum
{
  ADD_ONE,
  ADD_EACH,
  MUL_ONE,
  MUL_EACH,
  SUB_ONE, /* v - w */
  SUB_EACH,
  FROM_ONE, /* w - v */
  FROM_EACH,
};

typedef struct
{
  guint code;
  const void *other;
} Step;

static void
read_links (const SluiceStripLink *links, guint n, Step *steps)
{
  for (guint i = 0; i < n; i++)
    {
      const SluiceStripLink *link = &links[i];
      guint each = !link->is_single;
      switch ((SluiceChainOp) link->strip->chain_op)
        {
        case SLUICE_CHAIN_ADD:
          steps[i].code = ADD_ONE + each;
          break;
        case SLUICE_CHAIN_MUL:
          steps[i].code = MUL_ONE + each;
          break;
        case SLUICE_CHAIN_SUB:
          steps[i].code = (link->position == 0 ? SUB_ONE : FROM_ONE) + each;
          break;
        case SLUICE_CHAIN_NONE:
          g_assert_not_reached ();
        }
      steps[i].other = link->other;
    }
}

#define EACH(X) X (0) X (1) X (2) X (3) X (4) X (5) X (6) X (7)
#define N_EACH  8

/* A vector of 64 bytes, which the compiler makes of what registers there are. */
#define LOAD(k)  v##k = *(const Loose *) (x + i + k * WIDTH);
#define STORE(k) *(Loose *) (out + i + k * WIDTH) = v##k;
#define W(k)     (*(const Loose *) (other + i + k * WIDTH))

#define DO_ADD_ONE(k)   v##k = v##k + w;
#define DO_ADD_EACH(k)  v##k = v##k + W (k);
#define DO_MUL_ONE(k)   v##k = v##k * w;
#define DO_MUL_EACH(k)  v##k = v##k * W (k);
#define DO_SUB_ONE(k)   v##k = v##k - w;
#define DO_SUB_EACH(k)  v##k = v##k - W (k);
#define DO_FROM_ONE(k)  v##k = w - v##k;
#define DO_FROM_EACH(k) v##k = W (k) - v##k;
#define CASE(code)                                                                                 \
  case code:                                                                                       \
    EACH (DO_##code)                                                                               \
    break;

#define T       float
#define NAME(x) x##_f32
#include "kernels/math/chain-loops.h"

#define T       double
#define NAME(x) x##_f64
#include "kernels/math/chain-loops.h"

SluiceStripChain
sluice_chain_get (SluiceDType dtype)
{
  return dtype == SLUICE_FLOAT ? chain_f32 : dtype == SLUICE_DOUBLE ? chain_f64 : NULL;
}
