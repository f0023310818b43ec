#!/usr/bin/env bash
# .github/try.sh DIR builds the page that merges three texts in a browser into DIR: the page of docs/try, the engine as
# WebAssembly, and Go's script that starts it. Any web server can serve DIR: python3 -m http.server --directory DIR
set -euo pipefail
export LC_ALL=C CGO_ENABLED=0 GOWORK=off GOFLAGS=-trimpath
mkdir -p "$1"
dir=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
cp docs/try/index.html "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$dir"
GOOS=js GOARCH=wasm go build -buildvcs=false -ldflags='-s -w -buildid=' -o "$dir/try.wasm" ./docs/try
