/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/common/frame-share.h"

enum
{
  N_PICTURES = 12,
  N_FRAMES = 60,
  LONGEST_US = 10000,
};

typedef struct
{
  gint64 waits_since;
  gboolean gone;
  guint n_drawn;
} Picture;

/* Returns how long the frame drew. */
static gint64
draw_frame (SluiceFrameShare *share, gint64 frame, Picture *pictures, gint64 each_us)
{
  gint64 spent = 0;

  for (guint i = 0; i < N_PICTURES; i++)
    if (!pictures[i].gone && sluice_frame_share_take (share, frame, &pictures[i].waits_since))
      {
        pictures[i].n_drawn++;
        spent += each_us;
        sluice_frame_share_spend (share, each_us);
      }
  return spent;
}

/* All of them have news in each frame. */
static void
test_in_turn (void)
{
  SluiceFrameShare share = { 0 };
  Picture pictures[N_PICTURES] = { 0 };

  for (gint64 frame = 1; frame <= N_FRAMES; frame++)
    g_assert_cmpint (draw_frame (&share, frame, pictures, 3000), <, LONGEST_US);
  for (guint i = 0; i < N_PICTURES; i++)
    {
      /* Two a frame. */
      g_assert_cmpuint (pictures[i].n_drawn, >=, 2 * N_FRAMES / N_PICTURES - 1);
      g_assert_cmpuint (pictures[i].n_drawn, <=, 2 * N_FRAMES / N_PICTURES + 1);
    }
}

/* What takes little is drawn in each frame, and what takes longer than a frame may, one a frame. */
static void
test_little_and_much (void)
{
  SluiceFrameShare share = { 0 };
  Picture pictures[N_PICTURES] = { 0 };

  for (gint64 frame = 1; frame <= N_FRAMES; frame++)
    g_assert_cmpint (draw_frame (&share, frame, pictures, 100), ==, N_PICTURES * 100);
  for (gint64 frame = N_FRAMES + 1; frame <= 2 * N_FRAMES; frame++)
    g_assert_cmpint (draw_frame (&share, frame, pictures, 20000), ==, 20000);
}

/* One that was put off and is scrolled away keeps nobody waiting. */
static void
test_gone (void)
{
  SluiceFrameShare share = { 0 };
  Picture pictures[N_PICTURES] = { 0 };

  draw_frame (&share, 1, pictures, 6000);
  for (guint i = 0; i < N_PICTURES; i++)
    {
      g_assert_cmpint (pictures[i].waits_since, ==, i > 0);
      pictures[i].gone = i > 0;
    }
  draw_frame (&share, 2, pictures, 6000);
  draw_frame (&share, 3, pictures, 6000);
  g_assert_cmpuint (pictures[0].n_drawn, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/common/frame-share/in-turn", test_in_turn);
  g_test_add_func ("/ui/common/frame-share/little-and-much", test_little_and_much);
  g_test_add_func ("/ui/common/frame-share/gone", test_gone);
  return g_test_run ();
}
