/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/page.h"

/* The page of everything that the shown runs have logged: a card a tag, all runs in it. */
#define SLUICE_TYPE_CHARTS_PAGE (sluice_charts_page_get_type ())
G_DECLARE_FINAL_TYPE (SluiceChartsPage, sluice_charts_page, SLUICE, CHARTS_PAGE, GtkWidget)
