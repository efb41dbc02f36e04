"""What this package brings."""

from claw_adapter.environment import Environment
from claw_adapter.hooks import hookimpl
from claw_adapter.question import QuestionType


@hookimpl
def claw_environment() -> type[Environment]:
    """The stock."""
    from sqlite_stock.environment import Stock

    return Stock


@hookimpl
def claw_question_type() -> type[QuestionType]:
    """Its judge."""
    from sqlite_stock.question import StockQuestion

    return StockQuestion
