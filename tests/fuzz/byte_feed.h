#pragma once
// Takes numbers and texts off the bytes that libFuzzer gives, so that it can mutate decisions.
#include <cstdint>
#include <cstring>
#include <string>

namespace dalaup {

class ByteFeed {
 public:
  ByteFeed(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool is_empty() const { return left_ == 0; }
  // Zeros when the bytes have run out.
  template <class T>
  T take() {
    T value{};
    const std::size_t size = left_ < sizeof(T) ? left_ : sizeof(T);
    std::memcpy(&value, data_, size);
    skip(size);
    return value;
  }
  // 0 to count - 1.
  std::size_t below(std::size_t count) { return count == 0 ? 0 : take<std::uint32_t>() % count; }
  // Up to the next byte 0xff, which is taken too.
  std::string text() {
    const void* const end = left_ == 0 ? nullptr : std::memchr(data_, 0xff, left_);
    const std::size_t size =
        end == nullptr ? left_
                       : static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - data_);
    std::string text(reinterpret_cast<const char*>(data_), size);
    skip(size == left_ ? size : size + 1);
    return text;
  }

 private:
  void skip(std::size_t size) {
    data_ += size;
    left_ -= size;
  }
  const std::uint8_t* data_;
  std::size_t left_;
};

}  // namespace dalaup
