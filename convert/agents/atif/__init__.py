"""atif: one document for each run, in the Agent Trajectory Interchange Format.

    {"schema_version":"ATIF-v1.7","agent":{"name":"codex","version":"0.154.0"},"steps":[]}

It is the format of Harbor, RFC 0001, which trace stores and training tools read. The
members `extra` hold facts that the format has no member for, so that a run reads back
as it was.

document   the members of a document as structs, with runconv's own in `extra`
writer     events -> document: steps, the calls in them, facts in `extra`
reader     document -> the events of a run, step by step
calls      the calls of a step and how they ended, by whichever program wrote them
"""
