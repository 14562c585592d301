#include "hornbeam/threads/pool.hpp"

#include <algorithm>
#include <system_error>

namespace hornbeam {

Pool::Pool(int n_threads, std::function<bool()> poll) : poll_(std::move(poll)) {
    threads_.reserve(static_cast<std::size_t>(std::max(0, n_threads - 1)));
    try {
        for (int i = 1; i < n_threads; ++i) threads_.emplace_back([this, i] { serve(i); });
    } catch (const std::system_error&) {
        // Limits of processes or memory (containers have them) can refuse a thread. The work is the same with
        // fewer; without any, the owner does it alone.
    }
}

Pool::~Pool() {
    {
        std::lock_guard lock(mutex_);
        closing_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void Pool::each(std::size_t n, const std::function<void(std::size_t, int)>& body) {
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

void Pool::add(u64 rank, std::function<void(int)> task) {
    std::lock_guard lock(queue_mutex_);
    tasks_.push({rank, std::move(task)});
    ready_.notify_one();
}

void Pool::drain() {
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

void Pool::check() {
    if (stop_.load(std::memory_order_relaxed)) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_poll_ < std::chrono::milliseconds(50)) return;
    last_poll_ = now;
    if (poll_ && poll_()) stop_ = true;
}

void Pool::run(const std::function<void(int)>& job) {
    {
        std::lock_guard lock(mutex_);
        job_ = &job;
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

void Pool::guarded(const std::function<void(int)>& job, int worker) {
    try {
        job(worker);
    } catch (...) {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        stop_ = true;
    }
}

void Pool::serve(int worker) {
    u64 last_generation = 0;
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [&] { return closing_ || (open_ && generation_ != last_generation); });
        if (closing_) return;
        last_generation = generation_;
        ++inside_;
        lock.unlock();
        guarded(*job_, worker);
        lock.lock();
        if (--inside_ == 0) done_.notify_all();
    }
}

}  // namespace hornbeam
