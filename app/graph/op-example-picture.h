/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/op-example.h"

/* The example's graph as the canvas draws it. */
GtkWidget *sluice_op_example_picture_new (const SluiceOpExample *example);
