/* What an exported C file calls. The exporter writes the tables and the constants HB_... above it, the tests below
   it, and takes along only the functions that are used; blank lines part them. Leaves reached together are never
   stored: their weighted sums are added up on the way. A product is kept in a volatile so that no compiler joins it
   with a sum, which would round differently. */

static int hb_cut(double x, double t) { return x <= t ? 0 : x > t ? 1 : -1; }

static int hb_band(double x, const double *cuts, int n) {
  int k = 0;
  if (x != x) return -1;
  while (k < n && x > cuts[k]) k++;
  return k;
}

static int hb_same(double x, int code) { return x < 0 ? -1 : x != code; }

static int hb_other(double x, int code) { return x == -1 ? -1 : x != code; }

static int hb_pick(double x, const int *table) { return x < 0 ? -1 : table[(int)x]; }

static int hb_alike(double x, double z, const int *table) {
  return x < 0 || z < 0 ? -1 : (int)x == table[(int)z];
}

static int hb_side(double x, double t, int low, int high) { return x <= t ? low : x > t ? high : -1; }

static int hb_known(int branch, int other) { return branch >= 0 ? branch : other; }

static int hb_unless(double x, int branch) { return x == -2 ? -1 : branch; }

static int hb_ask(int truth) { return truth < 0 ? -1 : 1 - truth; }

static int hb_not(int a) { return a < 0 ? a : 1 - a; }

static int hb_and(int a, int b) { return a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : -1; }

static int hb_or(int a, int b) { return a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : -1; }

static int hb_eq(double a, double b) { return a != a || b != b ? -1 : a == b; }

static int hb_ne(double a, double b) { return a != a || b != b ? -1 : a != b; }

static int hb_lt(double a, double b) { return a != a || b != b ? -1 : a < b; }

static int hb_le(double a, double b) { return a != a || b != b ? -1 : a <= b; }

static int hb_gt(double a, double b) { return a != a || b != b ? -1 : a > b; }

static int hb_ge(double a, double b) { return a != a || b != b ? -1 : a >= b; }

static double hb_counted(int a) { return a < 0 ? NAN : a; }

static double hb_negative(double a) { return -a; }

static double hb_add(double a, double b) { return a + b; }

static double hb_sub(double a, double b) { return a - b; }

static double hb_mul(double a, double b) { volatile double p = a * b; return p; }

static double hb_div(double a, double b) { return a / b; }

static double hb_pow(double a, double b) { return a != a || b != b ? NAN : pow(a, b); }

static double hb_sum(const double *v, const int *columns, const double *weights, int n) {
  volatile double total = 0, p;
  int k;
  for (k = 0; k < n; k++) { p = weights[k] * v[columns[k]]; total += p; }
  return total;
}

static int hb_tuple(const double *v, const int *columns, int k, const double *values, const int *branches,
                    int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < k && v[columns[j]] == values[i * k + j]; j++) {}
    if (j == k) return branches[i];
  }
  return -1;
}

static void hb_read(const double *given, double *x, double *v) {
  int j;
  x[0] = v[0] = 0;
  for (j = 0; j < HB_COLUMNS; j++) {
    x[j] = v[j] = given[j];
    if (hb_sizes[j] > 0) {
      if (given[j] != given[j] || given[j] == -1) x[j] = -1;
      else if (given[j] < 0 || given[j] >= hb_sizes[j]) x[j] = -2;
      v[j] = x[j] < 0 ? NAN : x[j];
    }
  }
}

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
}

static int hb_outside(const double *x) {
  int k;
  for (k = 0; k < HB_SIDES; k++) {
    const double value = x[hb_box_column[k]];
    if (hb_box_known[k] ? value == -2 : value < hb_box_low[k] || value > hb_box_high[k]) return 1;
  }
  return 0;
}

/* What the leaves reached say: `leaf` is the only one that counts, or -1; else sums over all that do. */
typedef struct { int leaf; double p[HB_CLASSES], cost[HB_CLASSES]; } hb_answer;
static void hb_add_leaf(int leaf, double weight, const double *v, double *p, double *cost) {
  int j;
  (void)v;
  for (j = 0; j < HB_CLASSES; j++) {
    p[j] += weight * HB_TOGETHER(leaf, j);
    if (HB_HAS_COSTS) cost[j] += weight * hb_each[leaf * HB_CLASSES + j];
  }
}
static int hb_branch(int node, const double *x, const double *v);
static hb_answer hb_walk(const double *x, const double *v) {
  double part[HB_STACK], total = 0, idle[HB_CLASSES] = {0}, idle_cost[HB_CLASSES] = {0};
  int todo[HB_STACK], waiting = 1, n = 0, n_idle = 0, last = 0, last_idle = 0, j;
  hb_answer answer;
  memset(&answer, 0, sizeof answer);
  todo[0] = 0;
  part[0] = 1;
  while (waiting > 0) {
    const int node = todo[--waiting], first = hb_first[node];
    const double mine = part[waiting];
    int branch;
    if (first < 0) {
      const int leaf = -1 - first;
      const double weight = HB_BY_LEAF ? hb_weight[HB_BY_LEAF ? leaf : 0] : mine;
      if (weight > 0) {
        hb_add_leaf(leaf, weight, v, answer.p, answer.cost);
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
        part[waiting++] = mine * hb_share[HB_BY_LEAF ? 0 : first + j];
      }
    }
  }
  answer.leaf = n == 1 ? last : n == 0 && n_idle == 1 ? last_idle : -1;
  for (j = 0; j < HB_CLASSES; j++) {
    answer.p[j] = n > 0 ? answer.p[j] / total : idle[j] / n_idle;
    answer.cost[j] = n > 0 ? answer.cost[j] / total : idle_cost[j] / n_idle;
  }
  return answer;
}

static int hb_heaviest(const hb_answer *answer) {
  double best = answer->p[0];
  int j;
  for (j = 1; j < HB_CLASSES; j++) if (answer->p[j] > best) best = answer->p[j];
  for (j = 0; answer->p[j] < best - 1e-12 * fabs(best); j++) {}
  return j;
}

static int hb_middle(const hb_answer *answer) {
  double total = 0, below = 0;
  int j;
  for (j = 0; j < HB_CLASSES; j++) total += answer->p[j];
  for (j = 0; j < HB_CLASSES - 1; j++) if ((below += answer->p[j]) >= (0.5 - 1e-12) * total) break;
  return j;
}

static int hb_cheapest(const hb_answer *answer) {
  double cost[HB_CLASSES], least, most;
  int i, j;
  for (j = 0; j < HB_CLASSES; j++) {
    cost[j] = HB_HAS_COSTS ? answer->cost[j] : 0;
    for (i = 0; !HB_HAS_COSTS && i < HB_CLASSES; i++) cost[j] += answer->p[i] * hb_costs[HB_HAS_COSTS ? 0 : i * HB_CLASSES + j];
  }
  least = most = cost[0];
  for (j = 1; j < HB_CLASSES; j++) {
    if (cost[j] < least) least = cost[j];
    if (cost[j] > most) most = cost[j];
  }
  for (j = 0; cost[j] > least + 1e-12 * most; j++) {}
  return j;
}
