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

/**
 * sluice_language_dup_folder:
 * @program: as it was called
 * @variable: of the environment
 * @built: below the build folder
 *
 * Where what goes with the program lies: the folder that @variable names, @built where the program
 * lies in a build folder, else @installed.
 *
 * Returns: (transfer full)
 */
char *sluice_language_dup_folder (const char *program,
                                  const char *variable,
                                  const char *built,
                                  const char *installed);
