// Far post: carries the questions of several nodes to all parts of the rows together, and their answers back.
//
// Every node is searched by a thread of its own, which waits for its answer here. One more thread takes all questions
// that wait, sends them in one message, and hands out the answers; meanwhile the next questions gather. So a pass over
// the rows serves many nodes, and nobody who asks has to know.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "hornbeam/grow/flatten.hpp"
#include "hornbeam/partition/far_message.hpp"

namespace hornbeam {

// Sends a message to all parts and returns their merged answer.
using SendMessage = std::function<std::string(const std::string&)>;

// What answers are kept by: who asks what, by content.
struct AnswerKey {
    u64 low = 0, high = 0;

    static AnswerKey of(const std::string& bytes) {
        return {checksum(bytes.data(), bytes.size(), 1), checksum(bytes.data(), bytes.size(), 2)};
    }
};

// Answers to questions of an earlier growth of the same rows that was cut short, and where those of this one go. The
// same question has the same answer, so a growth that recalls some of them grows the same tree.
struct KeptAnswers {
    std::function<std::optional<std::string>(const AnswerKey&)> recall;
    std::function<void(const std::vector<std::pair<AnswerKey, std::string_view>>&)> keep;  // those of one message
};

// The fields that answer one question.
class FarAnswer {
  public:
    FarAnswer(std::shared_ptr<const std::string> all, std::size_t at)
        : all_(std::move(all)), in_(std::string_view(*all_).substr(at)) {}
    Field next() { return in_.next(); }
    FieldReader& fields() { return in_; }

  private:
    std::shared_ptr<const std::string> all_;
    FieldReader in_;
};

class FarPost {
  public:
    // `most_bytes`: of the answers to one message, as far as one question allows.
    FarPost(FarState& state, SendMessage send, const KeptAnswers& kept, std::size_t most_bytes, Pool& pool)
        : state_(state), send_(std::move(send)), kept_(kept), most_bytes_(most_bytes), pool_(pool) {
        thread_ = std::thread([this] { serve(); });
    }
    ~FarPost() {
        {
            std::lock_guard lock(mutex_);
            closing_ = true;
        }
        wake_.notify_all();
        thread_.join();
    }
    FarPost(const FarPost&) = delete;
    FarPost& operator=(const FarPost&) = delete;

    struct Question {
        Ask ask{};
        u32 node = 0;
        TargetRange range;
        std::string details;
        std::size_t n_fields = 1, n_bytes = 0;  // of the answer; the bytes are a guess
        AnswerKey path = {};                    // of the node: the tests that lead to it

        // The rows of nodes are fetched again: they may be as many as all.
        bool is_kept() const { return ask != Ask::rows; }
        AnswerKey key() const {
            Writer out;
            out.put(path);
            out.put(ask);
            out.put(range);
            out.append(details.data(), details.size());
            return AnswerKey::of(out.bytes);
        }
    };

    // Asks whether growth is to stop, on the thread that may.
    void poll() {
        if (std::this_thread::get_id() == owner_) pool_.check();
    }
    // Changes the state that messages begin with.
    template <class Change>
    auto change(Change&& with) {
        std::lock_guard lock(mutex_);
        return with(state_);
    }
    // Waits for the answers to some questions. Those that may be given up throw StoppedWaiting where growth is stopped.
    std::vector<FarAnswer> ask(std::vector<Question> questions, bool may_stop) {
        std::deque<Letter> letters;
        for (Question& one : questions) {
            letters.push_back({std::move(one), nullptr, 0, nullptr, false});
            recall(letters.back());
        }
        std::unique_lock lock(mutex_);
        for (Letter& letter : letters)
            if (!letter.done) queue_.push_back(&letter);
        wake_.notify_one();
        while (!std::all_of(letters.begin(), letters.end(), [](const Letter& letter) { return letter.done; })) {
            if (may_stop && pool_.stopped() && take_back(letters)) throw StoppedWaiting{};
            arrived_.wait_for(lock, std::chrono::milliseconds(50));
            lock.unlock();
            poll();
            lock.lock();
        }
        std::vector<FarAnswer> out;
        for (Letter& letter : letters) {
            if (letter.error) std::rethrow_exception(letter.error);
            out.emplace_back(std::move(letter.answer), letter.at);
        }
        return out;
    }
    FarAnswer ask(Question question, bool may_stop) {
        std::vector<Question> one;
        one.push_back(std::move(question));
        return std::move(ask(std::move(one), may_stop)[0]);
    }

