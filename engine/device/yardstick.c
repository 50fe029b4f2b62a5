/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/device/yardstick.h"

#include "engine/base/error.h"

static SluiceYardstickMake maker; /* set before there is a second thread */

void
sluice_yardstick_set (SluiceYardstickMake make)
{
  maker = make;
}

SluiceGraph *
sluice_yardstick_make (GError **error)
{
  if (maker != NULL)
    return maker (error);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "no kernels are here to measure the machine by");
  return NULL;
}
