#pragma once
// What ranks exchange most: their parts of a list, of values by row, of rows of any length.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "communicator/ranks.h"
#include "communicator/row_blocks.h"

namespace dalaup {

// Part r, items[begins[r]] up to items[begins[r + 1]], is for rank r, or came from it.
template <class T>
struct Parcels {
  std::vector<T> items;
  std::vector<std::size_t> begins{0};

  std::span<const T> of(int rank) const {
    const auto place = static_cast<std::size_t>(rank);
    return std::span(items).subspan(begins[place], begins[place + 1] - begins[place]);
  }
};

template <class T>
std::vector<std::size_t> in_bytes(std::span<const std::size_t> places) {
  std::vector<std::size_t> bytes;
  for (const std::size_t place : places) bytes.push_back(place * sizeof(T));
  return bytes;
}

// Every rank has its part of `all` in place and gets the others'.
template <class T>
requires std::is_trivially_copyable_v<T>
void share_parts(Communicator& communicator, std::span<T> all,
                 std::span<const std::size_t> begins) {
  if (communicator.size() > 1)
    communicator.allgatherv(std::as_writable_bytes(all), in_bytes<T>(begins));
}

// The values of all rows, where every rank has those of its own.
template <class T>
void share_rows(Communicator& communicator, const RowBlocks& blocks, std::vector<T>& values) {
  share_parts(communicator, std::span(values), blocks.begins());
}

// The parts of all ranks, one behind the other.
template <class T>
Parcels<T> gather_parcels(Communicator& communicator, std::vector<T> own) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  if (ranks == 1) {
    const std::size_t size = own.size();
    return {std::move(own), {0, size}};
  }
  std::vector<std::size_t> places(ranks + 1);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<std::uint64_t> sizes(ranks, 0);
  const auto rank = static_cast<std::size_t>(communicator.rank());
  sizes[rank] = own.size();
  share_parts(communicator, std::span(sizes), places);
  Parcels<T> all;
  for (const std::uint64_t size : sizes) all.begins.push_back(all.begins.back() + size);
  all.items.resize(all.begins.back());
  std::ranges::copy(own, all.items.begin() + static_cast<std::ptrdiff_t>(all.begins[rank]));
  std::vector<T>().swap(own);
  share_parts(communicator, std::span(all.items), all.begins);
  return all;
}
template <class T>
std::vector<T> gather_all(Communicator& communicator, std::vector<T> own) {
  if (communicator.size() == 1) return own;
  return gather_parcels(communicator, std::move(own)).items;
}

// Sends each rank its parcel; gives those that came.
template <class T>
requires std::is_trivially_copyable_v<T> Parcels<T> exchange(Communicator& communicator,
                                                             Parcels<T> sent) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  if (ranks == 1) return sent;
  std::vector<std::size_t> places(ranks + 1);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<std::uint64_t> sizes(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    sizes[rank] = sent.begins[rank + 1] - sent.begins[rank];
  std::vector<std::uint64_t> coming(ranks);
  const auto sizes_at = in_bytes<std::uint64_t>(places);
  communicator.alltoallv(std::as_bytes(std::span(sizes)), sizes_at,
                         std::as_writable_bytes(std::span(coming)), sizes_at);
  Parcels<T> received;
  for (const std::uint64_t size : coming) received.begins.push_back(received.begins.back() + size);
  received.items.resize(received.begins.back());
  communicator.alltoallv(
      std::as_bytes(std::span(std::as_const(sent.items))), in_bytes<T>(sent.begins),
      std::as_writable_bytes(std::span(received.items)), in_bytes<T>(received.begins));
  return received;
}

// Rank 0 visits the parts of all ranks in order, one after another: it never has two of them.
template <class T, class Visit>
void visit_in_turn(Communicator& communicator, std::vector<T> own, Visit&& visit) {
  if (communicator.is_first()) visit(std::span<const T>(own));
  for (int turn = 1; turn < communicator.size(); ++turn) {
    Parcels<T> sent;
    if (communicator.rank() == turn) sent.items.swap(own);
    sent.begins.resize(static_cast<std::size_t>(communicator.size()) + 1, sent.items.size());
    const Parcels<T> received = exchange(communicator, std::move(sent));
    if (communicator.is_first()) visit(received.of(turn));
  }
}

// Rank 0 visits what `fill(row, items)` adds for the rows of all ranks, in their order and
// `at_once` rows at a time: nobody has more than that beside its rows.
template <class T, class Fill, class Visit>
void visit_rows(Communicator& communicator, RowRange own, std::size_t at_once, Fill&& fill,
                Visit&& visit) {
  const auto rows = gather_all(communicator, std::vector<std::uint64_t>{own.size()});
  for (int turn = 0; turn < communicator.size(); ++turn) {
    const bool is_own = communicator.rank() == turn;
    for (std::size_t first = 0; first < rows[static_cast<std::size_t>(turn)]; first += at_once) {
      Parcels<T> parcels;
      if (is_own)
        for (std::size_t row = first; row < std::min(first + at_once, own.size()); ++row)
          fill(own.begin + row, parcels.items);
      parcels.begins.resize(static_cast<std::size_t>(communicator.size()) + 1,
                            parcels.items.size());
      if (turn > 0) parcels = exchange(communicator, std::move(parcels));
      if (communicator.is_first()) visit(std::span<const T>(parcels.items));
    }
  }
}

// Writes an entry of what `fill(row, items)` adds for the rows of all ranks; `count`: how many
// items this rank has. Only rank 0's archive keeps them.
template <class T, class Fill>
void put_rows(ArchiveWriter& archive, const std::string& name, RowRange own, std::uint64_t count,
              Communicator& communicator, const Fill& fill) {
  constexpr std::size_t kRowsAtOnce = 4096;
  communicator.allreduce({&count, 1});
  archive.begin(name, sizeof(T), count * sizeof(T));
  visit_rows<T>(communicator, own, kRowsAtOnce, fill, [&](std::span<const T> part) {
    archive.append({reinterpret_cast<const char*>(part.data()), part.size_bytes()});
  });
}

// `own` has the rows of this rank, from its first one on. The rows of everybody:
template <class T>
Rows<T> gather_rows(Communicator& communicator, const RowBlocks& blocks, Rows<T> own) {
  if (communicator.size() == 1) return own;
  std::vector<std::uint32_t> counts(blocks.rows(), 0);
  for (std::size_t row = 0; row < own.size(); ++row)
    counts[blocks.own().begin + row] = static_cast<std::uint32_t>(own.of(row).size());
  share_rows(communicator, blocks, counts);
  Rows<T> all;
  all.begins.reserve(counts.size() + 1);
  for (const std::uint32_t count : counts) all.begins.push_back(all.begins.back() + count);
  all.items = gather_all(communicator, std::move(own.items));
  return all;
}

// The same rows under their numbers among all rows; those of other ranks are empty.
template <class T>
Rows<T> numbered_rows(const RowBlocks& blocks, Rows<T> own) {
  const RowRange rows = blocks.own();
  if (rows.size() == blocks.rows()) return own;
  Rows<T> numbered;
  numbered.begins.assign(blocks.rows() + 1, own.items.size());
  std::fill_n(numbered.begins.begin(), rows.begin, 0);
  std::ranges::copy(own.begins, numbered.begins.begin() + static_cast<std::ptrdiff_t>(rows.begin));
  numbered.items = std::move(own.items);
  return numbered;
}

}  // namespace dalaup
