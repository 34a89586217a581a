//! The action lines or the result event of a stream-json log, decoded into types.

use serde::de::IgnoredAny;
use serde::Deserialize;
use std::borrow::Cow;
use std::io::{self, BufRead, Write};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    subtype: Cow<'a, str>,
    #[serde(default)]
    tool_call: Tools,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tools {
    #[serde(rename = "readToolCall")]
    read: Option<Call>,
    #[serde(rename = "editToolCall")]
    edit: Option<Call>,
    #[serde(rename = "deleteToolCall")]
    delete: Option<Call>,
    #[serde(rename = "shellToolCall")]
    shell: Option<Call>,
    #[serde(rename = "grepToolCall")]
    grep: Option<Call>,
    #[serde(rename = "globToolCall")]
    glob: Option<Call>,
    #[serde(rename = "mcpToolCall")]
    mcp: Option<Call>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Call {
    result: Outcome,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Outcome {
    success: Option<IgnoredAny>,
}

impl Tools {
    fn action(&self) -> Option<(&'static str, &Call)> {
        [
            ("Read file", &self.read),
            ("Edited file", &self.edit),
            ("Deleted file", &self.delete),
            ("Ran terminal command", &self.shell),
            ("Searched file contents", &self.grep),
            ("Searched file names", &self.glob),
            ("Used MCP tool", &self.mcp),
        ]
        .into_iter()
        .find_map(|(phrase, call)| call.as_ref().map(|call| (phrase, call)))
    }
}

fn main() -> io::Result<()> {
    let wants_result = std::env::args().nth(1).as_deref() == Some("result_event");
    let mut input = io::BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let event: Event = serde_json::from_slice(&line)?;
        if wants_result {
            if event.kind == "result" {
                output.write_all(&line)?;
            }
        } else if event.kind == "tool_call" && event.subtype == "completed" {
            if let Some((phrase, call)) = event.tool_call.action() {
                let note = if call.result.success.is_some() { "" } else { " (error)" };
                writeln!(output, "{phrase}{note}")?;
            }
        }
        line.clear();
    }
    Ok(())
}
