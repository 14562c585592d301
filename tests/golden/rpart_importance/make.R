# Grows rpart trees with surrogates and writes the importance of each variable.
#
#     python -m tests.golden.rpart.tables FOLDER
#     Rscript tests/golden/rpart_importance/make.R FOLDER tests/golden/rpart_importance
#
# Made with R 4.2.2 and rpart 4.1.19; the tests do not need R.

library(rpart)
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
out <- arguments[2]

number <- function(x) sprintf("%.17g", x)
text <- function(x) paste0("\"", x, "\"")
dict_of <- function(items) paste0("{", paste(text(names(items)), items, sep = ": ", collapse = ", "), "}")

importance <- function(name) {
  real <- name == "diabetes" || startsWith(name, "prices")
  data <- read.csv(file.path(folder, paste0(name, ".csv")), encoding = "UTF-8", na.strings = "")
  for (column in setdiff(names(data), "target"))
    if (is.character(data[[column]])) data[[column]] <- factor(data[[column]])
  if (!real) data$target <- factor(data$target)
  fit <- rpart(target ~ ., data = data, method = if (real) "anova" else "class")
  values <- fit$variable.importance
  if (is.null(values)) return(NULL)
  dict_of(c(table = text(name), leaves = number(sum(fit$frame$var == "<leaf>")),
            importance = dict_of(setNames(number(values), names(values)))))
}

names <- sub("\\.csv$", "", list.files(folder, pattern = "\\.csv$"))
cases <- unlist(lapply(names, importance))
writeLines(paste0("[\n", paste(cases, collapse = ",\n"), "\n]"), file.path(out, "importance.json"))