  private:
    struct Letter {
        Question question;
        std::shared_ptr<const std::string> answer;
        std::size_t at;
        std::exception_ptr error;
        bool done;
    };

    // Takes the answer of an earlier growth, if there is one.
    void recall(Letter& letter) const {
        if (!kept_.recall || !letter.question.is_kept()) return;
        std::optional<std::string> known = kept_.recall(letter.question.key());
        if (!known) return;
        letter.answer = std::make_shared<const std::string>(std::move(*known));
        letter.done = true;
    }
    void keep(const std::vector<Letter*>& batch, const std::string& answer, const std::vector<std::size_t>& at) const {
        if (!kept_.keep) return;
        std::vector<std::pair<AnswerKey, std::string_view>> answers;
        for (std::size_t i = 0; i < batch.size(); ++i)
            if (batch[i]->question.is_kept())
                answers.emplace_back(batch[i]->question.key(),
                                     std::string_view(answer).substr(at[i], at[i + 1] - at[i]));
        if (!answers.empty()) kept_.keep(answers);
    }
    // Whether none of the letters is on its way; then they are no longer waiting.
    bool take_back(std::deque<Letter>& letters) {
        for (Letter& letter : letters)
            if (!letter.done && std::find(queue_.begin(), queue_.end(), &letter) == queue_.end()) return false;
        for (Letter& letter : letters) std::erase(queue_, &letter);
        return true;
    }
    void serve() {
        std::unique_lock lock(mutex_);
        while (true) {
            wake_.wait(lock, [this] { return closing_ || !queue_.empty(); });
            if (closing_) return;
            linger(lock);
            if (queue_.empty()) continue;
            std::vector<Letter*> batch;
            for (std::size_t bytes = 0; !queue_.empty();) {
                bytes += queue_.front()->question.n_bytes;
                if (!batch.empty() && bytes > most_bytes_) break;
                batch.push_back(queue_.front());
                queue_.pop_front();
            }
            const std::string message = write(batch);
            lock.unlock();
            deliver(message, batch, lock);
        }
    }
    // Others who just got an answer will ask again soon: waits for them a tenth of what a pass takes.
    void linger(std::unique_lock<std::mutex>& lock) {
        const auto until = std::chrono::steady_clock::now() + last_pass_ / 10;
        while (!closing_ && queue_.size() < last_batch_)
            if (wake_.wait_until(lock, until) == std::cv_status::timeout) return;
    }
    std::string write(const std::vector<Letter*>& batch) const {
        Writer out;
        state_.write(Topic::nodes, out);
        out.put<u64>(batch.size());
        for (const Letter* letter : batch) {
            const Question& one = letter->question;
            out.put(one.ask);
            out.put(one.node);
            out.put(one.range);
            out.put<u64>(one.details.size());
            out.append(one.details.data(), one.details.size());
        }
        return std::move(out.bytes);
    }
    void deliver(const std::string& message, const std::vector<Letter*>& batch, std::unique_lock<std::mutex>& lock) {
        const auto begin = std::chrono::steady_clock::now();
        std::shared_ptr<const std::string> answer;
        std::exception_ptr error;
        std::vector<std::size_t> at;
        try {
            answer = std::make_shared<const std::string>(send_(message));
            FieldReader in(*answer);
            for (const Letter* letter : batch) {
                at.push_back(in.position(*answer));
                for (std::size_t k = 0; k < letter->question.n_fields; ++k) in.next();
            }
            at.push_back(in.position(*answer));
            keep(batch, *answer, at);
        } catch (...) {
            error = std::current_exception();
        }
        constexpr std::size_t kLarge = std::size_t{1} << 20;
        if (answer && answer->size() > kLarge) release_freed_memory();  // what merging took
        lock.lock();
        for (std::size_t i = 0; i < batch.size(); ++i) {
            batch[i]->error = error;
            if (!error) batch[i]->at = at[i];
            batch[i]->answer = answer;
            batch[i]->done = true;
        }
        last_pass_ = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
        last_batch_ = batch.size();
        arrived_.notify_all();
    }

    FarState& state_;
    SendMessage send_;
    const KeptAnswers& kept_;
    std::size_t most_bytes_;
    Pool& pool_;
    const std::thread::id owner_ = std::this_thread::get_id();
    std::mutex mutex_;
    std::condition_variable wake_, arrived_;
    std::deque<Letter*> queue_;
    std::chrono::microseconds last_pass_{0};
    std::size_t last_batch_ = 1;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace hornbeam
