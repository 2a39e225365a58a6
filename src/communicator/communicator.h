#pragma once
// Several processes at work on one job: who they are (ranks.h), which rows each of them has
// (row_blocks.h), and what they exchange (parts.h, column_sums.h).
#include "communicator/column_sums.h"
#include "communicator/parts.h"
#include "communicator/ranks.h"
#include "communicator/row_blocks.h"
