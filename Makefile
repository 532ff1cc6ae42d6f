PYTHON ?= python

.PHONY: check format format-check lint types test slow

check: format-check lint types test

format:
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

format-check:
	$(PYTHON) -m ruff format --check .

lint:
	$(PYTHON) -m ruff check .

# mypy needs the tree as it is installed: cli/ is vrpcore.cli there, export/ vrpcore.export.
types:
	rm -rf .types
	mkdir .types
	cp -r vrpcore benchmarks .types/
	cp -r cli export configs .types/vrpcore/
	cd .types && $(if $(findstring /,$(PYTHON)),$(abspath $(PYTHON)),$(PYTHON)) -m mypy --config-file ../pyproject.toml -p vrpcore -p benchmarks

test:
	$(PYTHON) -m pytest -n 2 --dist loadfile

slow:
	$(PYTHON) -m pytest -m slow -n 2 --dist loadfile
