/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"
#include "kernels/io/example.pb-c.h"

/* What the parsers of Example and SequenceExample share. */

/* What a parser is to find under one key. */
typedef struct
{
  SluiceString key; /* borrowed */
  SluiceDType dtype;
  gboolean is_dense;
  /* Of a dense one: */
  SluiceShape shape;    /* of what one example holds; variable: its first dimension is open */
  gboolean is_variable; /* any number of rows, of n elements each; else n elements */
  gint64 n;
  const SluiceTensor *fallback; /* (nullable) borrowed: where the key is missing, or what pads */
  gboolean may_be_missing;      /* a list of features: then it is empty */
} SluiceWant;

/* FALSE with INVALID_ARGUMENT where the shape of a dense want cannot be parsed into; sets n and
 * is_variable. */
gboolean sluice_want_set_shape (SluiceWant *self,
                                const SluiceShape *shape,
                                gboolean may_vary,
                                GError **error);

/* The default of a dense want: none (no elements), a value, or of a variable one what pads. */
gboolean sluice_want_set_fallback (SluiceWant *self, const SluiceTensor *fallback, GError **error);

/* Wants by their keys. */
typedef struct
{
  const SluiceWant *wants;
  guint n;
  GHashTable *by_key; /* SluiceString -> 1 + the last want with it */
  guint *earlier;     /* of each want: 1 + the one before with that key, or 0 */
} SluiceWants;

void sluice_wants_init (SluiceWants *self, const SluiceWant *wants, guint n);
void sluice_wants_clear (SluiceWants *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceWants, sluice_wants_clear)

/* 1 + a want of that key, or 0; more of them by earlier[]. */
guint sluice_wants_lookup (const SluiceWants *self, const ProtobufCBinaryData *key);

typedef Sluice__Example__Feature SluiceFeature;

/**
 * sluice_wants_find:
 * @features: (nullable)
 * @found: one a want; NULL where it is missing
 *
 * Of a key that comes twice the last counts. FALSE with INVALID_ARGUMENT: a dtype or a number of
 * values that does not fit, a dense value that is missing and has no default.
 */
gboolean sluice_wants_find (const SluiceWants *self,
                            const Sluice__Example__Features *features,
                            const SluiceFeature **found,
                            GError **error);

/* One feature against what is wanted under its key; is it of that dtype? */
gboolean
sluice_want_check_dtype (const SluiceWant *self, const SluiceFeature *feature, GError **error);
/* Has it the number of values of a dense one? */
gboolean
sluice_want_check_count (const SluiceWant *self, const SluiceFeature *feature, GError **error);

/* Values of a feature; 0 of NULL. */
gint64 sluice_feature_count (const SluiceFeature *feature);

/* Copies all values to elements, of the feature's dtype, from `at` on. */
void sluice_feature_copy (const SluiceFeature *feature, SluiceTensor *to, gint64 at);

/* The bytes of a message, which are distrusted. NULL: INVALID_ARGUMENT. Free with
 * protobuf_c_message_free_unpacked(). */
void *sluice_example_unpack (const ProtobufCMessageDescriptor *descriptor,
                             const SluiceString *bytes,
                             GError **error);
