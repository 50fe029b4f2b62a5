/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/grad/grad.h"

/* Short forms for gradient functions of this family. */

#define MAKE(op, ...) sluice_op (&g->b, op, __VA_ARGS__)

static inline SluiceDType
gradient_dtype (SluiceEdge e)
{
  return e.node ? sluice_dtype_base (sluice_edge_dtype (e)) : SLUICE_FLOAT;
}

/* The conjugate of a complex number; a real one as it is. */
static inline SluiceEdge
gradient_conj (SluiceGradContext *g, SluiceEdge e)
{
  return e.node && sluice_dtype_is_complex (gradient_dtype (e)) ? MAKE ("Conj", e) : e;
}

static inline SluiceEdge
gradient_number (SluiceGradContext *g, SluiceEdge like, double value)
{
  return sluice_builder_const_number (&g->b, gradient_dtype (like), value);
}

/* e times a constant. */
static inline SluiceEdge
gradient_scaled (SluiceGradContext *g, SluiceEdge e, double factor)
{
  return MAKE ("Mul", e, gradient_number (g, e, factor));
}

static inline SluiceEdge
gradient_ones_like (SluiceGradContext *g, SluiceEdge e)
{
  return MAKE ("Fill", MAKE ("Shape", e), gradient_number (g, e, 1));
}

/* No input has a gradient, and a path through the op is no error. */
static inline gboolean
gradient_none (SluiceGradContext *g, GError **error)
{
  return TRUE;
}
