"""What scikit-learn expects of an estimator: parameters, clones, tags, the type of the output."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from . import options, output

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keywords import Keywords


def check_keywords(keywords: Mapping[str, object], error: type[Exception]) -> None:
    for keyword in keywords:
        if keyword not in options.KEYWORDS:
            raise error(options.unknown(keyword))


def _equal(value: Any, default: Any) -> bool:
    """Whether a keyword has its default. Any object may be given; an array equals no default."""
    return getattr(value, "ndim", 0) == 0 and bool(value == default)


class Shown(str):
    """A text whose repr is itself."""

    __repr__ = str.__str__


class Protocol:
    """Methods of `GraphSurgeon` that follow scikit-learn's conventions."""

    _given: frozenset[str]  # keywords that were given; the method is chosen by them
    _set_output: str = ""

    if TYPE_CHECKING:

        def __init__(self, **keywords: Unpack[Keywords]) -> None: ...

        def __getattr__(self, keyword: str) -> Any:
            """Every keyword is an attribute."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every keyword and its value. `deep` is ignored; scikit-learn passes it."""
        return {name: getattr(self, name) for name in options.KEYWORDS}

    def set_params(self, **keywords: Unpack[Keywords]) -> Self:
        """Sets keywords by name; ValueError for an unknown one, naming the nearest.

        With another `method`, keywords that have the previous method's default take the new one's.
        The same holds if the method was never given, and these keywords make it another one.
        """
        check_keywords(keywords, ValueError)
        self._given |= frozenset(keywords)
        chosen = self.method if "method" in self._given else options.chosen_method(self._given)
        method = keywords.get("method", chosen)
        before, after = options.defaults(self.method), options.defaults(method)
        differ = [k for k in after if k != "graph" and before[k] != after[k]]
        follow = {k: after[k] for k in differ if _equal(getattr(self, k), before[k])}
        for name, value in {**follow, "method": method, **keywords}.items():
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> Self:
        """A copy that is not fitted, and knows which keywords were given."""
        params = self.get_params()  # a graph is shared, not copied
        copied = {k: v if k == "graph" else deepcopy(v) for k, v in params.items()}
        made = type(self)(**cast("Keywords", copied))
        made._given, made._set_output = self._given, self._set_output
        return made

    def set_output(self, *, transform: str | None = None) -> Self:
        """What `transform` returns: "pandas", "polars", or "default" for the keyword `output`."""
        if transform is not None:
            kind = "" if transform == "default" else transform
            output.check_kind(kind or "auto")
            self._set_output = kind
        return self

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the embeddings' columns: graphsurgeon0, graphsurgeon1, ..."""
        names = [f"graphsurgeon{i}" for i in range(self._array().shape[1])]
        return np.array(names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(two_d_array=False, sparse=True),
        )

    def __repr__(self) -> str:
        """What makes an equal estimator: the method's defaults are left out."""
        params = self.get_params()
        plain = options.defaults(self.method) | {"method": self.method}
        changed = {n for n, v in params.items() if n != "graph" and not _equal(v, plain[n])}
        if self.graph is not None:
            params["graph"] = Shown(f"<{type(self.graph).__name__}>")
            changed.add("graph")
        if self.method != options.chosen_method(changed):
            changed.add("method")
        words = [f"{name}={value!r}" for name, value in params.items() if name in changed]
        return f"GraphSurgeon({', '.join(words)})"

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "run_"):
            raise TypeError(
                "a fitted GraphSurgeon cannot be pickled; use save(folder) and load(folder)"
            )
        return self.__dict__.copy()

    def _check_fitted(self) -> None:
        if self.__sklearn_is_fitted__():
            return
        error: type[Exception] = AttributeError
        try:
            from sklearn.exceptions import NotFittedError

            error = NotFittedError  # a subclass
        except ImportError:
            pass
        raise error("this GraphSurgeon is not fitted yet; call fit(graph) first")

    def _kind(self) -> str:
        output.check_kind(self.output)
        return self._set_output or self.output

    def _as_output(self, z: np.ndarray, ids: np.ndarray, frame: str) -> Any:
        kind = output.kind_for(self._kind(), frame)
        names = [f"graphsurgeon{i}" for i in range(z.shape[1])]
        return output.as_output(z, kind, ids, "id", names)
