/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* sluice_init(), and from now on no plugin is loaded: there will be a graph. */
void sluice_api_begin_graphs (void);
