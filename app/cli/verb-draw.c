/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/draw-charts.h"
#include "app/graph/graph-adapter.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/train/project.h"
#include "ui/canvas/export.h"

static char *out, *workspace, *run_name, *open_scopes;
static gboolean charts, dark;

static const GOptionEntry options[] = {
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &out,
    N_ ("The picture: .png, .svg, .pdf, or .dot of a graph"), N_ ("FILE") },
  { "charts", 0, 0, G_OPTION_ARG_NONE, &charts,
    N_ ("Draw the charts of a run instead of the graph"), NULL },
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Where the run is (your data folder's sluice)"), N_ ("DIR") },
  { "run", 0, 0, G_OPTION_ARG_STRING, &run_name, N_ ("Which run (the newest of the project)"),
    N_ ("NAME") },
  { "open", 0, 0, G_OPTION_ARG_STRING, &open_scopes, N_ ("Scopes to draw open, with ',' between"),
    N_ ("SCOPES") },
  CLI_TAGS_OPTION,
  { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, N_ ("Draw on a dark ground"), NULL },
  G_OPTION_ENTRY_NULL,
};

/* The graph of a project folder, or a graph file. */
static SluiceGraph *
load_graph (const char *path, SluiceViewState **state, GError **error)
{
  if (!sluice_project_is_folder (path))
    return cli_load_graph (path, error);
  g_autoptr (SluiceProject) project = sluice_project_load (path, error);
  if (project == NULL)
    return NULL;
  g_autofree char *layout = g_build_filename (project->folder, "model.layout", NULL);
  g_autofree char *text = NULL;
  if (g_file_get_contents (layout, &text, NULL, NULL))
    {
      SluiceViewState *parsed = sluice_view_state_parse (text, NULL, error);
      if (parsed == NULL)
        {
          g_prefix_error (error, "'%s': ", layout);
          return NULL;
        }
      sluice_view_state_free (*state);
      *state = parsed;
    }
  return sluice_project_load_graph (project, error);
}

static int
draw_graph (const char *path, GError **error)
{
  SluiceExportFormat format;
  if (!sluice_export_format_from_name (out, &format))
    return cli_usage (error, "--out '%s': must end in .png, .svg, .pdf or .dot", out);
  g_autoptr (SluiceViewState) state = sluice_view_state_new ();
  g_autoptr (SluiceGraph) graph = load_graph (path, &state, error);
  if (graph == NULL)
    return EXIT_FAILED;
  g_auto (GStrv) scopes = g_strsplit (open_scopes != NULL ? open_scopes : "", ",", 0);
  for (guint i = 0; scopes[i] != NULL; i++)
    if (*scopes[i] != '\0')
      sluice_view_state_set_open (state, scopes[i], TRUE);
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_from_graph (graph, NULL);
  const SluiceCanvasTheme *theme =
      sluice_canvas_theme_get (dark ? SLUICE_CANVAS_DARK : SLUICE_CANVAS_LIGHT);
  if (!sluice_graph_model_export (model, state, theme, format, out, error))
    return EXIT_FAILED;
  return EXIT_OK;
}

static int
draw (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return cli_usage (error, "give one PROJECT or GRAPH");
  if (out == NULL)
    return cli_usage (error, "say where to: --out FILE");
  int status;
  if (charts)
    {
      g_autofree char *folder = cli_dup_workspace (workspace);
      g_autofree char *canonical = g_canonicalize_filename (arguments[0], NULL);
      g_autofree char *project = g_path_get_basename (canonical);
      status = draw_charts (folder, project, run_name, out, dark, error) ? EXIT_OK : EXIT_FAILED;
    }
  else
    status = draw_graph (arguments[0], error);
  if (status == EXIT_OK && !cli_json)
    printf (_ ("drawn in %s\n"), out);
  return status;
}

const Verb verb_draw = {
  .name = "draw",
  .arguments = "PROJECT|GRAPH|SAVEDMODEL",
  .summary = N_ ("Draw a graph, or the charts of a run, as a picture"),
  .options = options,
  .run = draw,
};
