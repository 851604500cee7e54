import os
from collections.abc import Iterable
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, final, type_check_only

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer, Self

_Key: TypeAlias = str | bytes | SupportsIndex
_Kind: TypeAlias = Literal["text", "utf16", "int64", "int32"]
