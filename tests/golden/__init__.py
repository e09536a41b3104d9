"""Golden releases and golden answers: what every method publishes, and what every checker says of it.

``python -m tests.golden`` writes them and ``test_golden.py`` compares; ``baseline.json`` has the releases of the last
version, and ``test_changelog.py`` asks the changelog for a reason where one differs.
"""
