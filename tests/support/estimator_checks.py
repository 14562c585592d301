"""scikit-learn's own checks: all of them for representative estimators, for others those that can differ.

    @sklearn_checks(in_full=[TreeClassifier()], in_part=[TreeClassifier(missing="branch")])
    def test_scikit_learn_checks_pass(estimator, check):
        check(estimator)

All estimators share one class for parameters and one place where tables, targets and weights are read: the
checks of those two cannot fail for one choice of a slot alone. With SLOW=1 they run for every estimator.
`-k "not in-part"` leaves the second group out, as on the oldest supported versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

OF_PARAMETERS = {
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_estimators_unfitted",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_non_transformer_estimators_n_iter",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
}
OF_READING = {
    "check_all_zero_sample_weights_error",
    "check_array_api_input",
    "check_classifier_data_not_an_array",
    "check_classifiers_regression_target",
    "check_complex_data",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_empty_data_messages",
    "check_estimators_fit_returns_self",
    "check_estimators_partial_fit_n_features",
    "check_f_contiguous_array_estimator",
    "check_fit1d",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",  # check_classifiers_train and check_regressors_train read such data, too
    "check_regressor_data_not_an_array",
    "check_regressors_no_decision_function",
    "check_requires_y_none",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_supervised_y_2d",
    "check_supervised_y_no_nan",
}


def sklearn_checks(in_full: Iterable[Any], in_part: Iterable[Any] = ()) -> pytest.MarkDecorator:
    """A decorator for a test of (estimator, check)."""
    cases = [*_cases(in_full, set()), *_cases(in_part, OF_PARAMETERS | OF_READING, "in-part-")]
    return pytest.mark.parametrize(("estimator", "check"), cases)


def _cases(estimators: Iterable[Any], slow: set[str], group: str = "") -> Iterator[Any]:
    """Every check of every estimator; the names of estimators are made once, since that takes long."""
    for each in estimators:
        listed = parametrize_with_checks([each])
        name = listed.kwargs["ids"]
        prefix = name(each)
        for case in listed.args[1]:
            estimator, check = getattr(case, "values", case)
            marks = [
                *getattr(case, "marks", ()),
                *([pytest.mark.slow] if check.func.__name__ in slow else []),
            ]
            yield pytest.param(estimator, check, marks=marks, id=f"{group}{prefix}-{name(check)}")
