# What a contributor runs. `.ci/run` is what must pass before a change lands.

.PHONY: check test build generate reproducible ci

check: ## format, vet, test: some minutes
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these"; exit 1; }
	go vet ./...
	go test ./...
	cd tests/oracle && go vet ./... && go test ./...
	cd tests/outside && go vet ./... && go test ./...
	cd engines/kpt && go vet ./... && go test ./...
	cd engines/fn && go vet ./... && go test ./...
	cd examples/go-pipeline && go vet ./... && go test ./...

test: ## the cases alone: seconds
	go test ./tests -run TestCases

build:
	CGO_ENABLED=0 go build -trimpath -o resource-merge .

generate: ## the tables of kinds, and the JSON schema of the function config
	go generate ./merge/schema
	go test ./command/internal/config -run TestConfigSchema -update

reproducible: ## what a release offers, built twice and compared: ten minutes
	.ci/reproducible

ci: ## everything, with the real clients; needs root or sudo for containers
	.ci/run
