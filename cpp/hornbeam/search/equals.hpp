// A = v against the rest, for every present value v. Missing values join either side (learn) or stand alone.
#pragma once

#include "hornbeam/search/candidate.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

inline void search_equals(const Judge& judge, const Buckets& buckets, i32 column, Candidates& out) {
    const int width = buckets.width;
    const bool own = judge.plan().missing == MissingRule::branch;
    const std::vector<i64> known = buckets.sum();
    std::vector<i64> yes(known.size()), no(known.size());
    for (int i = 0; i < buckets.size(); ++i) {
        const int variants = buckets.has_missing && !own ? 2 : 1;
        for (int variant = 0; variant < variants; ++variant) {
            std::copy(buckets.at(i), buckets.at(i) + width, yes.begin());
            no = known;
            subtract_lanes(no.data(), yes.data(), width);
            // With one known value the missing rows are the second branch either way.
            const bool alone = own && buckets.size() == 1;
            if (buckets.has_missing && (!own || alone))
                add_lanes((variant == 0 && !alone ? yes : no).data(), buckets.missing.data(), width);
            const i64* parts[3] = {yes.data(), no.data(), buckets.missing.data()};
            const int n_parts = buckets.has_missing && own && !alone ? 3 : 2;
            Candidate candidate;
            if (!judge.judge(parts, n_parts, column, SplitKind::equals, candidate)) continue;
            if (!out.wants(candidate.score)) continue;
            candidate.below = buckets.code[static_cast<std::size_t>(i)];
            candidate.order = 2 * i + variant;
            candidate.missing = !buckets.has_missing ? -1 : n_parts == 3 ? 2 : alone ? 1 : variant;
            out.offer(std::move(candidate));
        }
    }
}

}  // namespace hornbeam
