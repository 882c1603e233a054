"""What a data folder has seen of outputs and of rules, to learn from: facts in SQL."""

from agentctx.diary.diary import MOST_CASES, Diary
from agentctx.diary.records import DOUBT_S, Complaint, Seen

__all__ = ["DOUBT_S", "MOST_CASES", "Complaint", "Diary", "Seen"]
