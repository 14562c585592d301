# Grows rpart trees and writes their table of complexities: cp, splits, errors, cross-validated on given folds.
#
#     python -m tests.golden.rpart_cp.tables FOLDER
#     Rscript tests/golden/rpart_cp/make.R FOLDER tests/golden/rpart_cp
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

path <- function(name, least, depth = 30, weighted = FALSE, prior = NULL, loss = NULL) {
  data <- read.csv(file.path(folder, paste0(name, ".csv")), stringsAsFactors = TRUE)
  weights <- if (weighted) data$weight else rep(1, nrow(data))
  columns <- setdiff(names(data), c("weight", "fold"))
  classes <- is.factor(data$y)
  parms <- NULL
  if (classes) {
    parms <- list(split = "gini")
    if (!is.null(prior)) parms$prior <- prior
    if (!is.null(loss)) parms$loss <- matrix(loss, nrow = nlevels(data$y), byrow = TRUE)
  }
  fit <- rpart(
    y ~ ., data = data[columns], weights = weights, method = if (classes) "class" else "anova", parms = parms,
    control = rpart.control(
      minsplit = 2 * least, minbucket = least, cp = 0, maxdepth = depth, maxcompete = 0, maxsurrogate = 0,
      xval = data$fold + 1
    )
  )
  table <- fit$cptable
  dict_of(c(
    table = text(name), least = number(least), depth = number(depth), weighted = if (weighted) "true" else "false",
    priors = if (is.null(prior)) "null" else list_of(number(prior)),
    costs = if (is.null(loss)) "null" else list_of(number(loss)),
    root = number(fit$frame$dev[1] / sum(weights)),
    cp = list_of(number(table[, "CP"])), splits = list_of(number(table[, "nsplit"])),
    error = list_of(number(table[, "rel error"])), xerror = list_of(number(table[, "xerror"])),
    xstd = list_of(number(table[, "xstd"]))
  ))
}

cases <- c(
  path("made", 5),
  path("made", 3, prior = c(0.2, 0.2, 0.6)),
  path("made", 3, loss = c(0, 1, 4, 2, 0, 1, 10, 3, 0)),
  path("made", 4, weighted = TRUE),
  path("breast_cancer", 7),
  path("breast_cancer", 12),
  path("wine", 8),
  path("wine", 8, prior = c(0.6, 0.3, 0.1)),
  path("diabetes", 10),
  path("diabetes", 6, depth = 5),
  path("diabetes", 15, weighted = TRUE)
)
writeLines(paste0("[\n", paste(cases, collapse = ",\n"), "\n]"), file.path(out, "cp.json"))
