// The folder threads/ holds the threads of one call: a pool, and a tree visited from the leaves up by several of them.
//
// Threads for one growth: a loop whose chunks are taken one by one, and a queue of tasks, the largest first.
//
// Nobody gets a fixed share: a thread on a busy core takes fewer chunks, and a loop waits only for threads that have
// taken one. Threads live as long as the growth, so forked processes and concurrent fits never share any. If the
// system gives fewer threads than asked for, the pool works with those.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <queue>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

class Pool {
  public:
    // `poll` is called on the owner's thread about every 50 ms; it returns true to stop the work.
    Pool(int n_threads, std::function<bool()> poll) : poll_(std::move(poll)) {
        threads_.reserve(static_cast<std::size_t>(std::max(0, n_threads - 1)));
        try {
            for (int i = 1; i < n_threads; ++i) threads_.emplace_back([this, i] { serve(i); });
        } catch (const std::system_error&) {
            // Limits of processes or memory (containers have them) can refuse a thread. The work is the same with
            // fewer; without any, the owner does it alone.
        }
    }
    ~Pool() {
        {
            std::lock_guard lock(mutex_);
            closing_ = true;
        }
        wake_.notify_all();
        for (auto& thread : threads_) thread.join();
    }
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
    template <class Body>
    void each(std::size_t n, Body&& body) {
        if (n == 0) return;
        if (threads_.empty() || n == 1) {
            for (std::size_t i = 0; i < n; ++i) {
                body(i, 0);
                check();
            }
            return;
        }
        std::atomic<std::size_t> next{0};
        run([&](int worker) {
            for (std::size_t i = next++; i < n; i = next++) {
                body(i, worker);
                if (worker == 0) check();
            }
        });
    }

    // Adds a task; larger `size` runs earlier. Tasks may add tasks.
    void add(u64 size, std::function<void(int)> task) {
        std::lock_guard lock(queue_mutex_);
        tasks_.push({size, std::move(task)});
        ready_.notify_one();
    }

    // Runs every task, and the tasks they add, on all threads.
    void drain() {
        run([this](int worker) {
            std::unique_lock lock(queue_mutex_);
            while (true) {
                if (tasks_.empty()) {
                    if (running_ == 0) {
                        ready_.notify_all();
                        return;
                    }
                    ready_.wait_for(lock, std::chrono::milliseconds(20));
                    if (worker == 0) {
                        lock.unlock();
                        check();
                        lock.lock();
                    }
                    continue;
                }
                auto task = std::move(const_cast<Task&>(tasks_.top()).second);
                tasks_.pop();
                ++running_;
                lock.unlock();
                try {
                    task(worker);
                } catch (...) {
                    lock.lock();
                    --running_;
                    throw;
                }
                if (worker == 0) check();
                lock.lock();
                --running_;
            }
        });
    }

    // Owner only: asks `poll` now and then whether to stop.
    void check() {
        if (stop_.load(std::memory_order_relaxed)) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_poll_ < std::chrono::milliseconds(50)) return;
        last_poll_ = now;
        if (poll_ && poll_()) stop_ = true;
    }

  private:
    using Task = std::pair<u64, std::function<void(int)>>;
    struct Smaller {
        bool operator()(const Task& a, const Task& b) const { return a.first < b.first; }
    };

    // Runs job(worker) on the owner and on every helper that comes in time; returns when all who came are done.
    template <class Job>
    void run(Job&& job) {
        {
            std::lock_guard lock(mutex_);
            job_ = [&job](int worker) { job(worker); };
            open_ = true;
            ++generation_;
        }
        wake_.notify_all();
        guarded(job, 0);
        std::unique_lock lock(mutex_);
        open_ = false;
        done_.wait(lock, [this] { return inside_ == 0; });
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    template <class Job>
    void guarded(Job& job, int worker) {
        try {
            job(worker);
        } catch (...) {
            std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            stop_ = true;
        }
    }

    void serve(int worker) {
        u64 last_generation = 0;
        std::unique_lock lock(mutex_);
        while (true) {
            wake_.wait(lock, [&] { return closing_ || (open_ && generation_ != last_generation); });
            if (closing_) return;
            last_generation = generation_;
            ++inside_;
            lock.unlock();
            guarded(job_, worker);
            lock.lock();
            if (--inside_ == 0) done_.notify_all();
        }
    }

    std::vector<std::thread> threads_;
    std::function<bool()> poll_;
    std::chrono::steady_clock::time_point last_poll_{};  // long ago: the first check asks at once
    std::atomic<bool> stop_{false};
    mutable std::atomic<bool> left_work_{false};

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::function<void(int)> job_;
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
