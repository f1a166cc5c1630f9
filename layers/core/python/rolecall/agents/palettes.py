"""Which tool types each side of a hire may use, and which a default agent starts with."""

from typing import Final

from rolecall.agents.models import ToolType

RECRUITER_TOOLS: Final = frozenset(ToolType) - {ToolType.CUSTOM}
"""All 38 tools of the product."""

JOB_SEEKER_TOOLS: Final = frozenset(
    {
        # Discovery and search
        ToolType.RAG_SEARCH,
        ToolType.JOB_SEARCH,
        ToolType.RECOMMEND_JOBS_FOR_TALENT,
        ToolType.GET_MATCH_SCORES,
        ToolType.COMPANY_INFO,
        # Their own CV
        ToolType.CV_READ,
        ToolType.CV_UPDATE,
        ToolType.CV_EXTRACTION,
        ToolType.CV_ANALYSIS,
        ToolType.GET_TALENT_CV_DETAILS,
        # Somebody else's text
        ToolType.JOB_PARSING,
        # Their own appointments
        ToolType.INTERVIEW_SCHEDULE,
        ToolType.MEETING_LIST,
        ToolType.GET_MEETING_INSIGHT,
        # Themselves
        ToolType.GET_ME,
        ToolType.GET_MY_STATS,
        ToolType.GET_MY_SUBSCRIPTION,
        ToolType.GET_MY_RECENT_ACTIVITY,
        ToolType.UPDATE_MY_PROFILE,
    }
)
"""The 19 tools that work without a company; every other type is refused to a job seeker."""
