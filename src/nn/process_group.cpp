// Ranks over a process group of torch.distributed.
#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include <fmt/ranges.h>

#include "base/error.h"
#include "nn/ranks.h"

namespace gs {

namespace {

using Clock = std::chrono::steady_clock;
using WorkPointer = c10::intrusive_ptr<c10d::Work>;

// Ranks notice a failure one after another: how long to wait for the others to say that they live.
constexpr std::chrono::seconds kRollCall{4};

class GroupRanks final : public Ranks {
 public:
  explicit GroupRanks(const std::string& name)
      : group_(c10d::resolve_process_group(name)),
        rank_(group_->getRank()),
        size_(group_->getSize()) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }

  void reduce(double* values, int64_t count) const override {
    at::Tensor all = at::from_blob(values, {count}, at::kDouble);
    reduce(all);
  }

  void reduce(at::Tensor& values) const override {
    guarded([&] {
      std::vector<at::Tensor> tensors{values};
      wait(group_->allreduce(tensors));
    });
  }

  at::Tensor exchange(const at::Tensor& rows, const std::vector<int64_t>& send,
                      const std::vector<int64_t>& receive) const override {
    std::vector<int64_t> shape = rows.sizes().vec();
    shape[0] = std::accumulate(receive.begin(), receive.end(), int64_t{0});
    const at::Tensor from = rows.contiguous();
    at::Tensor out = at::empty(shape, rows.options());
    copy_own(from, send, out, receive);
    guarded([&] {
      std::vector<WorkPointer> works;
      const auto post = [&](const at::Tensor& all, const std::vector<int64_t>& counts, auto call) {
        int64_t at = 0;
        for (size_t r = 0; r < counts.size(); at += counts[r++])
          if (counts[r] > 0 && static_cast<int>(r) != rank_) {
            std::vector<at::Tensor> part{all.slice(0, at, at + counts[r])};
            works.push_back(call(part, static_cast<int>(r)));
          }
      };
      post(out, receive, [&](auto& part, int r) { return group_->recv(part, r, kTag); });
      post(from, send, [&](auto& part, int r) { return group_->send(part, r, kTag); });
      for (const WorkPointer& work : works) wait(work);
    });
    return out;
  }

  std::vector<std::string> gather(const std::string& bytes) const override {
    std::vector<double> sizes(static_cast<size_t>(size_));
    sizes[static_cast<size_t>(rank_)] = static_cast<double>(bytes.size());
    reduce(sizes.data(), std::ssize(sizes));
    int64_t total = 0, begin = 0;
    for (size_t r = 0; r < sizes.size(); ++r) {
      if (static_cast<int>(r) == rank_) begin = total;
      total += static_cast<int64_t>(sizes[r]);
    }
    at::Tensor all = at::zeros({total}, at::kByte);
    if (!bytes.empty()) std::memcpy(all.data_ptr<uint8_t>() + begin, bytes.data(), bytes.size());
    if (total > 0) reduce(all);
    std::vector<std::string> out;
    const auto* from = reinterpret_cast<const char*>(all.const_data_ptr<uint8_t>());
    for (const double size : sizes) {
      out.emplace_back(from, static_cast<size_t>(size));
      from += out.back().size();
    }
    return out;
  }

  std::string broadcast(const std::string& bytes) const override {
    auto size = static_cast<double>(first() ? bytes.size() : 0);
    reduce(&size, 1);
    std::vector<at::Tensor> all{at::zeros({static_cast<int64_t>(size)}, at::kByte)};
    if (all[0].numel() == 0) return {};
    if (first()) std::memcpy(all[0].data_ptr<uint8_t>(), bytes.data(), bytes.size());
    guarded([&] { wait(group_->broadcast(all)); });
    return {reinterpret_cast<const char*>(all[0].const_data_ptr<uint8_t>()),
            static_cast<size_t>(all[0].numel())};
  }

 private:
  static constexpr int kTag = 0;

  static void wait(const WorkPointer& work) {
    if (work) work->wait();
  }

  void copy_own(const at::Tensor& from, const std::vector<int64_t>& send, at::Tensor& out,
                const std::vector<int64_t>& receive) const {
    const int64_t count = send[static_cast<size_t>(rank_)];
    GS_ASSERT(count == receive[static_cast<size_t>(rank_)]);
    if (count == 0) return;
    const int64_t source = std::accumulate(send.begin(), send.begin() + rank_, int64_t{0});
    const int64_t target = std::accumulate(receive.begin(), receive.begin() + rank_, int64_t{0});
    out.slice(0, target, target + count).copy_(from.slice(0, source, source + count));
  }

  template <class Call>
  void guarded(const Call& call) const {
    std::string what;
    try {
      return call();
    } catch (const std::exception& error) {
      what = error.what();
    }
    fail(what);
  }

  // Names the ranks that do not answer a roll call through the store, which outlives workers.
  [[noreturn]] void fail(const std::string& what) const {
    std::vector<int> missing;
    bool reached = true;
    try {
      const auto store = group_->getStore();
      const auto key = [](int r) { return fmt::format("graphsurgeon/lives/{}", r); };
      store->set(key(rank_), std::vector<uint8_t>{1});
      const auto end = Clock::now() + kRollCall;
      do {
        missing.clear();
        for (int r = 0; r < size_; ++r)
          if (!store->check({key(r)})) missing.push_back(r);
        if (!missing.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      } while (!missing.empty() && Clock::now() < end);
    } catch (const std::exception&) {
      reached = false;
    }
    const bool late = what.find("imed out") != std::string::npos;
    const std::string who = !reached ? std::string("the process that holds the rendezvous")
                            : missing.empty()
                                ? fmt::format("a rank of {}", size_)
                                : fmt::format("rank {} of {}", fmt::join(missing, ", "), size_);
    throw Error(ErrorKind::interrupted,
                who + (late ? " did not answer within the timeout" : " is gone"),
                fmt::format("rank {}", rank_),
                "the last checkpoint is kept; continue with the same command and --resume");
  }

  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  int rank_, size_;
};

}  // namespace

std::shared_ptr<const Ranks> ranks_of_group(const std::string& name) {
  if (name.empty()) return {std::shared_ptr<void>(), &alone()};
  return std::make_shared<GroupRanks>(name);
}

}  // namespace gs
