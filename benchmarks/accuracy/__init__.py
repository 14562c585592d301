"""Accuracy, probabilities, size and time of single trees: Hornbeam beside what people would pick instead."""
