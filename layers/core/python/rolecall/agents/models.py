"""What an agent is: its enumerations, its row, and what a task overrides."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from rolecall.protocol.limits import WORKFLOW_ITERATIONS


class AgentType(StrEnum):
    """What an agent says it is for; editable, and grants nothing."""

    RECRUITMENT_ASSISTANT = "RECRUITMENT_ASSISTANT"
    TALENT_SEARCH = "TALENT_SEARCH"
    JOB_MATCHING = "JOB_MATCHING"
    INTERVIEW_PREP = "INTERVIEW_PREP"
    DATA_ANALYST = "DATA_ANALYST"
    CUSTOM = "CUSTOM"


class AgentStatus(StrEnum):
    """Only ACTIVE takes turns and ticks; DEPRECATED still reads; MAINTENANCE is an operator's."""

    ACTIVE = "ACTIVE"
    DISABLED = "DISABLED"
    ARCHIVED = "ARCHIVED"
    MAINTENANCE = "MAINTENANCE"
    DEPRECATED = "DEPRECATED"


class AgentKind(StrEnum):
    """What an agent may do (see capabilities); the server alone assigns it."""

    STANDARD = "standard"
    CONCIERGE = "concierge"

    @classmethod
    def _missing_(cls, value: object) -> "AgentKind":  # noqa: ARG003
        """Read a kind that this release does not know as the one with the fewest powers."""
        return cls.STANDARD


class RuntimeProfile(StrEnum):
    """Whether an agent has hands, and how much machine."""

    NONE = "none"
    LIGHT = "light"
    BROWSER = "browser"
    HEAVY = "heavy"
    WARM = "warm"


class ToolType(StrEnum):
    """Every type of tool; `app.tool_types()` in the database is the same list."""

    RAG_SEARCH = "RAG_SEARCH"
    DATABASE_QUERY = "DATABASE_QUERY"
    TALENT_SEARCH = "TALENT_SEARCH"
    JOB_SEARCH = "JOB_SEARCH"
    COMPANY_INFO = "COMPANY_INFO"
    CANDIDATE_SEARCH = "CANDIDATE_SEARCH"
    PIPELINE_OVERVIEW = "PIPELINE_OVERVIEW"
    INTERVIEW_SCHEDULE = "INTERVIEW_SCHEDULE"
    MEETING_LIST = "MEETING_LIST"
    GET_TALENT_CV_DETAILS = "GET_TALENT_CV_DETAILS"
    CV_READ = "CV_READ"
    GET_MATCH_SCORES = "GET_MATCH_SCORES"
    GET_MEETING_INSIGHT = "GET_MEETING_INSIGHT"
    CREATE_TALENT = "CREATE_TALENT"
    UPDATE_TALENT = "UPDATE_TALENT"
    UPDATE_CANDIDATE_STATUS = "UPDATE_CANDIDATE_STATUS"
    EDIT_CANDIDATE = "EDIT_CANDIDATE"
    ADD_CANDIDATE_TO_JOB = "ADD_CANDIDATE_TO_JOB"
    ADD_TALENT_NOTE = "ADD_TALENT_NOTE"
    CONTACT_TALENT = "CONTACT_TALENT"
    EDIT_JOB = "EDIT_JOB"
    DUPLICATE_JOB = "DUPLICATE_JOB"
    CV_UPDATE = "CV_UPDATE"
    GET_ME = "GET_ME"
    GET_MY_STATS = "GET_MY_STATS"
    GET_MY_SUBSCRIPTION = "GET_MY_SUBSCRIPTION"
    GET_MY_RECENT_ACTIVITY = "GET_MY_RECENT_ACTIVITY"
    UPDATE_MY_PROFILE = "UPDATE_MY_PROFILE"
    CV_EXTRACTION = "CV_EXTRACTION"
    JOB_PARSING = "JOB_PARSING"
    RECOMMEND_TALENTS_FOR_JOB = "RECOMMEND_TALENTS_FOR_JOB"
    RECOMMEND_JOBS_FOR_TALENT = "RECOMMEND_JOBS_FOR_TALENT"
    CV_ANALYSIS = "CV_ANALYSIS"
    GENERATE_JOB_DESCRIPTION = "GENERATE_JOB_DESCRIPTION"
    COMPARE_CANDIDATES = "COMPARE_CANDIDATES"
    HIRING_ANALYTICS = "HIRING_ANALYTICS"
    TALENT_POOL_INSIGHTS = "TALENT_POOL_INSIGHTS"
    SHORTLIST_CANDIDATES = "SHORTLIST_CANDIDATES"
    CUSTOM = "CUSTOM"


