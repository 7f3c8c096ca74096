"""The sample vault and a small one, served."""

from tests.features.conftest import restored, sample
from tests.server.conftest import served

__all__ = ["restored", "sample", "served"]
