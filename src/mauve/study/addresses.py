"""Check the addresses that people open, and make links of invitations."""

from urllib.parse import urlsplit

from mauve.errors import bad_parameter


def check_address(name: str, url: str, *, is_page: bool = True) -> None:
    """Raise unless a URL is one that a browser opens.

    Parameters
    ----------
    name : str
        Of the parameter.
    url : str
    is_page : bool
        Whether it is that of the annotation page, which has neither ``?`` nor ``#``.

    Raises
    ------
    InvalidParameterError
        If it is none.

    Examples
    --------
    >>> check_address("url", "study.example.org")
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: The 'url' parameter of ... must be an address such as \
https://study.example.org/. Got 'study.example.org' instead.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isprintable() or " " in url:
        raise bad_parameter(name, "an address such as https://study.example.org/", url)
    if is_page and ("?" in url or "#" in url):
        raise bad_parameter(name, "the address of the page alone, without ? and #", url)


def invitation_link(url: str, token: str) -> str:
    """Return the link of an invitation to the page at a URL.

    What stands behind the ``#`` stays in the browser, so that no server logs it.

    Examples
    --------
    >>> invitation_link("https://study.example.org", "b1946ac9")
    'https://study.example.org/#invite=b1946ac9'
    """
    return f"{url.rstrip('/')}/#invite={token}"
