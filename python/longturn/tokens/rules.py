"""
What counts in a message: the one table that both backends read.

A message is a tree of mappings.  Some of its values are read by the model, some only by the
transport; the rule of a key says which.  Shapes of all formats meet here, because a history may
mix them and because a count must not depend on knowing the format first.  Keys that are not
listed are counted, name and value, as JSON: too much is safer than too little.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Rule(IntEnum):
    """How the value of a key in a message or in one of its blocks is counted."""

    UNKNOWN = 0  # as a JSON member: "key":value,
    SILENT = 1  # not read by the model
    TEXT = 2  # a string as text, anything else as its JSON text
    CONTENT = 3  # a string as text, lists and mappings as blocks
    CALLS = 4  # a list of calls
    CALL = 5  # one call, wrapped under this key
    RESULT = 6  # one result, wrapped under this key
    OPAQUE = 7  # an encrypted blob: a constant, whatever its length
    EXTRAS = 8  # unknown members, but without a second copy of the calls


_BY_RULE: Final = {
    Rule.SILENT: """
        type kind part_kind event_kind role id uuid object status index phase
        cache_control cachePoint cache_point cache
        signature thoughtSignature thought_signature thought
        call_id tool_use_id tool_call_id toolUseId tool_call_ids is_error
        response_metadata usage_metadata usage timestamp created created_at artifact example
        tool_call_chunks run_id conversation_id model model_name stop_reason stop_sequence finish_reason
        provider_name provider_details provider_response_id provider_url instructions_metadata
        logprobs metadata outcome caller fingerprint container_id execution lc
        annotations citations provider_specific_fields extra_content extras partial_json
        instructions state tool_kind retry model_id canonical_system workspace_ref history_digest
        failed_attempts ttl
        meta raw token_usage origin block_type author_name message_id
        additional_properties hosted informational_only items
        from_history stop_after_tool_call add_to_agent_memory temporary checkpoint_status checkpoint_created_at
        metrics references compressed_content provider_data tool_args tool_call_error""",
    Rule.TEXT: """
        text refusal name title context
        input args arguments action operation query queries code
        response result json tool_name tool_kwargs reasoning_text""",
    Rule.CONTENT: """
        content contents parts output summary function custom kwargs
        thinking reasoning reasoning_content reasoning_details reasoningContent reasoningText thinking_blocks
        searchResult search_result results stdout stderr""",
    Rule.CALLS: "tool_calls invalid_tool_calls",
    Rule.CALL: "toolUse tool_use functionCall function_call tool_call",
    Rule.RESULT: "toolResult functionResponse function_response tool_call_result",
    Rule.OPAQUE: "encrypted_content redactedContent redacted_content encrypted_index encrypted_stdout protected_data",
    Rule.EXTRAS: "additional_kwargs",
}

KEY_RULES: Final[dict[str, int]] = {key: int(rule) for rule, keys in _BY_RULE.items() for key in keys.split()}

CALL_TYPES: Final = frozenset(
    """tool_use server_tool_use mcp_tool_use function_call custom_tool_call local_shell_call
    shell_call apply_patch_call computer_call tool_search_call web_search_call file_search_call
    code_interpreter_call image_generation_call mcp_call tool-call builtin-tool-call
    tool_call server_tool_call""".split()
)
"""Values of ``type`` or ``part_kind`` that make a mapping a call."""

RESULT_TYPES: Final = frozenset(
    """tool_result web_search_tool_result web_fetch_tool_result code_execution_tool_result
    bash_code_execution_tool_result text_editor_code_execution_tool_result mcp_tool_result
    tool_search_tool_result advisor_tool_result function_call_output custom_tool_call_output
    local_shell_call_output shell_call_output apply_patch_call_output computer_call_output
    tool_search_output tool-return builtin-tool-return retry-prompt tool server_tool_result
    function_result""".split()
)
"""Values of ``type`` or ``part_kind`` that make a mapping a result."""

RESULT_ROLES: Final = frozenset(("tool", "function"))
"""Values of ``role`` that make a message a result."""

MEDIA_TYPES: Final = frozenset(
    """image image_url input_image computer_screenshot document file input_file audio input_audio
    audio_url video video_url media container_upload
    data uri hosted_file
    binary image-url document-url audio-url video-url uploaded-file
    image_generation_call redacted_thinking reasoning.encrypted""".split()
)
"""Values of ``type`` or ``kind`` whose mapping holds binary content, priced whole ([S6])."""

MEDIA_KEYS: Final = frozenset("inlineData inline_data fileData file_data image document video audio".split())
"""Keys whose presence, with a mapping as value, makes an untyped mapping binary content."""

ITEM_TYPES: Final = (
    CALL_TYPES
    | RESULT_TYPES
    | frozenset(
        """message reasoning item_reference mcp_list_tools mcp_approval_request mcp_approval_response
        additional_tools configuration_update program program_output
        compaction compaction_summary compaction_trigger context_compaction
        human ai system developer user assistant generic chat constructor
        HumanMessage AIMessage ToolMessage SystemMessage FunctionMessage ChatMessage
        HumanMessageChunk AIMessageChunk ToolMessageChunk SystemMessageChunk FunctionMessageChunk
        ChatMessageChunk
        SystemMessage UserMessage AssistantMessage FunctionExecutionResultMessage""".split()
    )
) - frozenset(("tool_use", "tool_result", "tool-call", "tool-return", "retry-prompt"))
"""
Values of ``type`` that make a mapping a message of its own ([S8]).

Not "function": a list of tool definitions is no history.
"""

BLOCK_KEYS: Final = (
    frozenset(
        """type kind part_kind role parts text toolUse toolResult functionCall functionResponse
    function_call function_response reasoningContent reasoningText redactedContent cachePoint json
    searchResult thought arguments args input content stdout
    tool_call tool_call_result reasoning reasoning_text file""".split()
    )
    | MEDIA_KEYS
)
"""Keys of which a mapping inside content has at least one; without any it is a JSON value."""

MAX_DEPTH: Final = 256
"""Levels a value may nest; a cycle runs into it as well."""
