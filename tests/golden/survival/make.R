# Writes what R says about the two tables of this folder: rpart's trees of survival times, partykit's, Kaplan-Meier
# medians, log-rank statistics and concordance.
#
#     Rscript tests/golden/survival/make.R tests/golden/survival
#
# Made with R 4.2.2, survival 3.5-3, rpart 4.1.19, partykit 1.2-16 and libcoin 1.0-9; the tests do not need R.
# stagec is rpart's table of 146 patients with prostate cancer (Nativ et al. 1988), GBSG2 the 686 of the German Breast
# Cancer Study Group 2 (Schumacher et al. 1994) in TH.data.

suppressMessages({library(survival); library(rpart); library(partykit)})
out <- commandArgs(trailingOnly = TRUE)[1]
number <- function(x) ifelse(is.na(x), "null", ifelse(is.infinite(x), "null", sprintf("%.17g", x)))
text <- function(x) paste0("\"", x, "\"")
list_of <- function(x) paste0("[", paste(x, collapse = ", "), "]")
dict_of <- function(items) paste0("{", paste(text(names(items)), items, sep = ": ", collapse = ",\n "), "}")

write.csv(stagec, file.path(out, "stagec.csv"), row.names = FALSE, quote = FALSE, na = "")
data(GBSG2, package = "TH.data")
write.csv(GBSG2, file.path(out, "gbsg2.csv"), row.names = FALSE, quote = FALSE, na = "")

exp_tree <- function(data, shrink, ...) {
  folds <- (seq_len(nrow(data)) - 1) %% 5 + 1
  fit <- rpart(Surv(pgtime, pgstat) ~ age + eet + g2 + grade + gleason + ploidy, data = data, method = "exp",
               parms = list(shrink = shrink), control = rpart.control(xval = folds, ...))
  frame <- fit$frame
  splits <- rep(NA, nrow(frame))
  tests <- which(frame$var != "<leaf>")
  primary <- cumsum(c(1, 1 + frame$ncompete[tests] + frame$nsurrogate[tests]))[seq_along(tests)]
  splits[tests] <- fit$splits[primary, "index"]
  dict_of(c(
    shrink = number(shrink), node = list_of(rownames(frame)), column = list_of(text(frame$var)), n = list_of(frame$n),
    cut = list_of(number(splits)), rate = list_of(number(frame$yval2[, 1])), events = list_of(frame$yval2[, 2]),
    deviance = list_of(number(frame$dev)), cp = list_of(number(fit$cptable[, "CP"])),
    splits = list_of(fit$cptable[, "nsplit"]), error = list_of(number(fit$cptable[, "rel error"])),
    xerror = list_of(number(fit$cptable[, "xerror"])), xstd = list_of(number(fit$cptable[, "xstd"]))
  ))
}

median_of <- function(time, event) {
  found <- summary(survfit(Surv(time, event) ~ 1))$table
  list_of(number(found[c("median", "0.95LCL", "0.95UCL")]))
}

node_text <- function(node, data, rows) {
  info <- info_node(node)
  items <- c(n = length(rows))
  if (!is.null(info$criterion)) {
    tested <- colnames(info$criterion)
    items["statistic"] <- dict_of(setNames(number(info$criterion["statistic", ]), tested))
    items["log_kept"] <- dict_of(setNames(number(info$criterion["criterion", ]), tested))
  }
  items["median"] <- median_of(GBSG2$time[rows], GBSG2$cens[rows])
  if (!is.terminal(node)) {
    split <- split_node(node)
    items["column"] <- text(names(data)[varid_split(split)])
    if (!is.null(breaks_split(split))) items["break"] <- number(breaks_split(split))
    kid <- kidids_node(node, data, obs = rows)
    kids <- kids_node(node)
    items["kids"] <- list_of(vapply(seq_along(kids), function(k) node_text(kids[[k]], data, rows[kid == k]), ""))
  }
  dict_of(items)
}
tree <- ctree(Surv(time, cens) ~ ., data = GBSG2)
cuts <- list(c("pnodes", 3.5), c("pnodes", 9.5), c("progrec", 24), c("tsize", 16.5), c("age", 45), c("estrec", 5.5))
complete <- na.omit(stagec)
risk <- with(GBSG2, pnodes + tsize / 10)
items <- c(
  exp = list_of(c(exp_tree(complete, 1, cp = 0, maxsurrogate = 0), exp_tree(complete, 0, cp = 0.005, maxsurrogate = 0,
                  minbucket = 5), exp_tree(stagec, 1, maxsurrogate = 5))),
  ctree = node_text(node_party(tree), data_party(tree), seq_len(nrow(GBSG2))),
  log_rank = list_of(vapply(cuts, function(cut) {
    left <- GBSG2[[cut[1]]] <= as.numeric(cut[2])
    dict_of(c(column = text(cut[1]), cut = cut[2],
              statistic = number(survdiff(Surv(time, cens) ~ left, data = GBSG2)$chisq)))
  }, "")),
  scores = list_of(number(coin_scores <- partykit:::.logrank_trafo(Surv(GBSG2$time, GBSG2$cens)))),
  median = dict_of(c(stagec = median_of(stagec$pgtime, stagec$pgstat), gbsg2 = median_of(GBSG2$time, GBSG2$cens),
                     treated = median_of(GBSG2$time[GBSG2$horTh == "yes"], GBSG2$cens[GBSG2$horTh == "yes"]),
                     ten = median_of(1:10, rep(1, 10)))),
  concordance = number(concordance(Surv(time, cens) ~ risk, data = GBSG2, reverse = TRUE)$concordance)
)
writeLines(dict_of(items), file.path(out, "r.json"))
