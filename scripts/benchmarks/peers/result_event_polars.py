"""The members of the result event of a stream-json log that are known, by Polars."""

import sys

import polars

TEXT = polars.String
log = polars.scan_ndjson(
    "/dev/stdin",
    schema={
        "type": TEXT,
        "subtype": TEXT,
        "duration_ms": polars.Int64,
        "is_error": polars.Boolean,
        "result": TEXT,
        "session_id": TEXT,
    },
)
sys.stdout.write(log.filter(polars.col("type") == "result").collect().write_ndjson())
