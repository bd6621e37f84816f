#!/usr/bin/env bash
# Runs the notebook of the documents and keeps its pictures.
#
#   utils/notebook.sh [PYTHON]     python3 unless said, with nbconvert, ipykernel,
#                                  matplotlib and kexpr
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:-python3}
most=$((200 * 1000))
"$python" -m jupyter nbconvert --to notebook --execute --inplace \
  --ClearMetadataPreprocessor.enabled=True \
  --ClearMetadataPreprocessor.preserve_nb_metadata_mask=kernelspec \
  docs/python.ipynb
size=$(stat -c %s docs/python.ipynb)
echo "docs/python.ipynb: $size bytes"
[ "$size" -lt "$most" ] || { echo "$most bytes or more" >&2; exit 1; }
