"""Pictures of trees without other programs."""
