"""What Dataflow's template launcher starts: `interleaf build` with the template's parameters, submitted and not waited for."""

import sys

from pipelines.cli import main

if __name__ == "__main__":
    sys.exit(main(["build", *sys.argv[1:], "--runner=dataflow", "--no_wait_until_finish"]))
