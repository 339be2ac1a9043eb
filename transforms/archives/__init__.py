"""Archives and tables of crawled pages: every format that is read, behind one entry (design.md, `input`)."""

from transforms.archives.read import ReadSettings, plan_file, plan_input, read_range, read_source
from transforms.archives.tables import TableConfig
from transforms.files import InputError

__all__ = ["InputError", "ReadSettings", "TableConfig", "plan_file", "plan_input", "read_range", "read_source"]
