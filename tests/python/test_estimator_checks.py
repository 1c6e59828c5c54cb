"""scikit-learn's own checks of estimators: those that make sense pass, the others have a reason."""

import warnings

from sklearn.utils.estimator_checks import check_estimator

from graphsurgeon import GraphSurgeon

GRAPH = "the check fits a table of samples; X is a graph"
REASONS = {
    "check_parameters_default_constructible": "the method follows from the keywords that are given",
    "check_estimator_sparse_array": "a sparse X is an adjacency matrix, which is square",
    "check_estimator_sparse_matrix": "a sparse X is an adjacency matrix, which is square",
    "check_estimator_sparse_tag": "a sparse X is an adjacency matrix, which is square",
} | dict.fromkeys(
    [
        "check_complex_data",
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimators_dtypes",
        "check_estimators_empty_data_messages",
        "check_estimators_fit_returns_self",
        "check_estimators_nan_inf",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit2d_predict1d",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_fit_score_takes_y",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_pipeline_consistency",
        "check_positive_only_tag_during_fit",
        "check_readonly_memmap_input",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
    ],
    GRAPH,
)


class Tabular(GraphSurgeon):
    """Claims to take tables of samples, so that scikit-learn runs all checks."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


def test_every_check_passes_or_has_a_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(
            Tabular(progress=False),
            expected_failed_checks=REASONS,
            on_skip=None,
        )
    by_status = {status: set() for status in ("passed", "xfail", "skipped")}
    for row in found:
        by_status[row["status"]].add(row["check_name"])
    assert by_status["xfail"] == set(REASONS)
    assert by_status["skipped"] <= {"check_array_api_input"}  # needs SCIPY_ARRAY_API
    assert {"check_get_params_invariance", "check_set_params"} <= by_status["passed"]
    assert len(by_status["passed"]) >= 12
