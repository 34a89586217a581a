"""Every option, stated once.

conversion   the options of reading a log and of converting it
settings     the settings of comparisons: of two logs, and of two folders
option_set   how an option is stated, checked and shown; sizes, durations, patterns
"""

from convert.registry import exports

# Names that others import from the package; each loads its module.
__getattr__ = exports(
    __name__,
    {
        "conversion": "NOISE Options Reading ToolOutput",
        "option_set": "Option OptionSet milliseconds option",
        "settings": "CATEGORIES Category GROWTH_LIMITS MATCHES SEVERITIES Settings "
        "SuiteSettings",
    },
)
