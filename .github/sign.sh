#!/usr/bin/env bash
# .github/sign.sh SUBJECT signs what a release offers, with cosign. SUBJECT is a file,
# whose signature comes to lie beside it as SUBJECT.sigstore.json, or an image by its
# digest, whose signature goes to its registry.
#
# In the release workflow there is no key: sigstore's authority certifies which workflow
# of which repository signs, and its log makes that public. If COSIGN_KEY names the file
# of a private key, that key signs, and nothing is asked of sigstore; the tests do so.
# cosign is built from its Go module, which Go checks against its checksum database.
set -euo pipefail
subject=$1
cosign() { CGO_ENABLED=0 GOFLAGS= go run github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3 "$@"; }

key=()
[ -z "${COSIGN_KEY:-}" ] || key=(--key "$COSIGN_KEY" --use-signing-config=false --tlog-upload=false)
case $subject in
*@sha256:*) cosign sign --yes --recursive "${key[@]}" "$subject" ;;
*) cosign sign-blob --yes "${key[@]}" --bundle "$subject.sigstore.json" "$subject" ;;
esac
