# Grows rpart trees on each table and writes what every node tests, holds and answers.
#
#     python -m tests.golden.rpart.tables FOLDER
#     Rscript tests/golden/rpart/make.R FOLDER tests/golden/rpart
#
# Made with R 4.2.2 and rpart 4.1.19; the tests do not need R.

library(rpart)
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
out <- arguments[2]

number <- function(x) sprintf("%.17g", x)
text <- function(x) paste0("\"", x, "\"")
list_of <- function(x) paste0("[", paste(x, collapse = ", "), "]")
dict_of <- function(items) paste0("{", paste(text(names(items)), items, sep = ": ", collapse = ", "), "}")

read_table <- function(name, real) {
  data <- read.csv(file.path(folder, paste0(name, ".csv")), encoding = "UTF-8", na.strings = "")
  for (column in setdiff(names(data), "target"))
    if (is.character(data[[column]])) data[[column]] <- factor(data[[column]])
  if (!real) data$target <- factor(data$target)
  data
}

# Rows in rpart's numbering: the root is 1, the children of node i are 2i and 2i + 1. The left side of a
# numeric split is x < cut if `left` is "below".
nodes_of <- function(fit, data, real) {
  ids <- as.integer(rownames(fit$frame))
  splits <- fit$splits
  at <- 1
  found <- character(0)
  for (i in seq_along(ids)) {
    items <- c(n = number(fit$frame$n[i]), answer = number(fit$frame$yval[i] - (if (real) 0 else 1)))
    if (fit$frame$var[i] != "<leaf>") {
      column <- as.character(fit$frame$var[i])
      items["column"] <- text(column)
      if (abs(splits[at, "ncat"]) == 1) {
        items["cut"] <- number(splits[at, "index"])
        items["left"] <- text(if (splits[at, "ncat"] < 0) "below" else "above")
      } else {
        sides <- fit$csplit[splits[at, "index"], seq_along(levels(data[[column]]))]
        items["left"] <- list_of(text(levels(data[[column]])[sides == 1]))
        items["right"] <- list_of(text(levels(data[[column]])[sides == 3]))
      }
      after <- at + 1 + fit$frame$ncompete[i]
      stand_ins <- seq_len(fit$frame$nsurrogate[i])
      columns <- rownames(splits)[after - 1 + stand_ins]
      items["surrogates"] <- if (length(columns)) list_of(text(columns)) else "[]"
      at <- after + fit$frame$nsurrogate[i]
    }
    found[as.character(ids[i])] <- dict_of(items)
  }
  dict_of(found)
}

grow <- function(name, real, equal = FALSE, ...) {
  data <- read_table(name, real)
  parms <- list()
  if (equal) parms$prior <- rep(1 / nlevels(data$target), nlevels(data$target))
  method <- if (real) "anova" else "class"
  fit <- rpart(target ~ ., data = data, method = method, parms = if (equal) parms else NULL,
               control = rpart.control(xval = 0, ...))
  options <- list(...)
  given <- if (length(options)) dict_of(vapply(options, number, "")) else "{}"
  items <- c(table = text(name), real = if (real) "true" else "false", equal = if (equal) "true" else "false",
             control = given, nodes = nodes_of(fit, data, real))
  dict_of(items)
}

names <- sub(".csv", "", list.files(folder, "[.]csv$"), fixed = TRUE)
real <- grepl("^(prices|diabetes)", names)
cases <- c()
for (i in order(names)) {
  cases <- c(cases, grow(names[i], real[i]), grow(names[i], real[i], minsplit = 5, minbucket = 2, cp = 0.001))
  if (!real[i]) cases <- c(cases, grow(names[i], FALSE, equal = TRUE))
}
writeLines(paste0("[\n", paste(cases, collapse = ",\n"), "\n]"), file.path(out, "trees.json"))
