/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <pthread.h>

#include "engine/base/tensor.h"

/*
 * Regular expressions by RE2, as TensorFlow has them: Perl's without what needs to look back or
 * ahead, so that no search takes longer than the text is long, whatever the pattern.
 */
typedef struct _SluiceRegex SluiceRegex;

/* (transfer full) (nullable): INVALID_ARGUMENT, what is wrong with the pattern and at which byte.
 * Any thread may use it. */
SluiceRegex *sluice_regex_new (const SluiceString *pattern, GError **error);
SluiceRegex *sluice_regex_ref (SluiceRegex *self);
void sluice_regex_unref (SluiceRegex *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRegex, sluice_regex_unref)

/* The expression of the pattern that came last: compiling one takes as long as matching hundreds of
 * short texts. Any thread may ask. */
typedef struct
{
  pthread_mutex_t lock; /* held for a comparison and a count, not to compile */
  SluiceRegex *last;    /* (nullable), under lock */
} SluiceRegexCache;

void sluice_regex_cache_init (SluiceRegexCache *self);
void sluice_regex_cache_clear (SluiceRegexCache *self);
/* As sluice_regex_new(). */
SluiceRegex *
sluice_regex_cache_get (SluiceRegexCache *self, const SluiceString *pattern, GError **error);

/**
 * sluice_regex_replace:
 * @rewrite: \0 … \9 stand for groups, \\ for a backslash
 * @all: every match from left to right, else the first
 *
 * A rewrite that names a group that is not there changes nothing.
 *
 * Returns: FALSE with RESOURCE_EXHAUSTED where there is no memory for it
 */
gboolean sluice_regex_replace (const SluiceRegex *self,
                               const SluiceString *text,
                               const SluiceString *rewrite,
                               gboolean all,
                               SluiceString *to,
                               GError **error);

/* Does all of the text match? */
gboolean sluice_regex_match_all (const SluiceRegex *self,
                                 const SluiceString *text,
                                 gboolean *matches,
                                 GError **error);
