"""The help, as it is printed."""

SHORT = """\
usage: runconv [LOG ...] [-t FORMAT] [-o PATH]
       agent -p --output-format stream-json PROMPT | runconv

runconv reads the logs of Cursor's command-line agent; see runconv --help.
"""

FULL = """\
usage: runconv [convert] [LOG ...] [-f FORMAT] [-t FORMAT] [-o PATH] [option ...]
       runconv formats

Converts the logs of Cursor's command-line agent (agent --print).

  runconv run.ndjson                       one line for each tool call
  runconv run.ndjson --detail --answer     with targets, and the final message
  runconv run.ndjson -o run.md             a Markdown transcript
  runconv run.ndjson -t json               the json summary of the run
  runconv logs/*.ndjson -o actions/        a folder, one output for each log
  agent -p --output-format stream-json 'fix the tests' | runconv
                                           each line as soon as its call ends
  agent ... | tee run.ndjson | runconv     the same, and the log is kept
  agent ... | runconv --exit-status        fails if the agent fails

  LOG                 a log of the agent; - or nothing is standard input
  -f, --from FORMAT   format of the log: auto (default), stream-json, json, text
                      (answer is read as text)
  -t, --to FORMAT     text (default), markdown, json, stream-json, answer; without
                      it the suffix of PATH tells: .txt .md .json .ndjson .jsonl
  -o, --output PATH   a file, written whole or not at all, or a folder: one that is
                      there, or a path that ends in /
  --run N             only the N-th run of the log, from the end if negative

options for text:
  --detail            add what each call is about: Read file: src/app.py
  --lang LANGUAGE     en (default), es, fr, de, ko, ja, zh, tr
  --answer            add the final message below the lines

options for markdown:
  --tool-output HOW   none, preview (default: up to 20 lines and 2 kB of each) or full
  --max-bytes N       no longer than this, from 4096 on; written when the log ends
  --thinking          the reasoning, folded
  --front-matter      the facts as YAML on top; written when the log ends

options for json:
  --partial           an object for a run without a result, too

  --exit-status       exit 1 if a run did not succeed
  --strict            the first warning is an error
  -q, --quiet         no warnings
  -h, --help          this help
  --version           the version

exit status:
  0    converted
  1    -t json and a run has no result (without --partial), or --exit-status and a
       run did not succeed
  2    trouble: bad usage, no log, a log that cannot be read, or --strict
  130  interrupted        141  the reader of the output is gone
"""
