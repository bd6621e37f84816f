"""The version of numexpr whose interface and rules this package has."""

import platform

version = "2.14.2"
platform_machine: str = platform.machine()
