"""Guided lectures: the worked tables of the lectures, walked through step by step.

One idea: a lecture is data, one TOML file: texts, operations of the studio, questions. No number is written
there: each is named, and computed where the text is shown.
"""

from hornbeam.teaching.lectures.lecture import Lecture, LectureStep, lecture, lectures, node_by_answers

__all__ = ["Lecture", "LectureStep", "lecture", "lectures", "node_by_answers"]
