"""Reports: a model and a table as facts, text, or one page to open in a browser; trees in notebooks."""

from hornbeam.display.report.model_report import Report, report

__all__ = ["Report", "report"]
