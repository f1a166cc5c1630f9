"""Tools as a request offers them, for tests of the offline model: one of each shape of parameters."""

STRING, INTEGER, NUMBER, BOOLEAN = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
UUID = {"type": "string", "format": "uuid"}
STRINGS = {"type": "array", "items": STRING}
STATUS = {"type": "string", "enum": ["NEW", "IN_REVIEW", "INTERVIEW", "APPROVED", "REJECTED", "WITHDRAWN"]}


def a_tool(name, description="Does something", properties=None, required=()):
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return {"toolSpec": {"name": name, "description": description, "inputSchema": {"json": schema}}}


def optional(description):
    return {"anyOf": [STRING, {"type": "null"}], "default": None, "description": description}


GET_ME = a_tool(
    "get_me",
    "Return the profile of the user who is asking: who am I, my name, email, job title, role, company, plan, credit "
    "balance and active CV. Takes no arguments.",
)
UPDATE_ME = a_tool(
    "update_my_profile",
    "Change the profile of the user who is asking: set, update or correct my first name, last name, email, phone, job "
    "title, location, biography, LinkedIn or portfolio address. At least one field is needed.",
    {
        "first_name": optional("First (given) name"),
        "last_name": optional("Last (family) name"),
        "email": optional("Email address"),
        "phone": optional("Phone number, international form"),
        "title": optional("Job title"),
        "location": optional("City and country"),
        "linkedin_url": optional("Address of the LinkedIn profile"),
    },
)
SELF_TOOLS = [GET_ME, UPDATE_ME]

CATALOGUE = [
    *SELF_TOOLS,
    a_tool("rag_search", "Search company knowledge base", {"query": STRING, "top_k": INTEGER}, ["query"]),
    a_tool("database_query", "Execute read-only SQL against whitelisted tables", {"query": STRING}, ["query"]),
    a_tool(
        "search_talents",
        "Search talent pool by skills, experience, location",
        {"skills": STRINGS, "experience_years": INTEGER, "location": STRING, "limit": INTEGER},
    ),
    a_tool(
        "search_jobs",
        "Search active job openings",
        {"keywords": STRING, "location": STRING, "limit": INTEGER},
    ),
    a_tool("search_candidates", "Find candidates across pipelines", {"job_id": UUID, "status": STATUS}),
    a_tool("get_company_info", "Get company details, team members", {"include_members": BOOLEAN}),
    a_tool("get_interviews", "List interviews with scheduling info", {"upcoming_only": BOOLEAN, "limit": INTEGER}),
    a_tool(
        "create_talent",
        "Create new talent in the company's talent pool",
        {"name": STRING, "email": STRING, "phone": STRING, "skills": STRINGS},
        ["name", "email"],
    ),
    a_tool(
        "update_candidate_status",
        "Move a candidate through the recruitment pipeline",
        {"candidate_id": UUID, "status": STATUS, "reason": STRING},
        ["status"],
    ),
    a_tool(
        "add_candidate_to_job",
        "Add an existing talent from the pool to a specific job as a candidate",
        {"talent_id": UUID, "job_id": UUID, "motivation": STRING},
    ),
    a_tool(
        "add_talent_note",
        "Add a note to a talent's profile",
        {"talent_id": UUID, "content": STRING, "title": STRING},
        ["content"],
    ),
    a_tool(
        "contact_talent",
        "Open a conversation with the talent's user and post a message",
        {"talent_id": UUID, "message": STRING},
        ["message"],
    ),
    a_tool(
        "edit_job",
        "Update fields on an existing job posting",
        {"job_id": UUID, "title": STRING, "description": STRING, "salary": NUMBER, "published_online": BOOLEAN},
    ),
    a_tool(
        "recommend_talents_for_job",
        "Find and rank best-matching talents from the talent pool for a job",
        {"job_id": UUID, "min_score": INTEGER, "limit": INTEGER},
        ["job_id"],
    ),
    a_tool(
        "compare_candidates",
        "Side-by-side comparison of 2-5 candidates for a job",
        {"candidate_ids": {"type": "array", "items": UUID}, "job_id": UUID},
        ["candidate_ids", "job_id"],
    ),
    a_tool("get_hiring_analytics", "Hiring funnel analytics: conversion rates", {"job_id": UUID, "days_back": INTEGER}),
    a_tool("extract_cv", "Extract structured data from CV documents", {"file_url": STRING}, ["file_url"]),
]


def user(*content):
    return {"role": "user", "content": [{"text": c} if isinstance(c, str) else c for c in content]}


def assistant(*content):
    return {"role": "assistant", "content": [{"text": c} if isinstance(c, str) else c for c in content]}


def use(call_id, name, given=None):
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": given or {}}}


def result(call_id, value, status="success"):
    part = {"json": value} if isinstance(value, dict) else {"text": value}
    return {"toolResult": {"toolUseId": call_id, "content": [part], "status": status}}


def a_request(*messages, tools=SELF_TOOLS, **rest):
    body = {"messages": [user(m) if isinstance(m, str) else m for m in messages], **rest}
    return body | ({"toolConfig": {"tools": list(tools)}} if tools else {})
