"""Read logs of inspect_ai, .eval and .json: the answers of a model, epochs beside each other."""

import importlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from mauve.errors import InvalidParameterError, need_packages
from mauve.escape import escaped, shortened
from mauve.text.conversations import text_of_content
from mauve.text.fields import Fields, Record

_ZSTANDARD = 93  # the number of this compression in zip files
_LOCAL_HEADER = 30  # bytes before the name in front of each file of a zip
_HEADER = "header.json"
_SAMPLES = "samples/"
_ATTACHMENT = "attachment://"
_REASON = 100  # characters of what another library says of a file


def is_inspect_log(value: Any) -> bool:
    """Whether a JSON value is a log of inspect_ai.

    Examples
    --------
    >>> is_inspect_log({"version": 2, "status": "success", "eval": {"task": "t"}, "samples": []})
    True
    """
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("eval"), Mapping)
        and isinstance(value.get("status"), str)
        and "version" in value
    )


def inspect_records(log: Mapping[str, Any], fields: Fields) -> Iterator[Record]:
    """Yield the answers in a JSON log.

    Examples
    --------
    >>> sample = {"id": 1, "epoch": 1, "input": "Hi?", "output": {"completion": "Hi."}}
    >>> log = {"version": 2, "status": "success", "eval": {}, "samples": [sample]}
    >>> [*inspect_records(log, Fields("'log.json'"))]
    [Record(text='Hi.', prompt='Hi?', id='1', metadata={}, has_fields=True)]
    """
    _check_status(log, fields)
    yield from _grouped(log.get("samples") or [], fields)


