// The pool: every index once, every task once, also those that tasks add; errors and requests to stop arrive.

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "hornbeam/threads/pool.hpp"
#include "tests/check.hpp"

namespace hornbeam {
namespace {

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace

TEST("a loop covers every index once, whoever takes it") {
    for (int threads = 1; threads <= 4; ++threads) {
        Pool pool(threads, {});
        CHECK(pool.n_threads() == threads);
        for (const std::size_t n : {0, 1, 2, 3, 100, 5000}) {
            std::vector<std::atomic<int>> n_visits(n);
            std::atomic<bool> known_workers{true};
            pool.each(n, [&](std::size_t i, int worker) {
                ++n_visits[i];
                if (worker < 0 || worker >= threads) known_workers = false;
            });
            bool once = true;
            for (const auto& count : n_visits) once &= count == 1;
            CHECK(once);
            CHECK(known_workers);
        }
    }
}

TEST("many short loops after one another do not disturb each other") {
    Pool pool(4, {});
    std::atomic<std::size_t> sum{0};
    for (int round = 0; round < 2000; ++round) pool.each(5, [&](std::size_t i, int) { sum += i; });
    CHECK(sum == 20000);
}

TEST("tasks may add tasks, and all of them run") {
    for (int threads = 1; threads <= 4; ++threads) {
        Pool pool(threads, {});
        std::atomic<int> ran{0};
        std::function<void(int, int)> branch = [&](int depth, int) {
            ++ran;
            if (depth == 0) return;
            for (int child = 0; child < 2; ++child)
                pool.add(static_cast<u64>(depth), [&branch, depth](int worker) { branch(depth - 1, worker); });
        };
        pool.add(9, [&](int worker) { branch(9, worker); });
        pool.drain();
        CHECK(ran == 1023);
        pool.drain();  // nothing left
        CHECK(ran == 1023);
    }
}

TEST("one thread takes the largest task first") {
    Pool pool(1, {});
    std::vector<u64> order;
    for (const u64 size : {3, 9, 1, 5}) pool.add(size, [&order, size](int) { order.push_back(size); });
    pool.drain();
    CHECK(order == std::vector<u64>{9, 5, 3, 1});
}

TEST("an error in a loop or a task reaches the owner") {
    for (int threads = 1; threads <= 3; ++threads) {
        for (const std::size_t bad : {0, 57}) {
            Pool pool(threads, {});
            CHECK_THROWS(std::runtime_error, pool.each(100, [bad](std::size_t i, int) {
                if (i == bad) throw std::runtime_error("bad index");
            }));
        }
        Pool pool(threads, {});
        for (int i = 0; i < 20; ++i)
            pool.add(1, [i](int) {
                if (i == 11) throw std::out_of_range("bad task");
            });
        CHECK_THROWS(std::out_of_range, pool.drain());
    }
}

TEST("the owner asks whether to stop, and everyone hears the answer") {
    for (int threads = 1; threads <= 3; ++threads) {
        const auto owner = std::this_thread::get_id();
        std::atomic<bool> asked_elsewhere{false};
        Pool pool(threads, [&] {
            if (std::this_thread::get_id() != owner) asked_elsewhere = true;
            return true;
        });
        CHECK(!pool.stopped());
        std::atomic<int> worked{0};
        pool.each(400, [&](std::size_t, int) {
            if (pool.stopped()) return;
            pause(5);
            ++worked;
        });
        pool.check();
        CHECK(pool.stopped());
        CHECK(threads == 1 || worked < 400);
        CHECK(!asked_elsewhere);
    }
}

TEST("a pool that is never asked to stop does not") {
    int n_calls = 0;
    Pool pool(2, [&] {
        ++n_calls;
        return false;
    });
    pool.each(30, [](std::size_t, int) { pause(5); });
    CHECK(n_calls > 0);
    CHECK(!pool.stopped());
}

}  // namespace hornbeam
