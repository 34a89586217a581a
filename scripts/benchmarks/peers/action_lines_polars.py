"""The action lines of a stream-json log, by Polars."""

import sys

import polars
from phrases import PHRASES

TEXT = polars.String
# A member that no log has in a success: the query asks only if there is a success.
SUCCESS = polars.Struct({"success": polars.Struct({"none": TEXT})})
CALLS = polars.Struct({key: polars.Struct({"result": SUCCESS}) for key in PHRASES})
log = polars.scan_ndjson(
    "/dev/stdin", schema={"type": TEXT, "subtype": TEXT, "tool_call": CALLS}
)
tool = polars.col("tool_call").struct
calls = log.filter(
    (polars.col("type") == "tool_call") & (polars.col("subtype") == "completed")
).select(
    polars.coalesce(
        polars.when(tool.field(key).is_not_null()).then(
            polars.when(
                tool.field(key)
                .struct.field("result")
                .struct.field("success")
                .is_not_null()
            )
            .then(polars.lit(phrase))
            .otherwise(polars.lit(f"{phrase} (error)"))
        )
        for key, phrase in PHRASES.items()
    )
)
for (line,) in calls.collect().iter_rows():
    sys.stdout.write(f"{line}\n")
