#pragma once
// Numbers in bulk: dense matrices, sparse rows, vectors of the processor, products, logistic
// regression, optimisers. Include this, not the headers below it.
#include "numeric/alias_table.h"
#include "numeric/lanes.h"
#include "numeric/logistic.h"
#include "numeric/matrix.h"
#include "numeric/optimiser.h"
#include "numeric/processor.h"
#include "numeric/products.h"
#include "numeric/sparse_rows.h"
#include "numeric/tensors.h"
