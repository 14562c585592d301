// Codes values some at a time, in the vectors of portable.hpp: cuts.cpp includes this once for each instruction set,
// since what uses its instructions is inlined only into functions marked with them. The including namespace gives
// HORNBEAM_TARGET (that mark), kBytes (of a vector), and `gather` and `pack`.

// Returns how many values it coded, a multiple of the numbers in a vector; the plain kernel does the rest.
template <class T>
HORNBEAM_TARGET std::size_t code_lanes(const Cuts<T>& cuts, const T* x, std::size_t n, u8* out, CodingFlags& flags) {
    constexpr std::size_t kLanes = kBytes / sizeof(T);
    using Bits = std::conditional_t<sizeof(T) == 4, i32, i64>;
    using Values = decltype(Vector<T, kLanes>::x);
    using Mask = decltype(Vector<Bits, kLanes>::x);  // what comparisons give: all bits for true
    using Codes = decltype(Vector<i32, kLanes>::x);

    const Values zero{}, top = zero + static_cast<T>(Cuts<T>::kCells - 1);
    const Mask no_sign = Mask{} + std::numeric_limits<Bits>::max();
    const T low = cuts.low(), scale = cuts.scale(), huge = std::numeric_limits<T>::infinity();
    const T* cut = cuts.cuts();
    const bool check = cuts.maybe_exact();
    Mask gaps{}, infinite{}, differs{};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        Values v;
        std::memcpy(&v, x + i, sizeof v);
        const Mask gap = v != v;
        Values at = (v - low) * scale;
        at = at > zero ? at : zero;  // of a NaN: zero
        at = at < top ? at : top;
        Codes code = gather(cuts.start(), __builtin_convertvector(at, Codes));
        for (u32 half = cuts.first_half(); half > 0; half >>= 1) {
            const Mask below = gather(cut + half - 1, code) < v;
            code += __builtin_convertvector(below, Codes) & static_cast<i32>(half);
        }
        gaps |= gap;
        infinite |= reinterpret_cast<Values>(reinterpret_cast<Mask>(v) & no_sign) == huge;
        if (check) differs |= (gather(cut, code) != v) & ~gap;
        code |= __builtin_convertvector(gap, Codes);  // of whose bits the lowest eight are kept: kMissingCode
        const auto packed = pack(code);
        std::memcpy(out + i, &packed, sizeof packed);
    }
    for (std::size_t k = 0; k < kLanes; ++k) {
        flags.missing |= gaps[k] != 0;
        flags.infinite |= infinite[k] != 0;
        flags.inexact |= differs[k] != 0;
    }
    flags.inexact |= !check;
    return i;
}
