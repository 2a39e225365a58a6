#pragma once
// A disk that can lose its power: an SQLite VFS that remembers every write and every sync, and
// makes from them what a disk may hold when the power goes at any moment.
#include <sqlite3.h>

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/base.h"

namespace dalaup {

class RecordedDisk {
 public:
  using Images = std::map<std::string, std::string>;  // path -> content

  // From here on SQLite writes through it; files of `before` are as given. A sync takes at least
  // that long, as on a disk that turns.
  explicit RecordedDisk(Images before, std::chrono::milliseconds sync_takes = {});
  ~RecordedDisk();
  RecordedDisk(const RecordedDisk&) = delete;
  RecordedDisk& operator=(const RecordedDisk&) = delete;

  // SQLite writes as it did before. Everything opened meanwhile must be closed.
  void stop();
  // How many operations there were so far: moments at which the power can go.
  std::size_t moment() const;
  // What was synced before that moment is there. Of what was not, every sector of 512 bytes and
  // every change of size is there or not, each with that chance. `syncs_count`: a disk that lies
  // when false.
  Images after_power_loss(std::size_t moment, double chance, Random random,
                          bool syncs_count = true) const;

  enum class Kind { kWrite, kTruncate, kSync, kDelete };
  void record(const std::string& path, Kind kind, std::size_t offset, std::string_view bytes);
  std::chrono::milliseconds sync_takes() const { return sync_takes_; }

 private:
  struct Operation {
    std::string path;
    Kind kind;
    std::size_t offset;  // of a write; the new size of a truncation
    std::string bytes;
  };
  static void apply(const Operation& operation, Images& images);

  mutable std::mutex mutex_;
  Images before_;
  std::chrono::milliseconds sync_takes_;
  std::vector<Operation> operations_;
};

namespace power_loss {

inline RecordedDisk* disk = nullptr;  // SQLite's callbacks have no other way to it
inline sqlite3_vfs* real = nullptr;

struct File {
  sqlite3_file base;
  std::string* path;
  sqlite3_file* inner;
};

inline sqlite3_file* inner_of(sqlite3_file* file) { return reinterpret_cast<File*>(file)->inner; }
inline void record(sqlite3_file* file, RecordedDisk::Kind kind, sqlite3_int64 offset = 0,
                   std::string_view bytes = {}) {
  disk->record(*reinterpret_cast<File*>(file)->path, kind, static_cast<std::size_t>(offset), bytes);
}

inline int close(sqlite3_file* file) {
  const int status = inner_of(file)->pMethods == nullptr
                         ? SQLITE_OK
                         : inner_of(file)->pMethods->xClose(inner_of(file));
  delete reinterpret_cast<File*>(file)->path;
  sqlite3_free(inner_of(file));
  return status;
}
inline int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  const int status = inner_of(file)->pMethods->xWrite(inner_of(file), data, size, offset);
  if (status == SQLITE_OK)
    record(file, RecordedDisk::Kind::kWrite, offset,
           {static_cast<const char*>(data), static_cast<std::size_t>(size)});
  return status;
}
inline int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int status = inner_of(file)->pMethods->xTruncate(inner_of(file), size);
  if (status == SQLITE_OK) record(file, RecordedDisk::Kind::kTruncate, size);
  return status;
}
inline int sync(sqlite3_file* file, int flags) {
  std::this_thread::sleep_for(disk->sync_takes());
  const int status = inner_of(file)->pMethods->xSync(inner_of(file), flags);
  if (status == SQLITE_OK) record(file, RecordedDisk::Kind::kSync);
  return status;
}

// Everything else is the real file's. Version 2: shared memory, but no mapped reads.
inline const sqlite3_io_methods* methods() {
  static const sqlite3_io_methods all = [] {
    sqlite3_io_methods made{};
    made.iVersion = 2;
    made.xClose = close;
    made.xRead = [](sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
      return inner_of(file)->pMethods->xRead(inner_of(file), data, size, offset);
    };
    made.xWrite = write;
    made.xTruncate = truncate;
    made.xSync = sync;
    made.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
      return inner_of(file)->pMethods->xFileSize(inner_of(file), size);
    };
    made.xLock = [](sqlite3_file* file, int level) {
      return inner_of(file)->pMethods->xLock(inner_of(file), level);
    };
    made.xUnlock = [](sqlite3_file* file, int level) {
      return inner_of(file)->pMethods->xUnlock(inner_of(file), level);
    };
    made.xCheckReservedLock = [](sqlite3_file* file, int* result) {
      return inner_of(file)->pMethods->xCheckReservedLock(inner_of(file), result);
    };
    made.xFileControl = [](sqlite3_file* file, int operation, void* argument) {
      return inner_of(file)->pMethods->xFileControl(inner_of(file), operation, argument);
    };
    made.xSectorSize = [](sqlite3_file* file) {
      return inner_of(file)->pMethods->xSectorSize(inner_of(file));
    };
    made.xDeviceCharacteristics = [](sqlite3_file* file) {
      return inner_of(file)->pMethods->xDeviceCharacteristics(inner_of(file));
    };
    made.xShmMap = [](sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
      return inner_of(file)->pMethods->xShmMap(inner_of(file), page, size, extend, memory);
    };
    made.xShmLock = [](sqlite3_file* file, int offset, int count, int flags) {
      return inner_of(file)->pMethods->xShmLock(inner_of(file), offset, count, flags);
    };
    made.xShmBarrier = [](sqlite3_file* file) {
      inner_of(file)->pMethods->xShmBarrier(inner_of(file));
    };
    made.xShmUnmap = [](sqlite3_file* file, int remove) {
      return inner_of(file)->pMethods->xShmUnmap(inner_of(file), remove);
    };
    return made;
  }();
  return &all;
}

