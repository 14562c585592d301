// The folder threads/ holds the threads of one call: a pool, and a tree visited from the leaves up by several of them.
//
// Threads for one growth: a loop whose chunks are taken one by one, and a queue of tasks, the highest rank first.
//
// Nobody gets a fixed share: a thread on a busy core takes fewer chunks, and a loop waits only for threads that have
// taken one. Threads live as long as the growth, so forked processes and concurrent fits never share any. If the
// system gives fewer threads than asked for, the pool works with those.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

class Pool {
  public:
    // `poll` is called on the owner's thread about every 50 ms; it returns true to stop the work.
    Pool(int n_threads, std::function<bool()> poll);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int n_threads() const { return static_cast<int>(threads_.size()) + 1; }
    // Whether to leave what is still to be done; to be asked only where something is.
    bool stopped() const {
        const bool stop = stop_.load(std::memory_order_relaxed);
        if (stop) left_work_.store(true, std::memory_order_relaxed);
        return stop;
    }
    // Whether a stop left anything undone: one that came when all was done did not.
    bool left_work() const { return left_work_.load(std::memory_order_relaxed); }

    // body(i, worker) for every i in [0, n); chunks are taken in order, by whoever is free.
    void each(std::size_t n, const std::function<void(std::size_t, int)>& body);

    // Adds a task; a larger `rank` runs earlier. Tasks may add tasks.
    void add(u64 rank, std::function<void(int)> task);

    // Runs every task, and the tasks they add, on all threads.
    void drain();

    // Owner only: asks `poll` now and then whether to stop.
    void check();

  private:
    using Task = std::pair<u64, std::function<void(int)>>;
    struct Smaller {
        bool operator()(const Task& a, const Task& b) const { return a.first < b.first; }
    };

    // Runs job(worker) on the owner and on every helper that comes in time; returns when all who came are done.
    void run(const std::function<void(int)>& job);
    void guarded(const std::function<void(int)>& job, int worker);
    void serve(int worker);

    std::vector<std::thread> threads_;
    std::function<bool()> poll_;
    std::chrono::steady_clock::time_point last_poll_{};  // long ago: the first check asks at once
    std::atomic<bool> stop_{false};
    mutable std::atomic<bool> left_work_{false};

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    const std::function<void(int)>* job_ = nullptr;  // there while the pool is open
    std::exception_ptr error_;
    u64 generation_ = 0;
    int inside_ = 0;
    bool open_ = false, closing_ = false;

    std::mutex queue_mutex_;
    std::condition_variable ready_;
    std::priority_queue<Task, std::vector<Task>, Smaller> tasks_;
    int running_ = 0;
};

}  // namespace hornbeam
