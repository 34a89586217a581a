# Lines of a run as $AGENT prints them, for the scripts of this folder.
#
# They keep what they say in the folder $RECORD, and each of their processes holds the
# pipe `alive` there open.

exec 9>"$RECORD/alive"

say() {
    printf '%s\n' "$1" >>"$RECORD/stdout"
    printf '%s\n' "$1"
}

say_half() {
    printf '%s' "$1" >>"$RECORD/stdout"
    printf '%s' "$1"
}

complain() {
    printf '%s\n' "$1" >>"$RECORD/stderr"
    printf '%s\n' "$1" >&2
}

# Tell the test how far the script is.
tell() {
    echo "$1" >&9
}

begin() {
    case $AGENT in
    cursor) say '{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/home/ada/shop","session_id":"s-1","model":"Auto","permissionMode":"default"}'
        say '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Fix the test"}]},"session_id":"s-1"}' ;;
    claude) say '{"type":"system","subtype":"init","cwd":"/home/ada/shop","session_id":"s-1","tools":["Bash"],"mcp_servers":[],"model":"claude-opus-5","permissionMode":"acceptEdits","apiKeySource":"none","claude_code_version":"2.1.233"}' ;;
    codex) say '{"type":"thread.started","thread_id":"s-1"}'
        say '{"type":"turn.started"}' ;;
    opencode) say '{"type":"step_start","timestamp":1793180000000,"sessionID":"ses_1","part":{"id":"prt_1","messageID":"msg_1","sessionID":"ses_1","type":"step-start"}}' ;;
    esac
}

# Start the call $1; opencode prints only calls that have ended.
call() {
    case $AGENT in
    cursor) say '{"type":"tool_call","subtype":"started","call_id":"'"$1"'","tool_call":{"shellToolCall":{"args":{"command":"pytest -q"}}},"session_id":"s-1","timestamp_ms":'"${NOW:-1793180000000}"'}' ;;
    claude) say '{"type":"assistant","message":{"id":"msg_'"$1"'","type":"message","role":"assistant","content":[{"type":"tool_use","id":"'"$1"'","name":"Bash","input":{"command":"pytest -q"}}]},"parent_tool_use_id":null,"session_id":"s-1"}' ;;
    codex) say '{"type":"item.started","item":{"id":"'"$1"'","type":"command_execution","command":"pytest -q","aggregated_output":"","exit_code":null,"status":"in_progress"}}' ;;
    esac
}

# End the call $1.
called() {
    case $AGENT in
    cursor) say '{"type":"tool_call","subtype":"completed","call_id":"'"$1"'","tool_call":{"shellToolCall":{"args":{"command":"pytest -q"},"result":{"success":{"command":"pytest -q","exitCode":0,"stdout":"3 passed\n","stderr":""}}}},"session_id":"s-1","timestamp_ms":'"${NOW:-1793180000900}"'}' ;;
    claude) say '{"type":"user","message":{"role":"user","content":[{"tool_use_id":"'"$1"'","type":"tool_result","content":"3 passed","is_error":false}]},"parent_tool_use_id":null,"session_id":"s-1","tool_use_result":{"stdout":"3 passed","stderr":"","interrupted":false}}' ;;
    codex) say '{"type":"item.completed","item":{"id":"'"$1"'","type":"command_execution","command":"pytest -q","aggregated_output":"3 passed\n","exit_code":0,"status":"completed"}}' ;;
    opencode) say '{"type":"tool_use","timestamp":1793180000900,"sessionID":"ses_1","part":{"id":"prt_2","messageID":"msg_1","sessionID":"ses_1","type":"tool","tool":"bash","callID":"'"$1"'","state":{"status":"completed","input":{"command":"pytest -q"},"output":"3 passed\n","title":"pytest -q","metadata":{"exit":0}}}}' ;;
    esac
}

answer() {
    case $AGENT in
    cursor) say '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"'"$1"'"}]},"session_id":"s-1"}' ;;
    claude) say '{"type":"assistant","message":{"id":"msg_9","type":"message","role":"assistant","content":[{"type":"text","text":"'"$1"'"}]},"parent_tool_use_id":null,"session_id":"s-1"}' ;;
    codex) say '{"type":"item.completed","item":{"id":"item_9","type":"agent_message","text":"'"$1"'"}}' ;;
    opencode) say '{"type":"text","timestamp":1793180001000,"sessionID":"ses_1","part":{"id":"prt_9","messageID":"msg_1","sessionID":"ses_1","type":"text","text":"'"$1"'"}}' ;;
    esac
}

# Report success, with the answer $1.
succeed() {
    case $AGENT in
    cursor | claude) say '{"type":"result","subtype":"success","is_error":false,"duration_ms":1200,"result":"'"$1"'","session_id":"s-1"}' ;;
    codex) say '{"type":"turn.completed","usage":{"input_tokens":900,"cached_input_tokens":0,"output_tokens":40}}' ;;
    opencode) say '{"type":"step_finish","timestamp":1793180001200,"sessionID":"ses_1","part":{"id":"prt_10","messageID":"msg_1","sessionID":"ses_1","type":"step-finish","reason":"stop","tokens":{"total":940,"input":900,"output":40,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}}' ;;
    esac
}

# Report a failure, with the message $1.
fail() {
    case $AGENT in
    cursor) say '{"type":"result","subtype":"error","is_error":true,"duration_ms":1200,"result":"'"$1"'","session_id":"s-1"}' ;;
    claude) say '{"type":"result","subtype":"error_during_execution","is_error":true,"duration_ms":1200,"errors":["'"$1"'"],"session_id":"s-1"}' ;;
    codex) say '{"type":"turn.failed","error":{"message":"'"$1"'"}}' ;;
    opencode) say '{"type":"error","timestamp":1793180001200,"sessionID":"ses_1","error":{"name":"UnknownError","data":{"message":"'"$1"'"}}}' ;;
    esac
}

# All of a run that succeeds.
work() {
    begin
    call c-1
    called c-1
    answer Fixed.
    succeed Fixed.
}
