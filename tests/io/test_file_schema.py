"""The published schemas describe every kind of file that `save` writes."""

import json
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from tests.io.test_files import MODELS
from tests.io.test_files_forests import DENSITIES, FORESTS
from tests.support.file_breaker import templates
from tests.support.file_schema import PLACES, documents

import hornbeam as hb

ROOT = Path(__file__).parents[2]


@cache
def validator(name):
    return jsonschema.Draft202012Validator(json.loads(documents()[name]))


def checked(text):
    plain = json.loads(text)
    name = "forest.schema.json" if plain["format"] == "hornbeam-forest" else "tree.schema.json"
    validator(name).validate(plain)
    return plain


@pytest.mark.parametrize("name", documents())
def test_the_schema_published_is_the_one_the_arrays_make(name):
    """If it is not: `python -m tests.support.file_schema`."""
    for place in PLACES:
        assert (ROOT / place / name).read_text(encoding="utf-8") == documents()[name]
    jsonschema.Draft202012Validator.check_schema(json.loads(documents()[name]))


def test_every_kind_of_model_fits_its_schema(tmp_path):
    models = [*MODELS, *(make() for make in (*FORESTS.values(), *DENSITIES.values())), MODELS[0].tree_]
    for model in models:
        checked(hb.save(model, tmp_path / "model.json").read_text(encoding="utf-8"))
    for text in templates():
        checked(text)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "old_files").glob("*.*.json")), ids=lambda p: p.name
)
def test_files_of_earlier_versions_fit_the_schema(path):
    if ".rows." not in path.name:
        checked(path.read_text(encoding="utf-8"))


def test_what_the_schema_refuses_is_not_loaded():
    plain = checked(templates()[0])
    for place in ("task", "classes", "columns", "policy", "meta", "expressions", "nodes", "pools"):
        broken = plain | {place: "?"}
        with pytest.raises(jsonschema.ValidationError):
            checked(json.dumps(broken))
        with pytest.raises(ValueError, match=place):
            hb.Tree.from_dict(
                {name: broken[name] for name in broken if name not in ("estimator", "checksum")}
            )
