"""Main content: which blocks a reader came for (spec main_content.md, blocks.md 13).

view -> features (columns_*) -> model -> decide -> select; rules and reasons beside them.
"""
