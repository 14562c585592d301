"""From whatever the user has to a Table and a Target: columns, codes, weights, costs, folds; `files`."""
