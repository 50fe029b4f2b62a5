/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/**
 * sluice_language_init:
 * @program: as it was called
 *
 * The user's locale and its translations: those of the folder that TEXTDOMAINDIR names, of the
 * build folder where @program lies there, else the installed ones.
 */
void sluice_language_init (const char *program);
