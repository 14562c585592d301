"""Pictures and pages of trees: drawing, reports, and the viewer in `web`."""