inline int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* result) {
  auto* const own = reinterpret_cast<File*>(file);
  own->base.pMethods = nullptr;
  own->inner = static_cast<sqlite3_file*>(sqlite3_malloc(real->szOsFile));
  std::memset(own->inner, 0, static_cast<std::size_t>(real->szOsFile));
  own->path = new std::string(name == nullptr ? "" : name);
  const int status = real->xOpen(real, name, own->inner, flags, result);
  if (status == SQLITE_OK) {
    own->base.pMethods = methods();
  } else {
    delete own->path;
    sqlite3_free(own->inner);
  }
  return status;
}
inline int remove(sqlite3_vfs*, const char* name, int sync_folder) {
  const int status = real->xDelete(real, name, sync_folder);
  if (status == SQLITE_OK) disk->record(name, RecordedDisk::Kind::kDelete, 0, {});
  return status;
}

}  // namespace power_loss

inline RecordedDisk::RecordedDisk(Images before, std::chrono::milliseconds sync_takes)
    : before_(std::move(before)), sync_takes_(sync_takes) {
  power_loss::real = sqlite3_vfs_find(nullptr);
  power_loss::disk = this;
  static sqlite3_vfs vfs;
  vfs = *power_loss::real;
  vfs.zName = "recorded";
  vfs.szOsFile = sizeof(power_loss::File);
  vfs.xOpen = power_loss::open;
  vfs.xDelete = power_loss::remove;
  sqlite3_vfs_register(&vfs, 1);
}

inline RecordedDisk::~RecordedDisk() { stop(); }

inline void RecordedDisk::stop() {
  if (power_loss::disk == nullptr) return;
  sqlite3_vfs_unregister(sqlite3_vfs_find("recorded"));
  sqlite3_vfs_register(power_loss::real, 1);
  power_loss::disk = nullptr;
}

inline std::size_t RecordedDisk::moment() const {
  const std::lock_guard lock(mutex_);
  return operations_.size();
}

inline void RecordedDisk::record(const std::string& path, Kind kind, std::size_t offset,
                                 std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  operations_.push_back({path, kind, offset, std::string(bytes)});
}

inline void RecordedDisk::apply(const Operation& operation, Images& images) {
  if (operation.kind == Kind::kDelete) {
    images.erase(operation.path);
    return;
  }
  std::string& image = images[operation.path];
  if (operation.kind == Kind::kTruncate) image.resize(operation.offset);
  if (operation.kind != Kind::kWrite) return;
  if (image.size() < operation.offset + operation.bytes.size())
    image.resize(operation.offset + operation.bytes.size());
  image.replace(operation.offset, operation.bytes.size(), operation.bytes);
}

inline RecordedDisk::Images RecordedDisk::after_power_loss(std::size_t moment, double chance,
                                                           Random random, bool syncs_count) const {
  constexpr std::size_t kSector = 512;
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::size_t> synced;  // all before it is safe
  if (syncs_count)
    for (std::size_t place = 0; place < moment; ++place)
      if (operations_[place].kind == Kind::kSync) synced[operations_[place].path] = place;
  Images images = before_;
  for (std::size_t place = 0; place < moment; ++place) {
    const Operation& operation = operations_[place];
    const auto safe = synced.find(operation.path);
    if (safe != synced.end() && place <= safe->second) {
      apply(operation, images);
    } else if (operation.kind == Kind::kWrite) {
      for (std::size_t begin = 0; begin < operation.bytes.size(); begin += kSector)
        if (random.uniform() < chance)
          apply({operation.path, Kind::kWrite, operation.offset + begin,
                 operation.bytes.substr(begin, kSector)},
                images);
    } else if (operation.kind != Kind::kSync && random.uniform() < chance) {
      apply(operation, images);
    }
  }
  return images;
}

}  // namespace dalaup
