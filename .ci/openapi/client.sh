#!/usr/bin/env bash
# Writes the types of the client (server/client/schema.ts) anew, from the OpenAPI document of the compiled server.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -d .ci/openapi/node_modules ] || npm ci --silent --prefix .ci/openapi
# the compiled files are written even when the types that come next do not fit yet
node .ci/build.mjs --if-changed > /dev/null || true
node .ci/openapi/document.mjs
node .ci/openapi/types.mjs
