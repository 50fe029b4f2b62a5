/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
int
main (int argc, char **argv)
{
  return 0;
}
