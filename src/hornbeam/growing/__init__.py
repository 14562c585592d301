"""Growing a tree: the slots of an estimator, the Plan, the search at one node, the call of the core."""
