"""The estimators: single trees, forests, densities, automatic choices, recipes; pruning of fitted models."""
