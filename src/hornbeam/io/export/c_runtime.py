"""The fixed parts of an exported C file: the functions that tests call, the walk and the decisions.

One idea: leaves reached together are never stored; their weighted sums are added up on the way. A product is
kept in a volatile so that no compiler joins it with a sum, which would round differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

HELPERS: Mapping[str, str] = {
    "hb_cut": "static int hb_cut(double x, double t) { return x <= t ? 0 : x > t ? 1 : -1; }",
    "hb_band": """
static int hb_band(double x, const double *cuts, int n) {
  int k = 0;
  if (x != x) return -1;
  while (k < n && x > cuts[k]) k++;
  return k;
}""",
    "hb_same": "static int hb_same(double x, int code) { return x < 0 ? -1 : x != code; }",
    "hb_other": "static int hb_other(double x, int code) { return x == -1 ? -1 : x != code; }",
    "hb_pick": "static int hb_pick(double x, const int *table) { return x < 0 ? -1 : table[(int)x]; }",
    "hb_alike": """
static int hb_alike(double x, double z, const int *table) {
  return x < 0 || z < 0 ? -1 : (int)x == table[(int)z];
}""",
    "hb_side": """
static int hb_side(double x, double t, int low, int high) { return x <= t ? low : x > t ? high : -1; }""",
    "hb_known": "static int hb_known(int branch, int other) { return branch >= 0 ? branch : other; }",
    "hb_unless": "static int hb_unless(double x, int branch) { return x == -2 ? -1 : branch; }",
    "hb_ask": "static int hb_ask(int truth) { return truth < 0 ? -1 : 1 - truth; }",
    "hb_not": "static int hb_not(int a) { return a < 0 ? a : 1 - a; }",
    "hb_and": "static int hb_and(int a, int b) { return a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : -1; }",
    "hb_or": "static int hb_or(int a, int b) { return a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : -1; }",
    "hb_eq": "static int hb_eq(double a, double b) { return a != a || b != b ? -1 : a == b; }",
    "hb_ne": "static int hb_ne(double a, double b) { return a != a || b != b ? -1 : a != b; }",
    "hb_lt": "static int hb_lt(double a, double b) { return a != a || b != b ? -1 : a < b; }",
    "hb_le": "static int hb_le(double a, double b) { return a != a || b != b ? -1 : a <= b; }",
    "hb_gt": "static int hb_gt(double a, double b) { return a != a || b != b ? -1 : a > b; }",
    "hb_ge": "static int hb_ge(double a, double b) { return a != a || b != b ? -1 : a >= b; }",
    "hb_counted": "static double hb_counted(int a) { return a < 0 ? NAN : a; }",
    "hb_negative": "static double hb_negative(double a) { return -a; }",
    "hb_add": "static double hb_add(double a, double b) { return a + b; }",
    "hb_sub": "static double hb_sub(double a, double b) { return a - b; }",
    "hb_mul": "static double hb_mul(double a, double b) { volatile double p = a * b; return p; }",
    "hb_div": "static double hb_div(double a, double b) { return a / b; }",
    "hb_pow": "static double hb_pow(double a, double b) { return a != a || b != b ? NAN : pow(a, b); }",
    "hb_sum": """
static double hb_sum(const double *v, const int *columns, const double *weights, int n) {
  volatile double total = 0, p;
  int k;
  for (k = 0; k < n; k++) { p = weights[k] * v[columns[k]]; total += p; }
  return total;
}""",
    "hb_tuple": """
