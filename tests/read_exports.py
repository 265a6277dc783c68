"""Has Kernel Tuner itself read the exports that test_store_export writes: its cache through the reader, a
simulated tuning over all of it, and T4 against the schema that it ships. Exit status 77 where Kernel Tuner is not
installed (pip install --target DIR kernel_tuner; PYTHONPATH=DIR)."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
    import kernel_tuner
    from kernel_tuner import file_utils, util
except ImportError as reason:
    print(f"skipped: Kernel Tuner cannot be imported ({reason})")
    sys.exit(77)

scratch = tempfile.TemporaryDirectory()  # removed when the script ends
folder = Path(scratch.name)
subprocess.run([sys.argv[1], folder], check=True)
path = folder / "kernel_tuner.json"

cache = util.read_cache(str(path), open_cache=False)
entries = cache["cache"]
assert len(entries) == 7, entries
for key, entry in entries.items():
    values = ",".join(str(entry[name]) for name in cache["tune_params_keys"])
    assert key == values, (key, values)
failed = [entry for entry in entries.values() if isinstance(entry.get("__error__"), util.ErrorConfig)]
assert len(failed) == 5, failed

results, _ = kernel_tuner.tune_kernel(
    cache["kernel_name"],
    "",
    tuple(cache["problem_size"]),
    [],
    cache["tune_params"],
    cache=str(path),
    simulation_mode=True,
    quiet=True,
)
assert len(results) == 7, results
best = util.get_best_config(results, "time")
assert best["threads"] == 0 and best["time"] == 2.0, best

# Opened for appending and closed again, it still is the same cache.
util.read_cache(str(path), open_cache=True)
util.close_cache(str(path))
assert util.read_cache(str(path), open_cache=False)["cache"].keys() == entries.keys()

_, schema = file_utils.output_file_schema("results")
jsonschema.validate(json.loads((folder / "t4.json").read_text()), schema)
print("Kernel Tuner read both exports")
