"""First on the path of programs that `python -m kexpr.numexpr` runs."""

import kexpr.numexpr

kexpr.numexpr.install()
