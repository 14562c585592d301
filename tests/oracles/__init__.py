"""The oracle: a slow, obvious twin of the tree grower, from the definitions; no code of the product.

    table = tables.random_table(np.random.default_rng(7))   # columns, target, weights, plan
    root = twin.grow(table)                                  # nested Nodes, every candidate enumerated
    compare.same_tree(root, tree)                            # None, or the first difference in words

Kept in the order data meets them: tables, problem, impurity, candidates, choose, twin, compare, text.
"""
