"""The search for the test of one node, for growth that goes node by node."""
