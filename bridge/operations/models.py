"""The embedding models: which there are, which are here, and which is used."""

import asyncio
from dataclasses import dataclass

from bridge.operations.call import Call
from bridge.operations.registry import operation


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model.

    Attributes:
        id: Its name in the settings.
        title: What its makers call it.
        dimensions: Numbers in one of its vectors.
        size_mb: The size of its file in MB; null when that is not known.
        languages: The languages it was made for.
        license: The licence it comes under.
        installed: Whether it is on this machine.
        chosen: Whether the settings name it.
    """

    id: str
    title: str
    dimensions: int
    size_mb: float | None
    languages: str
    license: str
    installed: bool
    chosen: bool


@dataclass(frozen=True, slots=True)
class ListedModels:
    """The models.

    Attributes:
        models: Those that can be installed by name, and those that were made of files.
    """

    models: tuple[ListedModel, ...]


@operation(
    example={},
    vault=False,
    tasks=("which embedding models are there", "model in use"),
)
async def list_models(call: Call) -> ListedModels:
    """List the embedding models, those that are installed and those that can be; none is fetched."""
    return await asyncio.to_thread(listed, call)


def listed(call: Call) -> ListedModels:
    """Look into the models folder and the settings."""
    from bridge.models import catalogue, installed
    from bridge.settings import load

    wanted = load(call.bridge.settings_path)[0].model
    here = {model.spec.id: model for model in installed(call.bridge.models_dir)}
    specs = {spec.id: spec for spec in (*catalogue(), *(model.spec for model in here.values()))}
    return ListedModels(
        tuple(
            ListedModel(
                id=spec.id,
                title=spec.title,
                dimensions=spec.dimensions,
                size_mb=in_mb(here[spec.id].path.stat().st_size if spec.id in here else spec.size_bytes),
                languages=spec.languages,
                license=spec.license,
                installed=spec.id in here,
                chosen=spec.id == wanted,
            )
            for spec in specs.values()
        )
    )


def in_mb(size: int | None) -> float | None:
    """Return bytes as MB."""
    return None if size is None else round(size / 1e6, 1)
