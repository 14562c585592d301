# Grows a conditional inference tree on each table and writes what every node tested and chose.
#
#     python -m tests.golden.ctree.tables FOLDER
#     Rscript tests/golden/ctree/make.R FOLDER tests/golden/ctree
#
# Made with R 4.2.2, partykit 1.2-16 and libcoin 1.0-9; the tests do not need R.

suppressMessages(library(partykit))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
out <- arguments[2]

number <- function(x) ifelse(is.na(x), "null", sprintf("%.17g", x))
text <- function(x) paste0("\"", x, "\"")
list_of <- function(x) paste0("[", paste(x, collapse = ", "), "]")
dict_of <- function(names, values) paste0("{", paste(text(names), values, sep = ": ", collapse = ", "), "}")

read_table <- function(name, real) {
  data <- read.csv(file.path(folder, paste0(name, ".csv")), encoding = "UTF-8", na.strings = "")
  for (column in setdiff(names(data), "target"))
    if (is.character(data[[column]])) data[[column]] <- factor(data[[column]])
  if ("size" %in% names(data))
    data$size <- factor(data$size, levels = c("XS", "S", "M", "L", "XL"), ordered = TRUE)
  if (!real) data$target <- factor(data$target)
  data
}

# One node: how many rows, what was tested (statistic and corrected p of every column), and the split.
node_text <- function(node, data, rows, weights) {
  info <- info_node(node)
  items <- c(n = number(sum(weights[rows])))
  if (!is.null(info$criterion)) {
    tested <- colnames(info$criterion)
    items["statistic"] <- dict_of(tested, number(info$criterion["statistic", ]))
    # log(1 - p) to the power of the number of tests, so that a tiny p keeps its digits
    items["log_kept"] <- dict_of(tested, number(info$criterion["criterion", ]))
  }
  if (!is.terminal(node)) {
    split <- split_node(node)
    column <- names(data)[varid_split(split)]
    items["column"] <- text(column)
    if (is.null(breaks_split(split))) {
      index <- index_split(split)
      values <- levels(data[[column]])
      items["left"] <- list_of(text(values[!is.na(index) & index == 1]))
      items["right"] <- list_of(text(values[!is.na(index) & index == 2]))
    } else if (is.factor(data[[column]])) {
      items["break"] <- text(levels(data[[column]])[breaks_split(split)])
    } else {
      items["break"] <- number(breaks_split(split))
    }
    kid <- kidids_node(node, data, obs = rows)
    kids <- kids_node(node)
    below <- vapply(seq_along(kids), function(k) node_text(kids[[k]], data, rows[kid == k], weights), "")
    items["kids"] <- list_of(below)
  }
  dict_of(names(items), items)
}

grow <- function(table, real, name = table, ...) {
  data <- read_table(table, real)
  weights <- if ("counts" %in% names(data)) data$counts else rep(1L, nrow(data))
  data$counts <- NULL
  tree <- ctree(target ~ ., data = data, weights = weights, control = ctree_control(...))
  frame <- data_party(tree)
  lines <- node_text(node_party(tree), frame, seq_len(nrow(data)), weights)
  writeLines(lines, file.path(out, paste0(name, ".json")), useBytes = TRUE)
}

grow("iris", FALSE)
grow("breast_cancer", FALSE)
grow("wine", FALSE)
grow("diabetes", TRUE)
grow("mixed", FALSE)
grow("prices", TRUE)
grow("gaps", FALSE, majority = TRUE)
grow("breast_cancer", FALSE, name = "breast_cancer_maximum", teststat = "maximum", splitstat = "maximum")
grow("wine", FALSE, name = "wine_univariate", testtype = "Univariate", splitstat = "maximum", alpha = 0.2,
     minsplit = 10, minbucket = 3)
