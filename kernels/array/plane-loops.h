/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Moves of planes of elements of a size, a template of move.c. It is given T, a type of that size,
 * and NAME (x). */

/*
 * A transpose goes square by square through a copy, so that each line of either side is touched
 * once: with strides of a power of two, lines push each other out of the cache. Past the caches the
 * source is read along its own lines, which the hardware foresees; where those are short, what
 * comes next is fetched early, and the target gets several of its lines at a time.
 */
static void
NAME (plane_strided) (const Plane *p, char *to_bytes, const char *from_bytes)
{
  T *to = (T *) to_bytes;
  const T *from = (const T *) from_bytes;
  const SluiceMoveDim rows = p->rows, columns = p->columns;
  for (gint64 r = 0; r < rows.size; r++)
    for (gint64 c = 0; c < columns.size; c++)
      to[r * rows.to + c * columns.to] = from[r * rows.from + c * columns.from];
}

static void
NAME (plane_repeat) (const Plane *p, char *to_bytes, const char *from_bytes)
{
  T *to = (T *) to_bytes;
  const T *from = (const T *) from_bytes;
  const SluiceMoveDim rows = p->rows;
  const gint64 n_columns = p->columns.size; /* p may lie where `to` writes, for all gcc knows */
  for (gint64 r = 0; r < rows.size; r++)
    {
      const T value = from[r * rows.from];
      T *row = to + r * rows.to;
      for (gint64 c = 0; c < n_columns; c++)
        row[c] = value;
    }
}

static inline void
NAME (transpose_tile) (const Plane *p, T *to, const T *from, gint64 n_rows, gint64 n_columns)
{
  T tile[LINE_BYTES / sizeof (T)][LINE_BYTES / sizeof (T)];
  for (gint64 c = 0; c < n_columns; c++)
    memcpy (tile[c], from + c * p->columns.from, n_rows * sizeof (T));
  for (gint64 r = 0; r < n_rows; r++)
    for (gint64 c = 0; c < n_columns; c++)
      to[r * p->rows.to + c] = tile[c][r];
}

static void
NAME (transpose_block) (const Plane *p, T *to, const T *from, gint64 n_rows, gint64 n_columns)
{
  const gint64 edge = LINE_BYTES / sizeof (T);
  for (gint64 c = 0; c < n_columns; c += edge)
    for (gint64 r = 0; r < n_rows; r += edge)
      {
        T *tile_to = to + r * p->rows.to + c;
        const T *tile_from = from + r + c * p->columns.from;
        const gboolean whole = n_rows - r >= edge && n_columns - c >= edge;
        if (whole && sizeof (T) == 4)
          transpose_tile_fast (p, (guint32 *) tile_to, (const guint32 *) tile_from);
        else if (whole)
          NAME (transpose_tile) (p, tile_to, tile_from, edge, edge);
        else
          /* clang-format off */
          NAME (transpose_tile) (p, tile_to, tile_from, MIN (edge, n_rows - r),
                                 MIN (edge, n_columns - c));
        /* clang-format on */
      }
}

static void
NAME (plane_transpose) (const Plane *p, char *to_bytes, const char *from_bytes)
{
  for (gint64 r = 0; r < p->rows.size; r += BLOCK)
    for (gint64 c = 0; c < p->columns.size; c += BLOCK)
      /* clang-format off */
      NAME (transpose_block) (p, (T *) to_bytes + r * p->rows.to + c,
                              (const T *) from_bytes + r + c * p->columns.from,
                              MIN (BLOCK, p->rows.size - r), MIN (BLOCK, p->columns.size - c));
  /* clang-format on */
}

/* Tile by tile into @lines, lines of @pitch; what lies @ahead of each is on its way. */
static void
NAME (transpose_ahead) (const Plane *p,
                        T *lines,
                        gint64 pitch,
                        const T *from,
                        gint64 ahead,
                        gint64 n_rows,
                        gint64 n_columns)
{
  const Plane inner = { .rows.to = pitch, .columns.from = p->columns.from };
  const gint64 edge = LINE_BYTES / sizeof (T);
  for (gint64 c = 0; c < n_columns; c += edge)
    for (gint64 r = 0; r < n_rows; r += edge)
      {
        const gint64 width = MIN (edge, n_columns - c);
        const T *tile = from + r + c * p->columns.from;
        for (gint64 k = 0; k < width; k++)
          __builtin_prefetch (tile + ahead + k * p->columns.from);
        NAME (transpose_block) (&inner, lines + r * pitch + c, tile, MIN (edge, n_rows - r), width);
      }
}

static void
NAME (plane_streamed) (const Plane *p, char *to_bytes, const char *from_bytes)
{
  enum
  {
    LINE = LINE_BYTES / sizeof (T),
    SQUARE = 4 * LINE
  };
  _Alignas(LINE_BYTES) T square[SQUARE][SQUARE];
  const gboolean is_short = p->rows.size <= SQUARE;
  const gint64 edge = is_short ? SQUARE : LINE;
  T *to = (T *) to_bytes;
  const T *from = (const T *) from_bytes;
  for (gint64 c = 0; c < p->columns.size; c += edge)
    for (gint64 r = 0; r < p->rows.size; r += edge)
      {
        gint64 n_rows = MIN (edge, p->rows.size - r);
        gint64 n_columns = MIN (edge, p->columns.size - c);
        const gboolean prefetches = is_short && c + 2 * edge <= p->columns.size;
        gint64 ahead = prefetches ? edge * p->columns.from : 0;
        const T *at = from + r + c * p->columns.from;
        NAME (transpose_ahead) (p, square[0], SQUARE, at, ahead, n_rows, n_columns);
        for (gint64 k = 0; k < n_rows; k++)
          sluice_stream_copy (to + (r + k) * p->rows.to + c, square[k], n_columns * sizeof (T));
      }
}

#undef T
#undef NAME
