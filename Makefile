PYTHON ?= python
PARTS = vrpcore/cli vrpcore/configs vrpcore/export

.PHONY: check docs format format-check lint types test slow

check: format-check lint types test

format:
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

format-check:
	$(PYTHON) -m ruff format --check .

lint:
	$(PYTHON) -m ruff check .

# mypy needs the tree as it is installed: cli/ is vrpcore.cli there. An editable install links it.
types: $(PARTS)
	$(PYTHON) -m mypy -p vrpcore -p benchmarks

$(PARTS):
	ln -s ../$(notdir $@) $@

test:
	$(PYTHON) -m pytest -n 2 --dist loadfile

# The pages as a site, in site/.
docs:
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict --quiet

# The few that take minutes come first.
slow:
	$(PYTHON) -m pytest -m slow -n 2 --dist loadfile --no-loadscope-reorder tests/vrpcore/learn tests
