"""Tests that no column states alone: a small closed language, and trees written in it."""
