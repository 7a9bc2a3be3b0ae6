"""Finding the configuration file, reading it and what it inherits. Reloading is loading again."""

import os
from collections.abc import Mapping
from pathlib import Path

from guardd import paths
from guardd.config.configuration import Config, make_config
from guardd.config.document import Section, decode_document, read_document
from guardd.config.errors import ConfigError, raise_any, shown_file
from guardd.config.layers import FileLayers, layers_and_errors, read_layers

UNNAMED = "<configuration>"


def load(
    path: Path | str | None = None, environ: Mapping[str, str] | None = None, uid: int | None = None
) -> Config:
    """Load the first configuration file of: the named one, `$GUARDD_CONFIG`, the user's own, the system's.

    A file that is named must exist; without any, the defaults hold, and a note says so.

    Args:
        path: what `--config` names.
        environ: the environment; this process's if not given.
        uid: the user who asks; the effective one if not given.

    Raises:
        ConfigError: a file cannot be read or holds what cannot be used. Nothing else is raised.
    """
    environ = os.environ if environ is None else environ
    uid = os.geteuid() if uid is None else uid
    named = paths.expand_home(str(path), environ, uid) if path else paths.named_config(environ, uid)
    if named:
        return _load_file(Path(named), [])
    return _load_default(paths.config_candidates(environ, uid))


def parse(text: str, file: Path | str | None = None) -> Config:
    """Make a configuration of a text.

    Args:
        text: the JSON5 text.
        file: the name that it goes by in errors and origins; relative paths in it begin in its directory, or
            else in the current one.

    Raises:
        ConfigError: the text, or the file that it inherits, holds what cannot be used.
    """
    if file is None:
        directory = _absolute(Path(UNNAMED)).parent
        return _make(None, decode_document(text, UNNAMED), UNNAMED, directory, [])
    path = _absolute(Path(file))
    name = shown_file(str(path))
    return _make(path, decode_document(text, name), name, path.parent, [])


def _load_default(candidates: list[str]) -> Config:
    notes = []
    for candidate in map(Path, candidates):
        try:
            candidate.stat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            if str(candidate) == paths.SYSTEM_CONFIG:
                raise ConfigError(
                    shown_file(str(candidate)),
                    f"cannot be looked for: {error.strerror}; chmod go+rX {candidate.parent}",
                ) from None
            # A service may be kept from looking into homes at all; that says nothing of a file there.
            notes.append(f"{shown_file(str(candidate))} cannot be looked for: {error.strerror}")
            continue
        return _load_file(candidate, notes)
    notes.append(
        f"no configuration file ({' or '.join(map(shown_file, candidates))}): "
        "only the post-compaction guard watches; `guardd init` writes a file that switches loop detection on"
    )
    return make_config(None, FileLayers({}, {}, {}, []), None, notes)


def _load_file(path: Path, notes: list[str]) -> Config:
    path = _absolute(path)
    return _make(path, read_document(path), shown_file(str(path)), path.parent, notes)


def _make(path: Path | None, document: Section, name: str, directory: Path, notes: list[str]) -> Config:
    own, inherited = layers_of(document, name, directory)
    return make_config(path, own, inherited, notes)


def layers_of(document: Section, name: str, directory: Path) -> tuple[FileLayers, FileLayers | None]:
    """Return what a decoded file sets, and what the file that it inherits sets, if it names one.

    Raises:
        ConfigError: either holds what cannot be used; all of that is told.
    """
    own, errors = layers_and_errors(document, name, directory, inherited=False)
    inherit, inherited = own.guardd.get("inherit"), None
    if inherit is not None:
        try:
            inherited = _inherited(inherit.value)
        except ConfigError as error:
            errors += [_of_inherited(one, inherit.origin) for one in error.errors]
    raise_any(errors)
    return own, inherited


def _inherited(path: Path) -> FileLayers:
    return read_layers(read_document(path), shown_file(str(path)), path.parent, inherited=True)


def _of_inherited(error: ConfigError, origin: str) -> ConfigError:
    reason = f"{error.reason} (inherited by {origin})"
    return ConfigError(error.file, reason, key=error.key, value=error.value)


def _absolute(path: Path) -> Path:
    """Return the path from the root on, so that it is still that file when the daemon changes directory."""
    try:
        return path.absolute()
    except OSError:  # the current directory is gone; reading will fail, and say so
        return path
