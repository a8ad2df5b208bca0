"""Switch off the telemetry of libraries, which would break the promise to work offline.

ONNX Runtime writes an identifier of the device to the user's cache folder and looks up a host
for its events some seconds later. Hugging Face's libraries describe the session in requests.
Both read their variables once, when they are imported, so this must come first.
"""

import os

#: Variables that are set to "1" unless the user has set them.
VARIABLES = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY")


def switch_off_telemetry() -> None:
    """Set the variables of the environment that the libraries read.

    A value of the user's own is kept: ``ORT_DISABLE_TELEMETRY=0`` switches telemetry on.

    Examples
    --------
    >>> switch_off_telemetry()
    >>> os.environ["ORT_DISABLE_TELEMETRY"]
    '1'
    """
    for name in VARIABLES:
        if not os.environ.get(name):  # an empty value would leave it on
            os.environ[name] = "1"
