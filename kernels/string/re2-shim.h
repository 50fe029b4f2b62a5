/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * RE2 in C: no more of it than the ops on patterns need, with the options that TensorFlow leaves at
 * their defaults. Bytes that are no UTF-8 match nothing, and no pattern takes longer than the
 * length of the text times that of the pattern. No exception comes out. Only regex.c includes this.
 */

G_BEGIN_DECLS

typedef struct _SluiceRe2 SluiceRe2;

/* What is wrong with a pattern. */
typedef struct
{
  char *message; /* (transfer full): in RE2's words; NULL: no memory */
  gssize at;     /* the byte where what it could not read begins; -1 where that is not one place */
  gsize length;  /* of what it could not read */
} SluiceRe2Error;

/* (nullable): *error is filled. Any thread may use it. */
SluiceRe2 *sluice_re2_new (const char *pattern, gsize length, SluiceRe2Error *error);
void sluice_re2_free (SluiceRe2 *self);

typedef enum
{
  SLUICE_RE2_NO,
  SLUICE_RE2_YES,
  SLUICE_RE2_NO_MEMORY
} SluiceRe2Result;

/* Does all of the text match? */
SluiceRe2Result sluice_re2_full_match (const SluiceRe2 *self, const char *text, gsize length);

/* RE2's Replace(), or GlobalReplace() where all is TRUE. YES: *out, of *out_length bytes, is what
 * became of the text (transfer full); NO: nothing was replaced. */
SluiceRe2Result sluice_re2_replace (const SluiceRe2 *self,
                                    const char *text,
                                    gsize length,
                                    const char *rewrite,
                                    gsize rewrite_length,
                                    gboolean all,
                                    char **out,
                                    gsize *out_length);

G_END_DECLS
