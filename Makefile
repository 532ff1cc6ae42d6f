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

# mypy needs the installed tree: cli/ and export/ are vrpcore.cli and vrpcore.export there.
types:
	rm -rf .types build
	$(PYTHON) -m pip install --quiet --no-deps --target .types .
	cp -r benchmarks .types/
	cd .types && $(if $(findstring /,$(PYTHON)),$(abspath $(PYTHON)),$(PYTHON)) -m mypy --config-file ../pyproject.toml -p vrpcore -p benchmarks
	rm -rf build

test:
	$(PYTHON) -m pytest -n 2 --dist loadfile

slow:
	$(PYTHON) -m pytest -m slow
