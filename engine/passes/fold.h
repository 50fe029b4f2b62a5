/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* Installs the constant folder for shape inference. Once, after sluice_registry_init(); a session
 * does it too. */
void sluice_passes_init (void);
