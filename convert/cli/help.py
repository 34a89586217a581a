"""The help, as it is printed."""

SHORT = """\
usage: runconv [LOG ...] [-t FORMAT] [-o PATH]
       runconv diff A B
       agent -p --output-format stream-json PROMPT | runconv

runconv reads the logs of Cursor's command-line agent; see runconv --help.
"""

FULL = """\
usage: runconv [convert] [LOG ...] [-f FORMAT] [-t FORMAT] [-o PATH] [option ...]
       runconv diff A B [option ...]
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

  runconv diff a.ndjson b.ndjson           what two runs did differently: diff --help

  LOG                 a log of the agent, also in gzip, bzip2, xz or zstd; - or
                      nothing is standard input
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

  --redact            replace keys, tokens, passwords, private keys and e-mail
                      addresses by their kind, in every field and format
  --redact-pattern REGEX
                      and what matches, or its first group
  --max-line SIZE     skip lines that are longer (default 200MB)
  --max-input SIZE    read no archive that expands to more (default 10GB)
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

DIFF = """\
usage: runconv diff A B [option ...]

Compares two logs, A the baseline and B the candidate: the order of their tool calls,
how each ended, and what the agent said in the end. Ids, clocks, working directories
and other noise do not count; --verbose tells which rules were used.

  runconv diff old.ndjson new.ndjson          a table, or one line if they are the same
  runconv diff old.ndjson new.ndjson -q       the exit status alone
  runconv diff old.ndjson new.ndjson --fail-on major
                                              a moved call or another wording passes
  agent ... | runconv diff golden.ndjson -    a run against a log that was kept

  -f, --from FORMAT    format of both logs: auto (default), stream-json, json, text
  --from-a, --from-b   format of one
  --run N              only the N-th run of both, from the end if negative
  --redact, --redact-pattern REGEX    compare without secrets
  --max-line SIZE, --max-input SIZE   limits as for a conversion: runconv --help

what is different:
  --fail-on SEVERITY   exit 1 from here on: info, minor (default), major, critical
  --order HOW          partial (default: calls made at once have no order), strict, any
  --args HOW           exact (default), subject (path, command, …), ignore
  --match MODE         exact (default), in-order, unordered, superset, subset
  --allow-extra TOOLS  added calls of these tools pass: read,shell,mcp:jira/*
  --outputs            what calls gave counts, too
  --text HOW           auto (default), full, last, exact, ignore
  --min-similarity R   another final text is info from R on, below it major; 0 to 1
  --ignore CATEGORIES  these pass: added,removed,moved,args,outcome,text,…
  --require PARTS      trouble if a log lacks one of calls,result,status
  --max-duration-ratio R, --max-tokens-ratio R, --max-calls-ratio R
                       candidate / baseline may not be more, above the floors
                       --min-duration-ms 2000, --min-tokens 1000, --min-calls 5

what is noise:
  --ignore-arg TOOL.PATH   leave an argument out: *.request_id, shell.isBackground
  --keep-arg TOOL.NAME     compare one that is left out: shell.timeout
  --scrub 'REGEX=>TEXT'    replace in every string, after the rules
  --raw                    no rules: strings as they are recorded

the report:
  --format FORMAT      table (default), unified, json, markdown
  --full               every row and every change
  --width N            columns of the table; that of the terminal, else 100
  --name NAME          names the comment that --format markdown makes
  --color WHEN         auto (default), always, never
  --exit-zero          exit 0 though they differ
  -v, --verbose        the table in any case, and how often each rule was used
  -q, --quiet          print nothing but trouble
  --strict             the first warning is trouble
  --config FILE        settings in TOML, by their long names; else those under
                       [tool.runconv.diff] of the nearest pyproject.toml that has them
  -h, --help           this help

exit status:
  0  same    1  different    2  trouble: bad usage, a log that cannot be read, or a
                                part that --require asks for is missing
"""
