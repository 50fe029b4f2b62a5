/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/import-private.h"

/* The run of W&B that a folder is. (transfer full) (nullable): it is none */
ImportSource *sluice_import_find_wandb (const char *folder);