class ActivityType(StrEnum):
    """What is noted in agent_activity."""

    AGENT_CREATED = "AGENT_CREATED"
    AGENT_UPDATED = "AGENT_UPDATED"
    AGENT_ENABLED = "AGENT_ENABLED"
    AGENT_DISABLED = "AGENT_DISABLED"
    TASK_CONFIG_CREATED = "TASK_CONFIG_CREATED"
    TASK_CONFIG_UPDATED = "TASK_CONFIG_UPDATED"
    DATABASE_CONFIG_UPDATED = "DATABASE_CONFIG_UPDATED"
    CONVERSATION_STARTED = "CONVERSATION_STARTED"
    CONVERSATION_RESUMED = "CONVERSATION_RESUMED"
    CONVERSATION_ARCHIVED = "CONVERSATION_ARCHIVED"
    MESSAGE_SENT = "MESSAGE_SENT"
    MESSAGE_RECEIVED = "MESSAGE_RECEIVED"
    TOOL_EXECUTED = "TOOL_EXECUTED"
    TOOL_FAILED = "TOOL_FAILED"
    DOCUMENT_UPLOADED = "DOCUMENT_UPLOADED"
    DOCUMENT_PROCESSED = "DOCUMENT_PROCESSED"
    DOCUMENT_DELETED = "DOCUMENT_DELETED"
    DOCUMENT_RAG_ENABLED = "DOCUMENT_RAG_ENABLED"
    DOCUMENT_RAG_DISABLED = "DOCUMENT_RAG_DISABLED"
    RAG_SEARCH_PERFORMED = "RAG_SEARCH_PERFORMED"
    DATABASE_QUERY_EXECUTED = "DATABASE_QUERY_EXECUTED"
    CONTEXT_SUMMARIZED = "CONTEXT_SUMMARIZED"
    STREAMING_STARTED = "STREAMING_STARTED"
    STREAMING_COMPLETED = "STREAMING_COMPLETED"
    ERROR_OCCURRED = "ERROR_OCCURRED"
    FEEDBACK_RECEIVED = "FEEDBACK_RECEIVED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent's row. It belongs to a company, or (company_id None) to the person who made it."""

    id: UUID
    company_id: UUID | None
    created_by_id: UUID | None
    external_id: str | None
    name: str
    description: str | None
    type: AgentType
    kind: AgentKind
    is_system: bool
    status: AgentStatus
    llm_provider: str
    llm_model: str | None
    """The model of its turns, as a spec; none: the settings' one."""
    small_llm_model: str | None
    thinking_budget: int | None
    """Tokens that the model may think; 0: none, None: the settings' budget."""
    """The model of its titles and summaries."""
    temperature: float
    max_tokens: int
    system_prompt: str | None
    """The persona (a package's SOUL.md); none: the default one."""
    user_doc: str | None
    heartbeat: str | None
    config: dict[str, Any]
    rag_enabled: bool
    rag_top_k: int
    rag_min_score: float
    embedding_model: str
    embedding_dimension: int
    enabled_tools: list[str]
    max_context_messages: int
    max_messages_per_minute: int
    max_tokens_per_day: int
    runtime_profile: RuntimeProfile
    prompt_log_enabled: bool
    public: bool
    """Whether people without an account may talk to it."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskConfig:
    """What a task overrides; None leaves the agent's own value."""

    id: UUID
    agent_id: UUID
    task_code: str
    system_prompt: str | None
    llm_model: str | None
    temperature: float | None
    max_tokens: int | None
    rag_enabled: bool | None
    rag_top_k: int | None
    rag_min_score: float | None
    rag_document_tags: list[str]
    enabled_tools: list[str] | None
    few_shot_examples: list[Any]
    output_format: str | None
    output_schema: dict[str, Any] | None
    max_response_length: int | None
    required_fields: list[str]
    forbidden_topics: list[str]
    mode: str = "chat"
    """`sequential`: analyse, then rounds of tools, then synthesise."""
    max_iterations: int = WORKFLOW_ITERATIONS
    """Most hops of a sequential turn, the analysis and the answer among them."""
