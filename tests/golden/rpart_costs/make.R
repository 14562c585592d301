# Grows rpart trees with priors and losses and writes what every node holds, tests and answers.
#
#     python -m tests.golden.rpart_costs.tables FOLDER
#     Rscript tests/golden/rpart_costs/make.R FOLDER tests/golden/rpart_costs
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

read_table <- function(name) {
  data <- read.csv(file.path(folder, paste0(name, ".csv")))
  data$class <- factor(data$class)
  if ("colour" %in% names(data)) data$colour <- factor(data$colour)
  data
}

# The rows of the frame in rpart's numbering: the root is 1, the children of node i are 2i and 2i + 1.
nodes_of <- function(fit, data) {
  k <- nlevels(data$class)
  ids <- as.integer(rownames(fit$frame))
  splits <- fit$splits
  at <- 1
  found <- character(0)
  for (i in seq_along(ids)) {
    y <- fit$frame$yval2[i, ]
    items <- c(
      label = number(fit$frame$yval[i] - 1),
      counts = list_of(number(y[1 + seq_len(k)])),
      shares = list_of(number(y[1 + k + seq_len(k)]))
    )
    if (fit$frame$var[i] != "<leaf>") {
      items["column"] <- text(fit$frame$var[i])
      items["improve"] <- number(splits[at, "improve"])
      if (abs(splits[at, "ncat"]) == 1) items["cut"] <- number(splits[at, "index"])
      at <- at + 1 + fit$frame$ncompete[i] + fit$frame$nsurrogate[i]
    }
    found[as.character(ids[i])] <- dict_of(items)
  }
  dict_of(found)
}

grow <- function(name, rule, depth, prior = NULL, loss = NULL, weighted = FALSE) {
  data <- read_table(name)
  weights <- if (weighted) data$weight else rep(1, nrow(data))
  columns <- setdiff(names(data), c("class", "weight"))
  parms <- list(split = rule)
  if (!is.null(prior)) parms$prior <- prior
  if (!is.null(loss)) parms$loss <- matrix(loss, nrow = nlevels(data$class), byrow = TRUE)
  fit <- rpart(
    class ~ ., data = data[c(columns, "class")], weights = weights, method = "class", parms = parms,
    control = rpart.control(
      minsplit = 2, minbucket = 1, cp = -1, maxdepth = depth, maxcompete = 0, maxsurrogate = 0, xval = 0
    )
  )
  items <- c(
    table = text(name), criterion = text(if (rule == "gini") "gini" else "entropy"), depth = number(depth),
    weighted = if (weighted) "true" else "false",
    priors = if (is.null(prior)) "null" else list_of(number(prior)),
    costs = if (is.null(loss)) "null" else list_of(number(loss)),
    nodes = nodes_of(fit, data)
  )
  dict_of(items)
}

three <- c(0, 1, 4, 2, 0, 1, 10, 3, 0)
two <- c(0, 5, 1, 0)
cases <- c()
for (rule in c("gini", "information")) {
  cases <- c(
    cases,
    grow("iris", rule, 2, prior = c(0.1, 0.2, 0.7)),
    grow("iris", rule, 2, loss = three),
    grow("breast_cancer", rule, 3, prior = c(0.05, 0.95)),
    grow("breast_cancer", rule, 3, loss = two),
    grow("breast_cancer", rule, 2, prior = c(0.3, 0.7), loss = c(0, 1, 8, 0)),
    grow("wine", rule, 2, prior = c(0.6, 0.3, 0.1), loss = three),
    grow("made", rule, 3, prior = c(0.5, 0.25, 0.25)),
    grow("made", rule, 3, loss = three),
    grow("made", rule, 3, prior = c(0.2, 0.2, 0.6), loss = three, weighted = TRUE)
  )
}
writeLines(paste0("[\n", paste(cases, collapse = ",\n"), "\n]"), file.path(out, "trees.json"))
