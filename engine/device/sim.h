/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/device.h"

/*
 * SIM:n, a simulated device: memory that the host cannot touch, a queue that runs by itself, links
 * that take their time, and the CPU's kernels. It proves the rules of devices where there is no
 * hardware, and shows what another device or link would do.
 *
 * Its pages can be read and written only while one of its own kernels or copies runs: who touches
 * them from elsewhere ends the program, at the place where it went wrong.
 */

#define SLUICE_MAX_SIMS 16

typedef struct
{
  gsize memory_bytes;    /* 0: what the machine has */
  gint64 latency_us;     /* of each link */
  double bytes_a_second; /* of each link; 0: as fast as the machine copies */
  double speed;          /* of kernels, against the CPU's: at most 1, which is as fast */
} SluiceSimOptions;

/* As it is without any. */
extern const SluiceSimOptions sluice_sim_default;

/**
 * sluice_sim_options_parse:
 * @text: (nullable): "memory=256M, latency=500us, bandwidth=10G, speed=0.5", any of them
 *
 * Returns: %FALSE with INVALID_ARGUMENT, which says what there is; @options has been set to the
 * default and what was read
 */
gboolean sluice_sim_options_parse (SluiceSimOptions *options, const char *text, GError **error);

/**
 * sluice_sim_check_options:
 * @device: (nullable): where they are to hold; %NULL: wherever
 * @text: (nullable): as above
 *
 * What devices of a module take, that says when they are opened.
 */
gboolean sluice_sim_check_options (const char *device, const char *text, GError **error);

extern const SluiceDeviceKind sluice_sim_kind;
