"""The lectures: tables, numbers, demonstrations, theory, measures, Boolean functions, smallest trees."""