static int hb_tuple(const double *v, const int *columns, int k, const double *values, const int *branches,
                    int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < k && v[columns[j]] == values[i * k + j]; j++) {}
    if (j == k) return branches[i];
  }
  return -1;
}""",
}

READ = Template("""
static void hb_read(const double *given, double *x, double *v) {
  int j;
  x[0] = v[0] = 0;
  for (j = 0; j < $columns; j++) {
    x[j] = v[j] = given[j];
    if (hb_sizes[j] > 0) {
      if (given[j] != given[j] || given[j] == -1) x[j] = -1;
      else if (given[j] < 0 || given[j] >= hb_sizes[j]) x[j] = -2;
      v[j] = x[j] < 0 ? NAN : x[j];
    }
  }
}""")

EQUATION = """
static double hb_equation(int leaf, const double *v) {
  const int m = hb_model[leaf];
  volatile double total, added;
  double x, step;
  int t, p, k;
  if (m < 0) return hb_alone[leaf];
  total = hb_intercept[m];
  for (t = hb_terms[m]; t < hb_terms[m + 1]; t++) {
    x = v[hb_term_column[t]];
    added = 0;
    if (x != x) added = hb_term_gap[t];
    else if (hb_term_power[t] == 0) {
      for (k = hb_members[t]; k < hb_members[t + 1]; k++) if (x == hb_member[k]) added = hb_term_weight[t];
    } else {
      step = x - hb_term_center[t];
      added = hb_term_weight[t] * step;
      for (p = 1; p < hb_term_power[t]; p++) added = added * step;
    }
    total = total + added;
  }
  return total < hb_low[m] ? hb_low[m] : hb_high[m] < total ? hb_high[m] : total;
}"""

OUTSIDE = Template("""
static int hb_outside(const double *x) {
  int k;
  for (k = 0; k < $sides; k++) {
    const double value = x[hb_box_column[k]];
    if (hb_box_known[k] ? value == -2 : value < hb_box_low[k] || value > hb_box_high[k]) return 1;
  }
  return 0;
}""")

WALK = Template("""
/* What the leaves reached say: `leaf` is the only one that counts, or -1; else sums over all that do. */
typedef struct { int leaf; double p[$k], cost[$k]; } hb_found;
static void hb_add_leaf(int leaf, double weight, const double *v, double *p, double *cost) {
  int j;
  (void)v;
  for (j = 0; j < $k; j++) {
    p[j] += weight * $together;
    if ($has_costs) cost[j] += weight * hb_each[leaf * $k + j];
  }
}
static hb_found hb_walk(const double *x, const double *v) {
  double part[$stack], total = 0, idle[$k] = {0}, idle_cost[$k] = {0};
  int todo[$stack], waiting = 1, n = 0, n_idle = 0, last = 0, last_idle = 0, j;
  hb_found found;
  memset(&found, 0, sizeof found);
  todo[0] = 0;
  part[0] = 1;
  while (waiting > 0) {
    const int node = todo[--waiting], first = hb_first[node];
    const double mine = part[waiting];
    int branch;
    if (first < 0) {
      const int leaf = -1 - first;
      const double weight = $by_leaf ? hb_weight[$by_leaf ? leaf : 0] : mine;
      if (weight > 0) {
        hb_add_leaf(leaf, weight, v, found.p, found.cost);
        total += weight;
        n++;
        last = leaf;
      } else {
        hb_add_leaf(leaf, 1, v, idle, idle_cost);
        n_idle++;
        last_idle = leaf;
      }
      continue;
    }
    branch = hb_branch(node, x, v);
    if (branch >= 0) {
      todo[waiting] = first + branch;
      part[waiting++] = mine;
    } else {
      for (j = hb_count[node] - 1; j >= 0; j--) {
        todo[waiting] = first + j;
        part[waiting++] = mine * hb_share[$by_leaf ? 0 : first + j];
      }
    }
  }
  found.leaf = n == 1 ? last : n == 0 && n_idle == 1 ? last_idle : -1;
  for (j = 0; j < $k; j++) {
    found.p[j] = n > 0 ? found.p[j] / total : idle[j] / n_idle;
    found.cost[j] = n > 0 ? found.cost[j] / total : idle_cost[j] / n_idle;
  }
  return found;
}""")

CODE = Template("""
/* The code of a category of a column: NAN if there is no text, -2 if the tree has never seen it. */
double ${name}_code(int column, const char *text) {
  if (!text) return NAN;
  switch (column) {
$cases
    default: break;
  }
  return -2;
}""")

DECISIONS: Mapping[str, Template] = {
    "heaviest": Template("""
static int hb_decide(const hb_found *found) {
  double best = found->p[0];
  int j;
  for (j = 1; j < $k; j++) if (found->p[j] > best) best = found->p[j];
  for (j = 0; found->p[j] < best - 1e-12 * fabs(best); j++) {}
  return j;
}"""),
    "middle": Template("""
static int hb_decide(const hb_found *found) {
  double total = 0, below = 0;
  int j;
  for (j = 0; j < $k; j++) total += found->p[j];
  for (j = 0; j < $k - 1; j++) if ((below += found->p[j]) >= (0.5 - 1e-12) * total) break;
  return j;
}"""),
    "cheapest": Template("""
static int hb_decide(const hb_found *found) {
  double cost[$k], least, most;
  int i, j;
  for (j = 0; j < $k; j++) {
    cost[j] = $has_costs ? found->cost[j] : 0;
    for (i = 0; !$has_costs && i < $k; i++) cost[j] += found->p[i] * hb_costs[$has_costs ? 0 : i * $k + j];
  }
  least = most = cost[0];
  for (j = 1; j < $k; j++) {
    if (cost[j] < least) least = cost[j];
    if (cost[j] > most) most = cost[j];
  }
  for (j = 0; cost[j] > least + 1e-12 * most; j++) {}
  return j;
}"""),
}

ANSWERS = Template("""
int ${name}(const double *given) {
  double x[$slots], v[$slots];
  hb_found found;
  hb_read(given, x, v);
  found = hb_walk(x, v);
  return found.leaf >= 0 ? hb_label[found.leaf] : hb_decide(&found);
}
void ${name}_proba(const double *given, double *out) {
  double x[$slots], v[$slots];
  hb_found found;
  int j;
  hb_read(given, x, v);
  found = hb_walk(x, v);
  for (j = 0; j < $k; j++) out[j] = found.leaf >= 0 ? hb_alone[found.leaf * $k + j] : found.p[j];
}""")

NUMBERS = Template("""
double ${name}(const double *given) {
  double x[$slots], v[$slots];
  hb_found found;
  hb_read(given, x, v);$outside
  found = hb_walk(x, v);
  return found.leaf >= 0 ? $alone : found.p[0];
}""")
