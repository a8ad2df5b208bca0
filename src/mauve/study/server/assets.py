"""Load the files of the pages once, compressed, with the checksum that caches compare."""

import gzip
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from fastapi import Request, Response

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """A file of a page.

    Attributes
    ----------
    content, compressed : bytes
        As it is, and compressed with gzip.
    media_type : str
    checksum : str
        What a browser sends to ask whether its copy is still the right one.
    """

    content: bytes
    compressed: bytes
    media_type: str
    checksum: str

    def response(self, request: Request) -> Response:
        """Return the file, or word that the browser's copy is the same."""
        headers = {"ETag": self.checksum, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match", "").removeprefix("W/") == self.checksum:
            return Response(status_code=304, headers=headers)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self.content, media_type=self.media_type, headers=headers)
        headers["Content-Encoding"] = "gzip"
        return Response(self.compressed, media_type=self.media_type, headers=headers)


def load_assets() -> dict[str, Asset]:
    """Return the files of the pages by name.

    Examples
    --------
    >>> sorted(load_assets())[-1]
    'requests.js'
    """
    assets = {}
    for path in files("mauve.study.page").iterdir():
        suffix = path.name.rpartition(".")[2]
        if suffix in _TYPES:
            content = path.read_bytes()
            checksum = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            compressed = gzip.compress(content, mtime=0)
            assets[path.name] = Asset(content, compressed, _TYPES[suffix], checksum)
    return assets
