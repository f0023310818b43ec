# The image of the function: one static binary and an /etc/passwd that knows nobody,
# as whom kpt runs functions, without a network. The base is empty; another one, such
# as a company's own, is the build argument BASE_IMAGE.
#
#   docker build -t resource-merge .
#   docker buildx build --platform linux/amd64,linux/arm64 \
#     --build-arg VERSION=v1.2.3 --build-arg REVISION="$(git rev-parse HEAD)" .
#
# The compiler runs on the machine's own platform, whatever it builds for.
ARG BUILD_IMAGE=docker.io/library/golang:1.26@sha256:3aff6657219a4d9c14e27fb1d8976c49c29fddb70ba835014f477e1c70636647
ARG BASE_IMAGE=scratch

FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS build
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=devel
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags="-s -w -buildid= -X main.release=$VERSION" -o /resource-merge . && \
    echo 'nobody:x:65534:65534:nobody:/:/sbin/nologin' >/passwd

FROM ${BASE_IMAGE}
ARG VERSION=devel
ARG REVISION=unknown
LABEL org.opencontainers.image.title="resource-merge" \
      org.opencontainers.image.description="KRM function that merges a new version of a package into a customised copy of it" \
      org.opencontainers.image.source="https://github.com/resource-merge/resource-merge" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /passwd /etc/passwd
COPY --from=build /resource-merge /usr/local/bin/resource-merge
USER 65534:65534
ENTRYPOINT ["/usr/local/bin/resource-merge"]
