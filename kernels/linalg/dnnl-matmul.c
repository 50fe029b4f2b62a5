/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/dnnl-matmul.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linalg/dnnl-desc.h"

#define MAX_KEPT 64 /* products of a thread; all go when there are more */

/* The primitive of a product, with memory objects that take other pointers for each call. */
typedef struct
{
  SluiceDnnlProduct product; /* the key */
  dnnl_primitive_t primitive;
  dnnl_memory_t memory[4]; /* a, b, c, scratch */
  gpointer scratch;
} Matmul;

static const int names[] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD };

/* Each thread has its own, so that they need no lock: primitives are small, and oneDNN shares their
 * code. */
static pthread_key_t kept_key;
static pthread_once_t kept_once = PTHREAD_ONCE_INIT;

static void
matmul_free (gpointer data)
{
  Matmul *self = data;
  for (guint i = 0; i < G_N_ELEMENTS (self->memory); i++)
    if (self->memory[i])
      dnnl_memory_destroy (self->memory[i]);
  if (self->primitive)
    dnnl_primitive_destroy (self->primitive);
  free (self->scratch);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Matmul, matmul_free)

static guint
product_hash (gconstpointer key)
{
  const SluiceDnnlProduct *p = key;
  const gint64 parts[] = { p->m, p->n, p->k, p->a_rows, p->b_rows, p->c_rows };
  guint64 hash = p->a_transposed + 2 * p->b_transposed;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    hash = (hash ^ (guint64) parts[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (hash >> 32);
}

static gboolean
product_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (SluiceDnnlProduct)) == 0;
}

static void
free_kept (gpointer kept)
{
  g_hash_table_unref (kept);
}

static void
make_key (void)
{
  pthread_key_create (&kept_key, free_kept);
}

/* A matrix [rows, columns] as it lies in memory. */
static gboolean
matrix_desc (
    SluiceDnnlDesc *desc, gint64 rows, gint64 columns, gint64 row_step, gboolean transposed)
{
  const gint64 dims[] = { rows, columns };
  const gint64 strides[] = { transposed ? 1 : row_step, transposed ? row_step : 1 };
  return sluice_dnnl_desc_init_strided (desc, dims, strides, 2);
}

static dnnl_status_t
describe (dnnl_primitive_desc_t *result, const SluiceDnnlDesc desc[3])
{
  SluiceDnnlDescView a = sluice_dnnl_desc_view (&desc[0]), b = sluice_dnnl_desc_view (&desc[1]);
  SluiceDnnlDescView c = sluice_dnnl_desc_view (&desc[2]);
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_attr_create (&attr);
  dnnl_primitive_attr_set_scratchpad_mode (attr, dnnl_scratchpad_mode_user);
#if DNNL_VERSION_MAJOR >= 3
  dnnl_status_t status =
      dnnl_matmul_primitive_desc_create (result, sluice_dnnl_get_engine (), a, b, NULL, c, attr);
#else
  dnnl_matmul_desc_t matmul;
  dnnl_status_t status = dnnl_matmul_desc_init (&matmul, a, b, NULL, c);
  if (status == dnnl_success)
    status = dnnl_primitive_desc_create (result, &matmul, attr, sluice_dnnl_get_engine (), NULL);
#endif
  dnnl_primitive_attr_destroy (attr);
  return status;
}

static gboolean
make_memory (Matmul *self, const_dnnl_primitive_desc_t desc, const SluiceDnnlDesc matrices[3])
{
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  SluiceDnnlDescView scratch = dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0);
  gsize size = dnnl_memory_desc_get_size (scratch);
  if (size > 0 && posix_memalign (&self->scratch, 64, size) != 0)
    return FALSE;
  for (int i = 0; i < 3; i++)
    if (dnnl_memory_create (&self->memory[i], sluice_dnnl_desc_view (&matrices[i]), engine, NULL)
        != dnnl_success)
      return FALSE;
  return dnnl_memory_create (&self->memory[3], scratch, engine, self->scratch) == dnnl_success;
}

/* Where the CPU has something better than dnnl_sgemm(), primitive is set. NULL: no memory. */
static Matmul *
matmul_new (const SluiceDnnlProduct *p)
{
  g_autoptr (Matmul) self = g_new0 (Matmul, 1);
  SluiceDnnlDesc matrices[3] = { 0 };
  dnnl_primitive_desc_t desc = NULL;
  const char *info = NULL;
  self->product = *p;
  gboolean ok = matrix_desc (&matrices[0], p->m, p->k, p->a_rows, p->a_transposed)
                && matrix_desc (&matrices[1], p->k, p->n, p->b_rows, p->b_transposed)
                && matrix_desc (&matrices[2], p->m, p->n, p->c_rows, FALSE)
                && describe (&desc, matrices) == dnnl_success;
  gboolean better =
      ok && dnnl_primitive_desc_query (desc, dnnl_query_impl_info_str, 0, &info) == dnnl_success
      && g_str_has_prefix (info, "brg");
  if (better)
    ok = make_memory (self, desc, matrices)
         && dnnl_primitive_create (&self->primitive, desc) == dnnl_success;
  if (desc)
    dnnl_primitive_desc_destroy (desc);
  for (int i = 0; i < 3; i++)
    sluice_dnnl_desc_clear (&matrices[i]);
  return ok || !better ? g_steal_pointer (&self) : NULL;
}

/* The calling thread's, made at its first use. (transfer none) (nullable) */
static Matmul *
get_matmul (const SluiceDnnlProduct *product)
{
  pthread_once (&kept_once, make_key);
  GHashTable *kept = pthread_getspecific (kept_key);
  if (kept == NULL)
    {
      kept = g_hash_table_new_full (product_hash, product_equal, NULL, matmul_free);
      pthread_setspecific (kept_key, kept);
    }
  Matmul *self = g_hash_table_lookup (kept, product);
  if (self == NULL && (self = matmul_new (product)) != NULL)
    {
      if (g_hash_table_size (kept) >= MAX_KEPT)
        g_hash_table_remove_all (kept);
      g_hash_table_insert (kept, &self->product, self);
    }
  return self;
}

gboolean
sluice_dnnl_matmul (const SluiceDnnlProduct *product, const float *a, const float *b, float *c)
{
  dnnl_stream_t stream = sluice_dnnl_enter ();
  const Matmul *self = get_matmul (product);
  if (self == NULL || self->primitive == NULL)
    return FALSE;
  void *const data[] = { (void *) a, (void *) b, c };
  dnnl_exec_arg_t args[4];
  for (int i = 0; i < 3; i++)
    if (dnnl_memory_set_data_handle (self->memory[i], data[i]) != dnnl_success)
      return FALSE;
  for (int i = 0; i < 4; i++)
    args[i] = (dnnl_exec_arg_t){ names[i], self->memory[i] };
  return dnnl_primitive_execute (self->primitive, stream, 4, args) == dnnl_success;
}
