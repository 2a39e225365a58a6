#pragma once
// The ground every module stands on. Include this, not the headers below it.
#include "base/archive.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/line_reader.h"
#include "base/looks.h"
#include "base/memory.h"
#include "base/params.h"
#include "base/random.h"
#include "base/run.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/workers.h"
