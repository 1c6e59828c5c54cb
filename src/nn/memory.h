// Where tensors on the CPU live. Steps of training ask for the same large blocks again and again:
// they are kept when freed and handed out again, so that a steady run neither asks the system for
// memory nor touches a fresh page, and they lie on huge pages, which makes scattered reads cheaper.
#pragma once

namespace gs {

void recycle_tensor_memory();  // from here on, for the whole process; again does nothing

}  // namespace gs
