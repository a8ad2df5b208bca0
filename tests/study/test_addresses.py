"""Addresses that people open."""

import pytest

from mauve.errors import InvalidParameterError
from mauve.study.addresses import check_address


@pytest.mark.parametrize(
    "url", ["https://a.org", "http://127.0.0.1:8000/", "https://a.org/study/1/", "http://[::1]:80"]
)
def test_addresses_of_pages(url):
    check_address("url", url)


@pytest.mark.parametrize(
    "url",
    ["a.org", "ftp://a.org", "https://", "javascript:1", "http://a:99999/", "http://[a", "",
     "https://a.org/x y", "https://a.org/\n"],
)  # fmt: skip
def test_what_no_browser_opens_is_refused(url):
    with pytest.raises(InvalidParameterError, match=r"an address such as https://study\."):
        check_address("url", url)


def test_a_link_can_be_made_of_a_page_alone():
    for url in ("https://a.org/?x=1", "https://a.org/#y"):
        with pytest.raises(InvalidParameterError, match="without \\? and #"):
            check_address("url", url)
        check_address("url", url, is_page=False)
