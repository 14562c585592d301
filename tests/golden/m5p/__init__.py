"""What Weka's M5P answers on small tables; `make.py` asked it."""
