"""What partykit's ctree grows on some tables; `make.R` made the numbers, `tables.py` the tables."""
