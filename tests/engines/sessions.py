"""What tests of engines share: whether Spark can run here, and what lies in a folder."""

import importlib.util
import os
import shutil

if importlib.util.find_spec("pyspark") is None:
    MISSING = "PySpark is not installed: pip install 'sfumato[cluster]', or make cluster"
elif shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
    MISSING = "Java is not installed: apt install openjdk-17-jre-headless, or see make cluster"
else:
    MISSING = ""


def files(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
