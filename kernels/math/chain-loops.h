/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Chains of additions, subtractions and products, a template of chain.c. It is given T and NAME
 * (x). */
static T
NAME (chain_one) (const Step *steps, guint n_steps, gint64 i, T v)
{
  for (guint s = 0; s < n_steps; s++)
    {
      const T *other = steps[s].other;
      T w = steps[s].code & 1 ? other[i] : other[0];
      guint code = steps[s].code & ~1u;
      v = code == ADD_ONE ? v + w : code == MUL_ONE ? v * w : code == SUB_ONE ? v - w : w - v;
    }
  return v;
}

SLUICE_HOT static void
NAME (chain_blocks) (const Step *steps, guint n_steps, gint64 n, const T *x, T *out)
{
  typedef T Vector __attribute__ ((vector_size (64)));
  typedef T Loose __attribute__ ((vector_size (64), aligned (sizeof (T)), may_alias));
  enum
  {
    WIDTH = 64 / sizeof (T)
  };
  gint64 i = 0;
  for (; i + N_EACH * WIDTH <= n; i += N_EACH * WIDTH)
    {
      Vector v0, v1, v2, v3, v4, v5, v6, v7;
      EACH (LOAD)
      for (const Step *step = steps; step < steps + n_steps; step++)
        {
          const T *other = step->other;
          Vector w = (Vector){ 0 } + *other;
          switch (step->code)
            {
              CASE (ADD_ONE)
              CASE (MUL_ONE)
              CASE (ADD_EACH)
              CASE (MUL_EACH)
              CASE (SUB_ONE)
              CASE (SUB_EACH)
              CASE (FROM_ONE)
              CASE (FROM_EACH)
            default:
              __builtin_unreachable ();
            }
        }
      EACH (STORE)
    }
  for (; i < n; i++)
    out[i] = NAME (chain_one) (steps, n_steps, i, x[i]);
}

static void
NAME (chain) (const SluiceStripLink *links, guint n_links, gint64 n, const void *value, void *out)
{
  Step steps[SLUICE_STRIP_LINKS];
  read_links (links, n_links, steps);
  NAME (chain_blocks) (steps, n_links, n, value, out);
}

#undef T
#undef NAME
