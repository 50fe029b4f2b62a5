/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/draw-charts.h"
#include "app/graph/graph-adapter.h"
#include "app/graph/written-out.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/train/project.h"
#include "ui/canvas/first-sight.h"
#include "ui/canvas/measure.h"
#include "ui/canvas/scene-export.h"

#define MAX_SIZE 100000 /* pixels */

static char *out, *workspace, *run_name, *size;
static char **open_scopes;
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
  { "open", 0, 0, G_OPTION_ARG_STRING_ARRAY, &open_scopes,
    N_ ("A scope to draw open, or several with ',' between; may be given several times"),
    N_ ("SCOPE") },
  { "size", 0, 0, G_OPTION_ARG_STRING, &size,
    N_ ("Of the window that --json tells how the graph fits (1100x760)"), N_ ("WIDTHxHEIGHT") },
  CLI_TAGS_OPTION,
  { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, N_ ("Draw on a dark ground"), NULL },
  G_OPTION_ENTRY_NULL,
};

/* The graph of a project folder, or a graph file. @state: how somebody left the picture; it stays
 * NULL if nobody looked at it yet. */
static SluiceGraph *
load_graph (const char *path, SluiceViewState **state, GError **error)
{
  if (!sluice_project_is_folder (path))
    {
      g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (path, error);
      return graph != NULL ? sluice_graph_write_out_calls (graph) : NULL;
    }
  g_autoptr (SluiceProject) project = sluice_project_load (path, error);
  if (project == NULL)
    return NULL;
  g_autofree char *layout = g_build_filename (project->folder, "model.layout", NULL);
  g_autofree char *text = NULL;
  if (g_file_get_contents (layout, &text, NULL, NULL))
    {
      *state = sluice_view_state_parse (text, NULL, error);
      if (*state == NULL)
        {
          g_prefix_error (error, "'%s': ", layout);
          return NULL;
        }
    }
  return sluice_project_load_graph (project, error);
}

static void
set_open (SluiceViewState *state, const char *text)
{
  g_auto (GStrv) scopes = g_strsplit (text, ",", 0);
  for (guint i = 0; scopes[i] != NULL; i++)
    if (*scopes[i] != '\0')
      sluice_view_state_set_open (state, scopes[i], TRUE);
}

static void
print_figures (SluiceScene *scene, guint n_nodes, gint64 width, gint64 height)
{
  SluiceSceneFigures figures;
  sluice_scene_measure (scene, (double) width, (double) height, &figures);
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "file", out);
  sluice_cli_json_int (b, "boxes", figures.n_boxes);
  sluice_cli_json_int (b, "edges", figures.n_edges);
  sluice_cli_json_int (b, "crossings", (gint64) figures.n_crossings);
  sluice_cli_json_double (b, "width", figures.width);
  sluice_cli_json_double (b, "height", figures.height);
  sluice_cli_json_double (b, "fit", figures.fit);
  sluice_cli_json_double (b, "smallest_text_px", figures.smallest_text);
  sluice_cli_json_int (b, "set_aside", figures.n_aside);
  sluice_cli_json_int (b, "nodes", n_nodes);
  sluice_cli_json_end (b);
}

/* --size, "1100x760". */
static gboolean
parse_size (gint64 *width, gint64 *height)
{
  g_auto (GStrv) parts = g_strsplit (size != NULL ? size : "1100x760", "x", 0);
  return g_strv_length (parts) == 2
         && g_ascii_string_to_signed (parts[0], 10, 1, MAX_SIZE, width, NULL)
         && g_ascii_string_to_signed (parts[1], 10, 1, MAX_SIZE, height, NULL);
}

static int
draw_graph (const char *path, GError **error)
{
  gint64 width, height;
  if (!parse_size (&width, &height))
    return sluice_cli_usage (
        error, _ ("--size '%s': WIDTHxHEIGHT is wanted, as 1100x760, each at most %d"), size,
        MAX_SIZE);
  SluiceExportFormat format;
  if (!sluice_export_format_from_name (out, &format) || format == SLUICE_EXPORT_CSV
      || format == SLUICE_EXPORT_JSON_LINES)
    return sluice_cli_usage (error, _ ("--out '%s': must end in .png, .svg, .pdf or .dot"), out);
  g_autoptr (SluiceViewState) state = NULL;
  g_autoptr (SluiceGraph) graph = load_graph (path, &state, error);
  if (graph == NULL)
    return EXIT_FAILED;
  gboolean is_unseen = state == NULL && open_scopes == NULL;
  if (state == NULL)
    state = sluice_view_state_new ();
  for (guint i = 0; open_scopes != NULL && open_scopes[i] != NULL; i++)
    set_open (state, open_scopes[i]);
  if (size != NULL)
    sluice_view_state_set_size (state, (double) width, (double) height);
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_from_graph (graph, NULL);
  const SluiceTheme *theme = sluice_theme_get (dark ? SLUICE_THEME_DARK : SLUICE_THEME_LIGHT);
  g_autoptr (SluiceHierarchy) hierarchy = sluice_hierarchy_new (model);
  if (is_unseen)
    sluice_open_first_sight (hierarchy, state, SLUICE_FLOW_UP);
  g_autoptr (SluiceScene) scene = sluice_scene_new (hierarchy, state, SLUICE_FLOW_UP, NULL);
  if (!sluice_scene_export (scene, theme, format, out, error))
    return EXIT_FAILED;
  if (sluice_cli_json)
    print_figures (scene, sluice_graph_get_n_nodes (graph), width, height);
  return EXIT_OK;
}

static int
draw (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one PROJECT or GRAPH"));
  if (out == NULL)
    return sluice_cli_usage (error, _ ("say where to: --out FILE"));
  if (charts && (open_scopes != NULL || size != NULL))
    return sluice_cli_usage (error, _ ("--open and --size are of a graph, not of --charts"));
  if (!charts && (workspace != NULL || run_name != NULL))
    return sluice_cli_usage (error, _ ("--workspace and --run say whose --charts to draw"));
  int status;
  if (charts)
    {
      g_autofree char *folder = sluice_cli_dup_workspace (workspace);
      g_autofree char *canonical = g_canonicalize_filename (arguments[0], NULL);
      g_autofree char *project = g_path_get_basename (canonical);
      status = sluice_cli_draw_charts (folder, project, run_name, out, dark, error) ? EXIT_OK
                                                                                    : EXIT_FAILED;
      if (status == EXIT_OK && sluice_cli_json)
        {
          JsonBuilder *b = sluice_cli_json_begin ();
          sluice_cli_json_string (b, "file", out);
          sluice_cli_json_end (b);
        }
    }
  else
    status = draw_graph (arguments[0], error);
  if (status == EXIT_OK && !sluice_cli_json)
    printf (_ ("drawn in %s\n"), out);
  return status;
}

const Verb sluice_verb_draw = {
  .name = "draw",
  .arguments = N_ ("PROJECT|GRAPH|SAVEDMODEL"),
  .summary = N_ ("Draw a graph, or the charts of a run, as a picture"),
  .json = "{\"file\": \"string\", \"boxes\": \"int\", \"edges\": \"int\", \"crossings\": \"int\", "
          "\"width\": \"number\", \"height\": \"number\", \"fit\": \"number\", "
          "\"smallest_text_px\": \"number\", \"set_aside\": \"int\", \"nodes\": \"int\"}\n"
          "{\"file\": \"string\"}",
  .options = options,
  .run = draw,
};
