-- A message may be edited and sent again: it and all after it give way to the new one, and stay on record.

-- The USER message that took this row's place in the conversation.
ALTER TABLE agent_message ADD COLUMN superseded_by uuid;
GRANT UPDATE (superseded_by) ON agent_message TO rolecall_app;