def inspect_archive_records(path: Path, fields: Fields) -> Iterator[Record]:
    """Yield the answers in an .eval log, a zip with a file of JSON for each sample.

    They are read without inspect_ai, which takes 12 ms a sample to check the whole of it.

    Raises
    ------
    InvalidParameterError
        If the file is damaged or of another kind, or if the run or a sample failed.
    MissingExtraError
        If the zip is compressed with Zstandard, as inspect_ai does since 2026, and the package
        that reads it is not installed.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            members = {info.filename: info for info in archive.infolist()}
            if _HEADER not in members:
                kind = "a run that has not ended" if "_journal/start.json" in members else "a zip"
                raise InvalidParameterError(
                    f"{fields.file} must be a log of inspect_ai with its file {_HEADER}. Got "
                    f"{kind} instead: wait for its end, or pass another log."
                )
            _check_status(_member(file, archive, members[_HEADER], fields), fields)
            samples = (
                _member(file, archive, info, fields)
                for name, info in members.items()
                if name.startswith(_SAMPLES) and name.endswith(".json")
            )
            yield from _grouped(samples, fields)
    except (
        OSError, EOFError, ValueError, RecursionError, zipfile.BadZipFile, zlib.error, struct.error,
    ) as error:  # fmt: skip
        if isinstance(error, InvalidParameterError):
            raise
        reason = str(error).partition("\n")[0][:_REASON]
        raise InvalidParameterError(
            f"{fields.file} could not be read as a log of inspect_ai ({escaped(reason)}). It may "
            "be cut short: copy it again."
        ) from error


def _member(
    file: BinaryIO, archive: zipfile.ZipFile, info: zipfile.ZipInfo, fields: Fields
) -> Mapping[str, Any]:
    """Return one file of the archive, which is a JSON object."""
    is_packed = info.compress_type == _ZSTANDARD
    value = json.loads(_zstandard(file, info, fields) if is_packed else archive.read(info))
    if not isinstance(value, Mapping):
        raise ValueError(f"{info.filename} is no JSON object")
    return value


def _zstandard(file: BinaryIO, info: zipfile.ZipInfo, fields: Fields) -> bytes:
    """Decompress a file of the archive, as the zipfile of Python does from 3.14 on."""
    need_packages(f"{fields.file}, which is compressed with Zstandard,", ["zstandard"], "inspect")
    zstandard = importlib.import_module("zstandard")  # only here: for logs of this kind
    file.seek(info.header_offset + _LOCAL_HEADER - 4)
    skipped = sum(struct.unpack("<HH", file.read(4)))  # name and extra fields
    file.seek(info.header_offset + _LOCAL_HEADER + skipped)
    packed = file.read(info.compress_size)
    try:
        raw: bytes = zstandard.ZstdDecompressor().decompress(packed, info.file_size)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    if zlib.crc32(raw) != info.CRC:
        raise ValueError(f"{info.filename} has another checksum")
    return raw


def _check_status(header: Mapping[str, Any], fields: Fields) -> None:
    status = header.get("status")
    if status != "success":
        raise InvalidParameterError(
            f"{fields.file} must be the log of a run that ended. Its status is "
            f"'{escaped(str(status))}': complete it with inspect eval-retry."
        )


def _grouped(samples: Iterable[Mapping[str, Any]], fields: Fields) -> Iterator[Record]:
    """Yield the records of samples, in the order of their ids; epochs of one id follow another."""
    epochs: dict[str, list[tuple[int, Record]]] = {}
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, Mapping) or "id" not in sample or "output" not in sample:
            raise InvalidParameterError(
                f"Sample {number} of {fields.file} must be a sample of inspect_ai, with id and "
                "output. Got something else instead: pass the log as inspect_ai wrote it."
            )
        record, epoch = _record(sample, fields), int(sample.get("epoch") or 1)
        of_id = epochs.setdefault(str(record.id), [])
        if any(epoch == other for other, _ in of_id):
            raise InvalidParameterError(
                f"{fields.file} must have one sample of each id and epoch. Got "
                f"'{escaped(shortened(str(record.id)))}', epoch {epoch}, once more: pass the log "
                "of one run."
            )
        of_id.append((epoch, record))
    if not epochs:
        raise InvalidParameterError(
            f"{fields.file} must hold the samples of a run. Got none: pass a log that was written "
            "with its samples (--log-samples)."
        )
    for records in epochs.values():
        yield from (record for _, record in sorted(records, key=lambda pair: pair[0]))


def _record(sample: Mapping[str, Any], fields: Fields) -> Record:
    id_ = str(sample["id"])
    where = f"Sample '{escaped(shortened(id_))}'"
    error = sample.get("error")
    if error:
        message = error.get("message") if isinstance(error, Mapping) else error
        reason = escaped(shortened(str(message).partition("\n")[0]))
        raise InvalidParameterError(
            f"{where} of {fields.file} must hold the answer of a model. It failed ({reason}): "
            "complete the run with inspect eval-retry."
        )
    if fields.is_default:
        text = _completion(sample, fields, where)
    else:
        text = fields.record(sample, where).text
    metadata = sample.get("metadata")
    return Record(
        _attached(text, sample, fields, where),
        _attached(_prompt(sample.get("input"), fields, where), sample, fields, where),
        id_,
        dict(metadata) if isinstance(metadata, Mapping) else {},
        True,
    )


def _completion(sample: Mapping[str, Any], fields: Fields, where: str) -> str:
    output = sample["output"] if isinstance(sample["output"], Mapping) else {}
    completion = output.get("completion")
    if isinstance(completion, str):
        return completion
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, Mapping) else None
    content = message.get("content") if isinstance(message, Mapping) else None
    text = text_of_content(content, fields, where)
    if text is None:
        raise InvalidParameterError(
            f"{where} of {fields.file} must hold the answer of a model. Got none: complete the run "
            "with inspect eval-retry."
        )
    return text


def _prompt(given: Any, fields: Fields, where: str) -> str:
    """Return the input of a sample, a string or messages, as one string."""
    if isinstance(given, str):
        return given
    messages = given if isinstance(given, list) else []
    contents = [m.get("content") for m in messages if isinstance(m, Mapping)]
    texts = [text_of_content(content, fields, where) for content in contents]
    return "\n\n".join(text for text in texts if text is not None)


def _attached(text: str, sample: Mapping[str, Any], fields: Fields, where: str) -> str:
    """Return a text that stands among the attachments of its sample, or the text itself."""
    attachments = sample.get("attachments")
    if not text.startswith(_ATTACHMENT):
        return text
    name = text.removeprefix(_ATTACHMENT)
    if isinstance(attachments, Mapping) and isinstance(attachments.get(name), str):
        return str(attachments[name])
    raise InvalidParameterError(
        f"{where} of {fields.file} must hold the attachment that it names. Got none of the name "
        f"'{escaped(shortened(name))}' instead: pass the log as inspect_ai wrote it."
    )
