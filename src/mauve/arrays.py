"""Types of arrays, under the names that signatures use."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
IntegerArray = NDArray[np.integer]  # of any width
BoolArray = NDArray[np.bool_]
HashArray = NDArray[np.uint64]  # one 64-bit hash for each text
Features = NDArray[np.float32]  # one row for each text
Labels = NDArray[np.int32]  # the bucket of each text
