"""The types of lines that say nothing of what the agent did, or nothing new.

Approvals, progress and hooks belong to calls that have lines of their own. The events
of subagents tell of other threads.
"""

from __future__ import annotations

_ITEMS = """
    ghost_snapshot compaction compaction_trigger context_compaction compaction_summary
    additional_tools other agent_message
"""
_EVENTS = """
    agent_reasoning_raw_content agent_reasoning_section_break context_compacted
    thread_rolled_back thread_name_updated thread_goal_updated undo_completed
    thread_settings_applied entered_review_mode exited_review_mode turn_diff
    session_configured plan_update background_event shutdown_complete item_started
    view_image_tool_call image_generation_end sub_agent_activity raw_response_item
    mcp_startup_update mcp_startup_complete guardian_assessment model_reroute
    deprecation_notice hook_started hook_completed dynamic_tool_call_request
    dynamic_tool_call_response collab_agent_spawn_end collab_agent_interaction_end
    collab_waiting_end collab_close_end collab_resume_end terminal_interaction
    exec_approval_request apply_patch_approval_request request_permissions
    request_user_input elicitation_request model_response_completed safety_buffering
    turn_moderation_metadata model_verification
"""
_LINES = """
    session_meta turn_context compacted world_state token_usage_record
    inter_agent_communication
"""
OTHER_ITEMS = frozenset(_ITEMS.split())
OTHER_EVENTS = frozenset(_EVENTS.split())
OTHER_LINES = frozenset(_LINES.split())
# How events end that repeat what a later one has as a whole.
PIECES = ("_begin", "_delta")
