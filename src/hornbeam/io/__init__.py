"""Files: models and trees saved as `*.tree.json` and read back, exactly and without running anything."""
