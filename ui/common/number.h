/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sluice_group_digits:
 * @number: as the C locale writes it
 *
 * Returns: (transfer full): "-1234567.5" as "−1 234 567.5": with thin spaces, a true minus sign and
 *   the locale's decimal sign; exponents as "1.2e−6"
 */
char *sluice_group_digits (const char *number);

/** sluice_format_step: (transfer full): an integer with thin spaces between thousands. */
char *sluice_format_step (gint64 step);

G_END_DECLS
