"""Reading a tree: as indented text (`show`), rules (`rules`, `ruleset`), formulas (`dnf`), regions (`boxes`),
along the path of one row (`explain`), and question by question (`key`).

Everything here takes an estimator or a Tree and looks at the Tree only.
"""
