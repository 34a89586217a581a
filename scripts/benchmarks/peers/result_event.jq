# The result event of a stream-json log.
select(.type == "result")
