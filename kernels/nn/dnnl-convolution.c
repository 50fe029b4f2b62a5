/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/nn/dnnl-convolution.h"

static gboolean
is_loop (const_dnnl_primitive_desc_t desc)
{
  const char *name = NULL;
  return dnnl_primitive_desc_query (desc, dnnl_query_impl_info_str, 0, &name) == dnnl_success
         && g_str_has_prefix (name, "jit:");
}

#if DNNL_VERSION_MAJOR >= 3

static dnnl_status_t
describe (SluiceConvKind kind,
          const SluiceDnnlConv *c,
          const_dnnl_primitive_attr_t attr,
          const_dnnl_primitive_desc_t forward,
          dnnl_primitive_desc_t *result)
{
  dnnl_engine_t engine = sluice_dnnl_get_engine ();
  if (kind == SLUICE_CONV_FORWARD)
    return dnnl_convolution_forward_primitive_desc_create (
        result, engine, dnnl_forward_training, dnnl_convolution_direct, c->x, c->filter, NULL, c->y,
        c->strides, c->dilations, c->before, c->after, attr);
  if (kind == SLUICE_CONV_BACKPROP_INPUT)
    return dnnl_convolution_backward_data_primitive_desc_create (
        result, engine, dnnl_convolution_direct, c->x, c->filter, c->y, c->strides, c->dilations,
        c->before, c->after, forward, attr);
  return dnnl_convolution_backward_weights_primitive_desc_create (
      result, engine, dnnl_convolution_direct, c->x, c->filter, NULL, c->y, c->strides,
      c->dilations, c->before, c->after, forward, attr);
}

/* Goes on to the first loop that oneDNN has for it. FALSE: there is none. */
static gboolean
find_loop (const SluiceDnnlConv *c, const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t *result)
{
  if (describe (SLUICE_CONV_FORWARD, c, attr, NULL, result) != dnnl_success)
    return FALSE;
  while (!is_loop (*result))
    if (dnnl_primitive_desc_next_impl (*result) != dnnl_success)
      {
        dnnl_primitive_desc_destroy (*result);
        return FALSE;
      }
  return TRUE;
}

#else

static dnnl_status_t
describe_forward (const SluiceDnnlConv *c, dnnl_convolution_desc_t *desc)
{
  return dnnl_dilated_convolution_forward_desc_init (
      desc, dnnl_forward_training, dnnl_convolution_direct, c->x, c->filter, NULL, c->y, c->strides,
      c->dilations, c->before, c->after);
}

static dnnl_status_t
describe (SluiceConvKind kind,
          const SluiceDnnlConv *c,
          const_dnnl_primitive_attr_t attr,
          const_dnnl_primitive_desc_t forward,
          dnnl_primitive_desc_t *result)
{
  dnnl_convolution_desc_t desc;
  dnnl_status_t status;
  if (kind == SLUICE_CONV_FORWARD)
    status = describe_forward (c, &desc);
  else if (kind == SLUICE_CONV_BACKPROP_INPUT)
    status = dnnl_dilated_convolution_backward_data_desc_init (&desc, dnnl_convolution_direct, c->x,
                                                               c->filter, c->y, c->strides,
                                                               c->dilations, c->before, c->after);
  else
    status = dnnl_dilated_convolution_backward_weights_desc_init (
        &desc, dnnl_convolution_direct, c->x, c->filter, NULL, c->y, c->strides, c->dilations,
        c->before, c->after);
  if (status != dnnl_success)
    return status;
  return dnnl_primitive_desc_create (result, &desc, attr, sluice_dnnl_get_engine (), forward);
}

/* The first loop that oneDNN has for it. FALSE: there is none. */
static gboolean
find_loop (const SluiceDnnlConv *c, const_dnnl_primitive_attr_t attr, dnnl_primitive_desc_t *result)
{
  dnnl_convolution_desc_t desc;
  dnnl_primitive_desc_iterator_t all;
  gboolean found = FALSE;
  if (describe_forward (c, &desc) != dnnl_success
      || dnnl_primitive_desc_iterator_create (&all, &desc, attr, sluice_dnnl_get_engine (), NULL)
             != dnnl_success)
    return FALSE;
  do
    {
      dnnl_primitive_desc_t one = dnnl_primitive_desc_iterator_fetch (all);
      found = one && is_loop (one);
      if (found)
        *result = one;
      else if (one)
        dnnl_primitive_desc_destroy (one);
    }
  while (!found && dnnl_primitive_desc_iterator_next (all) == dnnl_success);
  dnnl_primitive_desc_iterator_destroy (all);
  return found;
}

#endif

gboolean
sluice_dnnl_conv_describe (SluiceConvKind kind,
                           const SluiceDnnlConv *conv,
                           const_dnnl_primitive_attr_t attr,
                           dnnl_primitive_desc_t *result)
{
  dnnl_primitive_desc_t forward = NULL;
  if (kind == SLUICE_CONV_FORWARD && conv->prefers_loop && find_loop (conv, attr, result))
    return TRUE;
  if (describe (SLUICE_CONV_FORWARD, conv, attr, NULL, &forward) != dnnl_success)
    return FALSE;
  if (kind == SLUICE_CONV_FORWARD)
    {
      *result = forward;
      return TRUE;
    }
  dnnl_status_t status = describe (kind, conv, attr, forward, result);
  dnnl_primitive_desc_destroy (forward);
  return status == dnnl_success;
}
