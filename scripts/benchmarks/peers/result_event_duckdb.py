"""The result event of a stream-json log, by DuckDB."""

import sys

import duckdb

QUERY = """
    SELECT json FROM read_ndjson_objects('/dev/stdin', maximum_object_size = 200000000)
    WHERE json->>'type' = 'result'
"""
for (line,) in duckdb.sql(QUERY).fetchall():
    sys.stdout.write(f"{line}\n")
