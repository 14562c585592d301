"""What is measured: topics, each a page of the documentation, with sections, each a benchmark with options.

The one idea: one table says where a section belongs and how it is run, also in small for a quick look.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """A page: its title, a sentence about it, and its sections (name -> module and options)."""

    title: str
    about: str
    sections: dict[str, tuple[str, list[str]]]


PROCESSOR = ["--threads=1", "--clock=processor"]
"""Seconds of one thread by the processor's clock, which a busy machine changes little."""
D10 = ["--settings=d10", *PROCESSOR]
SMALL = ["--rows=1000", "--repeats=30"]

TOPICS: dict[str, Topic] = {
    "growing": Topic(
        "Growing one tree",
        "One tree of a large table: classes, numbers, noise, whole numbers, nominal columns.",
        {
            "grow": ("bench_grow", []),
            "grow-portable": ("bench_grow", ["--portable"]),
            "grow-five-classes": ("bench_grow", ["--classes=5"]),
            "grow-26-classes": ("bench_grow", ["--classes=26", "--rows=100000"]),
            "grow-regression": ("bench_grow", ["--task=regression"]),
            "grow-float64": ("bench_grow", ["--dtype=float64"]),
            "grow-100000": ("bench_grow", ["--rows=100000"]),
            "grow-100-columns": ("bench_grow", ["--cols=100", "--rows=100000"]),
            "grow-weak": ("bench_grow", ["--data-kind=weak"]),
            "grow-noise": ("bench_grow", ["--data-kind=noise"]),
            "grow-noise-regression": (
                "bench_grow",
                ["--data-kind=noise", "--task=regression", "--rows=300000"],
            ),
            "grow-integer": ("bench_grow", ["--data-kind=integer"]),
            "grow-heavy": ("bench_grow", ["--data-kind=heavy"]),
            "grow-nominal": ("bench_grow", ["--data-kind=nominal"]),
        },
    ),
    "scaling": Topic(
        "Time against size",
        "How the time of a fit grows with rows, columns, classes and values of a nominal column.",
        {
            "scaling": ("bench_scaling", PROCESSOR),
            "scaling-columns": (
                "bench_scaling",
                [
                    "--over=columns",
                    "--only=hornbeam,sklearn,ydf,lightgbm,snapml",
                    *D10,
                    "--repeats=1",
                    "--enough=4",
                    "--patience=300",
                ],
            ),
            "scaling-classes": (
                "bench_scaling",
                ["--over=classes", "--only=hornbeam,sklearn,ydf,snapml", *D10],
            ),
            "scaling-levels": ("bench_scaling", ["--over=levels", "--only=hornbeam,ydf,lightgbm", *D10]),
            "row-cost": ("bench_scaling", ["--over=row-cost", "--only=hornbeam", *PROCESSOR]),
            "row-cost-threads": ("bench_scaling", ["--over=row-cost", "--only=hornbeam"]),
        },
    ),
    "small": Topic(
        "Small tables, data frames, nominal columns",
        "Where the fixed costs of a call decide, and tables as people have them.",
        {
            "nominal": ("bench_nominal", []),
            "small": ("bench_grow", SMALL),
            "small-five-classes": ("bench_grow", ["--classes=5", *SMALL]),
            "small-regression": ("bench_grow", ["--task=regression", *SMALL]),
            "frames": ("bench_frames", []),
        },
    ),
    "resources": Topic(
        "Memory, files, start-up, build",
        "What a fit adds to a process, saving and loading, the command line, compiling.",
        {
            "memory": ("bench_memory", ["--both-tasks", "--patience=900"]),
            "files": ("bench_files", []),
            "startup": ("bench_startup", []),
            "build": ("build_time", []),
        },
    ),
    "use": Topic(
        "Predicting, explaining, drawing, editing",
        "What is done with a tree that stands.",
        {
            "predict": ("bench_predict", []),
            "shap": ("bench_shap", []),
            "explain": ("bench_explain", []),
            "draw": ("bench_draw", []),
            "studio": ("bench_studio", []),
            "studio-million": ("bench_studio", ["--rows=1000000", "--cols=30"]),
        },
    ),
    "methods": Topic(
        "Other trees",
        "Forests, the classic programs, criteria of regression, pruning, model trees, densities.",
        {
            "forest": ("bench_forest", []),
            "forest-regression": ("bench_forest", ["--task=regression"]),
            "forest-1000000": ("bench_forest", ["--rows=1000000", "--trees=10"]),
            "random": ("bench_forest", ["--random"]),
            "random-regression": ("bench_forest", ["--random", "--task=regression"]),
            "random-tree": ("bench_forest", ["--random", "--trees=1"]),
            "random-tree-regression": ("bench_forest", ["--random", "--trees=1", "--task=regression"]),
            "classic": ("bench_classic", []),
            "choices": ("bench_choices", []),
            "regression": ("bench_regression", []),
            "prune": ("bench_prune", []),
            "path": ("bench_path", []),
            "models": ("bench_models", []),
            "density": ("bench_density", []),
            "sparse": ("bench_sparse", []),
        },
    ),
}
SECTIONS = {name: how for topic in TOPICS.values() for name, how in topic.sections.items()}

NEEDS = {
    "bench_classic": ("weka", "rscript"),
    "bench_models": ("linear_tree",),
    "bench_frames": ("data",),
    "bench_explain": ("data",),
}
"""Options that go to one benchmark only."""

QUICK = {
    "bench_grow": ["--rows=20000", "--repeats=2", "--settings=d10"],
    "bench_nominal": ["--sizes=2000", "--repeats=1"],
    "bench_classic": ["--sizes=1000,5000", "--repeats=1"],
    "bench_choices": ["--rows=20000", "--repeats=2"],
    "bench_regression": ["--rows=5000", "--repeats=2"],
    "bench_forest": ["--rows=20000", "--trees=10", "--repeats=2"],
    "bench_prune": ["--rows=30000", "--repeats=2"],
    "bench_frames": ["--repeats=3"],
    "bench_scaling": ["--sizes=2,10,50", "--scale-rows=2000", "--repeats=1", "--settings=d10"],
    "bench_memory": ["--rows=20000"],
    "bench_predict": ["--rows=20000", "--repeats=2"],
    "bench_explain": ["--rows=2000"],
    "bench_shap": ["--rows=2000", "--repeats=2"],
    "bench_density": ["--rows=20000", "--repeats=1"],
    "bench_sparse": ["--rows=5000", "--cols=2000", "--repeats=1"],
    "bench_path": ["--rows=4000", "--large=20000", "--repeats=2"],
    "bench_models": ["--rows=2000", "--repeats=2", "--settings=d6", "--patience=60"],
    "bench_startup": ["--repeats=3"],
    "build_time": ["--steps=.venv/tools"],
    "bench_draw": ["--leaves=50", "--repeats=1"],
    "bench_studio": ["--rows=2000", "--cols=10", "--repeats=1", "--pause=0.1"],
    "bench_files": ["--leaves=1000,20000", "--forest=100", "--repeats=1"],
}
"""Small enough for a look in a few minutes; the ratios are not those of the full run."""
