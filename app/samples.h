/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* The one to begin with. */
#define SLUICE_FIRST_SAMPLE "digits-mlp"

/* Where the samples are that come with the program: (nullable) (transfer none). */
const char *sluice_samples_get_folder (void);
