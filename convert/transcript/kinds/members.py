"""The members of common calls that are shown, as structs; texts are not cleaned.

Kinds that are not here take `Fields`. There are no annotations from __future__, which
msgspec would compile at each start.
"""

from typing import Any

from msgspec import Struct

from convert.transcript.fields import Flag, Number, Text, Texts


class ReadArguments(Struct, gc=False, rename="camel"):
    """Which file was to be read."""

    path: Text = None
    file_path: Text = None


class LinesRead(Struct, gc=False, rename="camel"):
    """The lines that were read of a file, from 1."""

    start_line: Number = None
    end_line: Number = None


class ReadOutput(Struct, gc=False, rename="camel"):
    """The content that was read of a file."""

    path: Text = None
    data: Text = None
    data_blob_id: Any = None
    content_blob_id: Any = None
    file_size: Number = None
    content: Text = None
    total_lines: Number = None
    read_range: LinesRead | None = None
    exceeded_limit: Flag = None


class LineFound(Struct, gc=False, rename="camel"):
    """A line that was found, or one around it."""

    line_number: Number = None
    content: Text = None
    is_context_line: Flag = None
    content_truncated: Flag = None


class LinesFound(Struct, gc=False):
    """The lines that were found in a file."""

    matches: list[LineFound]


class GlobOutput(Struct, gc=False, rename="camel"):
    """The files whose paths match a pattern."""

    files: Texts = None
    total_files: Number = None
    client_truncated: Flag = None
    ripgrep_truncated: Flag = None


class ShellArguments(Struct, gc=False, rename="camel"):
    """The command line."""

    command: Text = None
    working_directory: Text = None
    description: Text = None


class FileOfOutput(Struct, gc=False, rename="camel"):
    """A file that holds the whole of a long output."""

    file_path: Text = None
    line_count: Number = None
    size_bytes: Number = None


class ShellOutput(Struct, gc=False, rename="camel"):
    """The output of a command, and how it ended."""

    command: Text = None
    working_directory: Text = None
    interleaved_output: Text = None
    stdout: Text = None
    stderr: Text = None
    is_background: Flag = None
    background_reason: Text = None
    exit_code: Number = None
    timeout_ms: Number = None
    signal: Text = None
    aborted: Flag = None
    abort_reason: Text = None
    output_location: FileOfOutput | None = None
    local_execution_time_ms: Number = None
    execution_time: Number = None
