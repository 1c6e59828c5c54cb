// Where tensors on the CPU live. Steps of training ask for the same large blocks again and again:
// they are kept when freed and handed out again, so that a steady run neither asks the system for
// memory nor touches a fresh page, and they lie on huge pages, which makes scattered reads cheaper.
#pragma once

namespace gs {

void recycle_tensor_memory();  // from here on, for the whole process; again does nothing

// The same while one lives, for a process that is not ours alone: with the last of them the
// allocator that was there before comes back, and what was kept goes back to the system.
class RecycledTensorMemory {
 public:
  RecycledTensorMemory();
  ~RecycledTensorMemory();
  RecycledTensorMemory(const RecycledTensorMemory&) = delete;
  RecycledTensorMemory& operator=(const RecycledTensorMemory&) = delete;
};

}  // namespace gs
