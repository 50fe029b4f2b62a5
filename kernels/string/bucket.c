/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Strings to numbers of buckets, by one of three hashes (kernels/string/hash.h). */
#include <glib/gi18n-lib.h>

#include "engine/graph/shape-context.h"
#include "kernels/string/hash.h"
#include "kernels/string/text.h"

typedef struct
{
  guint64 n_buckets;
  guint64 key[2];
} Bucket;

static gpointer
bucket_prepare (const SluiceNode *node, GError **error)
{
  gint64 key[2] = { 0, 0 };
  guint n = sluice_op_find_attr (node->op, "key") ? sluice_node_get_ints (node, "key", key, 2) : 2;
  if (n != 2)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "key must hold 2 numbers, not %u", n);
      return NULL;
    }
  Bucket *self = g_new (Bucket, 1);
  *self = (Bucket){ (guint64) sluice_node_get_int (node, "num_buckets"),
                    { (guint64) key[0], (guint64) key[1] } };
  return self;
}

#define BUCKET(id, hash)                                                                           \
  static gboolean id (gpointer data, gint64 i, GError **error)                                     \
  {                                                                                                \
    const SluiceTextMap *map = data;                                                               \
    const Bucket *self = map->state;                                                               \
    const SluiceString *s = &map->in[i];                                                           \
    ((gint64 *) map->out->data)[i] = (gint64) ((hash) % self->n_buckets);                          \
    return TRUE;                                                                                   \
  }                                                                                                \
  static gboolean id##_compute (SluiceKernelCall *call)                                            \
  {                                                                                                \
    return sluice_call_map_text (call, call->state, 20, id);                                       \
  }
BUCKET (plain, sluice_hash64 (s->data, s->length, 0xDECAFCAFFE)) /* TensorFlow's seed */
BUCKET (fast, sluice_fingerprint64 (s->data, s->length))
BUCKET (strong, sluice_siphash (self->key, s->data, s->length))

#define SAMPLE_STRINGS                                                                             \
  "string[4]={'','a','hello world','abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuv'}"
static const SluiceSample samples[] = { { "num_buckets=97", SAMPLE_STRINGS },
                                        { "num_buckets=1", "string[0]={}" } };
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };
static const SluiceSample strong_samples[] = { { "num_buckets=97; key=[1,2]", SAMPLE_STRINGS } };
static const SluiceRecipe strong_recipe = { .samples = strong_samples,
                                            .n_samples = G_N_ELEMENTS (strong_samples) };

#define BUCKET_OP(id, op_name, input, more, op_recipe, text)                                       \
  SLUICE_OP_DEF (id, op_name, input ": string -> output: int64", "num_buckets: int >= 1" more,     \
                 SLUICE_OP_NOT_DIFFERENTIABLE, sluice_shape_unchanged, op_recipe, text)
BUCKET_OP (plain_op,
           "StringToHashBucket",
           "string_tensor",
           "",
           &recipe,
           N_ ("Number of the bucket that a string falls into"));
BUCKET_OP (fast_op,
           "StringToHashBucketFast",
           "input",
           "",
           &recipe,
           N_ ("Number of the bucket that a string falls into, by FarmHash"));
BUCKET_OP (strong_op,
           "StringToHashBucketStrong",
           "input",
           "; key: list(int)",
           &strong_recipe,
           N_ ("Number of the bucket that a string falls into, by a hash with a key"));

static const SluiceOpDef *const ops[] = { &plain_op, &fast_op, &strong_op };

#define KERNEL(name, function)                                                                     \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS,                           \
    .prepare = bucket_prepare, .free_state = g_free, .compute = function                           \
  }
static const SluiceKernel kernels[] = {
  KERNEL ("StringToHashBucket", plain_compute),
  KERNEL ("StringToHashBucketFast", fast_compute),
  KERNEL ("StringToHashBucketStrong", strong_compute),
};

const SluiceKernelModule sluice_module_string_bucket = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
