"""What rpart grows with priors and losses; `make.R` made the numbers, `tables.py` the tables."""
