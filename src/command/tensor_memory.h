// The allocator of CPU tensors. Steps of training ask for the same large blocks again and again:
// they are kept when freed and handed out again, so that a steady training neither asks the system
// for memory nor touches a fresh page, and they lie on huge pages, which makes scattered reads
// cheaper.
//
// Thread safety: any thread may allocate and free at any time, and objects of this header may be
// made and destroyed in several threads. libtorch's pointer to its allocator, which the first one
// replaces and the last one restores, is not atomic: other threads should not use libtorch for the
// first time at that very moment.
#pragma once

namespace gs {

// From here on, for the whole process; calling it again does nothing.
void recycle_tensor_memory();

// The same while one lives, for a process that is not ours alone: with the last of them the
// allocator that was there before is restored, and what was kept is returned to the system.
class RecycledTensorMemory {
 public:
  RecycledTensorMemory();
  ~RecycledTensorMemory();
  RecycledTensorMemory(const RecycledTensorMemory&) = delete;
  RecycledTensorMemory& operator=(const RecycledTensorMemory&) = delete;
};

}  // namespace gs
