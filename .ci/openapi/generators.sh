#!/usr/bin/env bash
# Has the most used generators of clients read the API document, and the compiler what they write: a document that is
# valid can still be one that they do not understand.
set -euo pipefail
cd "$(dirname "$0")"
spec=$(realpath ../../dist/openapi.json)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

run() { "node_modules/.bin/$@" > "$out/log" 2>&1 || { cat "$out/log"; echo "$1 does not read the document"; exit 1; }; }
run orval --input "$spec" --output "$out/orval.ts" --client fetch
run openapi-ts -i "$spec" -o "$out/hey-api" --silent
run swagger-typescript-api generate -p "$spec" -o "$out/swagger" -n api.ts --silent

options='"strict": true, "noEmit": true, "skipLibCheck": true, "types": [], "target": "es2022", "module": "esnext", "moduleResolution": "bundler"'
echo "{ \"compilerOptions\": { $options, \"lib\": [\"es2022\", \"dom\", \"dom.iterable\"] } }" > "$out/tsconfig.json"
node_modules/.bin/tsc -p "$out"
