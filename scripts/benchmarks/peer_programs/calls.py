"""The tool calls of stream-json logs, by DuckDB: calls.py FOLDER calls|counts."""

import sys

import duckdb

CALLS = f"""
    SELECT filename AS log, session_id AS session, call_id AS id, key[:-9] AS tool,
           body->>'$.args.command' AS command, body->>'$.args.path' AS path,
           if(json_exists(body, '$.result.success'), 'ok', 'error') AS outcome,
           CAST(body->>'$.result.success.exitCode' AS INTEGER) AS exit_code,
           CAST(tool_call->>'$.startedAtMs' AS BIGINT) AS started_ms,
           CAST(tool_call->>'$.completedAtMs' AS BIGINT) - started_ms AS duration_ms
    FROM (
        SELECT *, json_keys(tool_call)[1] AS key,
               json_extract(tool_call, '$.' || key) AS body
        FROM read_ndjson('{sys.argv[1]}/*.ndjson', filename = true, columns =
             {{'type': 'VARCHAR', 'subtype': 'VARCHAR', 'session_id': 'VARCHAR',
              'call_id': 'VARCHAR', 'tool_call': 'JSON'}})
        WHERE type = 'tool_call' AND subtype = 'completed'
    )
"""
COUNTS = f"""
    SELECT tool, count(*) AS calls, count_if(outcome = 'error') AS failed,
           sum(duration_ms) AS time_ms
    FROM ({CALLS}) GROUP BY tool
"""
query = {"calls": CALLS, "counts": COUNTS}[sys.argv[2]]
duckdb.sql(f"COPY ({query}) TO '/dev/stdout' (FORMAT json)")
