"""The action lines of a stream-json log, by DuckDB."""

import sys

import duckdb
from phrases import PHRASES

QUERY = """
    SELECT json_keys(tool_call)[1],
           json_exists(tool_call, '$.' || json_keys(tool_call)[1] || '.result.success')
    FROM read_ndjson('/dev/stdin', maximum_object_size = 200000000, columns =
         {'type': 'VARCHAR', 'subtype': 'VARCHAR', 'tool_call': 'JSON'})
    WHERE type = 'tool_call' AND subtype = 'completed'
"""
for key, success in duckdb.sql(QUERY).fetchall():
    note = "" if success else " (error)"
    sys.stdout.write(f"{PHRASES.get(key, f'Used tool {key}')}{note}\n")
