"""Which trees PMML cannot hold as a whole: kinds of tests, answers and missing rules that are refused.

One idea: the rules of PMML's missing value strategies, asked of every test before anything is written.
"""

from __future__ import annotations

from hornbeam.io.export.pmml_fields import SEVERAL, question_of, text_of
from hornbeam.io.export.tree_program import Program
from hornbeam.tree.answer_rule import PLAIN, answer_rule_of
from hornbeam.tree.arrays import COLUMNS, EQUALS, EXPRESSION, SUBSET
from hornbeam.tree.tree import Tree

_DEEPEST = 500


def check(program: Program) -> None:
    """Raise if the tree needs what PMML has no word for."""
    tree = program.tree
    if tree.task.is_density:
        raise ValueError(
            "a density is 0 outside its box, which PMML's trees cannot say: export it to 'sql', 'python',"
            " 'c', 'javascript' or 'onnx'"
        )
    if program.equations:
        raise ValueError(
            "leaves of this tree answer with equations, which PMML's trees cannot say: export it to 'sql',"
            " 'python', 'c', 'javascript' or 'onnx'"
        )
    if tree.depth > _DEEPEST:
        raise ValueError(
            f"the tree is {tree.depth} tests deep, and nodes nested deeper than {_DEEPEST} are more than XML"
            " readers take: prune it, or export it to 'sql', 'python', 'c', 'javascript' or 'onnx'"
        )
    for node in program.tests:
        if tree.kind[node] == EXPRESSION:
            question_of(tree, node)  # raises for what PMML cannot say
    if tree.policy["unseen"] == "other" and (tree.kind == EQUALS).any():
        raise ValueError(
            "the tree was written by hand without its columns, so that any value is another one, which PMML"
            " cannot say: give Tree.from_nested the columns"
        )
    for column in program.columns:
        if not all(_is_xml(text) for text in [column.name, *map(text_of, column.categories)]):
            raise ValueError(
                f"column {column.name!r} has signs in its name or values that XML cannot hold: rename them"
            )
    if not all(_is_xml(text_of(label)) for label in program.classes):
        raise ValueError("a class has signs in its name that XML cannot hold: rename it")


def is_one_tree(program: Program) -> bool:
    """Whether the gaps of the tree are in the words of PMML's TreeModel; else each leaf is a segment.

    Raises where neither can say them.
    """
    try:
        for node in program.tests:
            _check_values(program.tree, node)
        if follows_all(program):
            _check_sums(program)
    except ValueError as reason:
        if not _fits_segments(program):
            raise reason from None
        return False
    return True


def _fits_segments(program: Program) -> bool:
    """Whether a row's answer is the mean of the leaves it may reach, weighed by their rows."""
    tree = program.tree
    is_mean = program.by_leaf and tree.policy["vote"] != "leaf"
    decides = bool(program.classes) and program.decision != "heaviest"
    empty = tree.uncounted or bool((tree.weight[list(program.leaves)] == 0).any())
    unclear = any(
        (rest_of(tree, node) is not None and _asks_values(tree, node) and tree.kind[node] in SEVERAL)
        or (unlisted(tree, node) and tree.surrogate_offset[node + 1] > tree.surrogate_offset[node])
        for node in program.tests
    )
    return is_mean and not (decides or empty or unclear) and program.leaf_costs is None


def _asks_values(tree: Tree, node: int) -> bool:
    asked = [tree.columns[c] for c in tree.tested_columns(node)]
    return bool(tree.kind[node] == COLUMNS or any(column.kind != "numeric" for column in asked))


def apart_from_gaps(program: Program) -> set[str]:
    """The columns whose values never seen follow several paths where gaps do not."""
    tree = program.tree
    if tree.policy["missing"] != "learn":
        return set()
    learned = [node for node in program.tests if rest_of(tree, node) is not None and _asks_values(tree, node)]
    return {tree.columns[c].name for node in learned for c in tree.tested_columns(node)}


def follows_all(program: Program) -> bool:
    """Whether a gap follows all branches somewhere."""
    return any(rest_of(program.tree, node) is None for node in program.tests)


def rest_of(tree: Tree, node: int) -> int | None:
    """The branch of a gap, None if it follows all."""
    missing = int(tree.missing[node])
    return None if tree.policy["missing"] == "all-paths" or missing < 0 else missing


def _check_values(tree: Tree, node: int) -> None:
    """Categories a test has no branch for go where gaps go, and those never seen do, too."""
    rest, asked = rest_of(tree, node), [tree.columns[c] for c in tree.tested_columns(node)]
    if not _asks_values(tree, node):
        return
    if tree.policy["missing"] == "learn" and rest is not None:
        raise ValueError(
            "values never seen follow several paths where gaps do not, which PMML cannot say: use"
            " missing='majority', 'all-paths' or 'surrogates'"
        )
    if tree.kind[node] in SEVERAL:
        return
    column = asked[0]
    imitated = tree.surrogate_offset[node + 1] > tree.surrogate_offset[node]
    if unlisted(tree, node) and (rest is None or imitated):
        raise ValueError(
            f"a test has no branch for some values of {column.name!r}, which PMML cannot say: use"
            " split='one-vs-rest' or 'multiway'"
        )


def unlisted(tree: Tree, node: int) -> list[int]:
    """The categories that a test of two sets has in neither."""
    if tree.kind[node] != SUBSET:
        return []
    listed = set(tree.value_map(node)[0].tolist())
    return [k for k in range(len(tree.columns[int(tree.column[node])].categories)) if k not in listed]


def _check_sums(program: Program) -> None:
    """Leaves reached together are added up by their rows, and in no other way."""
    tree = program.tree
    if not program.classes:
        raise ValueError(
            "gaps follow several paths to numbers, which PMML cannot add up: use missing='majority'"
        )
    plain = answer_rule_of(tree.meta).plain() == PLAIN.plain()
    if not program.by_leaf or tree.policy["vote"] == "leaf" or not plain or program.leaf_costs is not None:
        raise ValueError(
            "gaps follow several paths, and PMML adds up the rows of leaves only, not shares of branches,"
            " votes, priors, costs or smoothing: use missing='majority'"
        )
    if tree.uncounted or any(tree.weight[node] == 0 for node in program.tests):
        raise ValueError(
            "gaps follow several paths to leaves without rows, which PMML cannot add up: refit the tree"
        )


def _is_xml(text: str) -> bool:
    """Whether a text survives in an attribute: no control signs, no line ends."""
    return all(letter >= " " and letter not in "\x7f\x85\u2028\ufffe\uffff" for letter in text)
