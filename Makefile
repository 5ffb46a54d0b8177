# db-operator: everything a person or a CI runs. `make help` lists it.
SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# One way to compile everything, Kubernetes included, so that one build cache
# serves operator, tests and the local cluster.
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath

# IMG is the operator's image. Its default names the content of the binaries,
# so that a rebuilt operator is rolled out and an equal one is not.
IMG        ?= docker.io/myuser/db-operator:dev-$(shell test -x bin/manager -a -x bin/agent && cat bin/manager bin/agent | sha256sum | cut -c1-12 || echo unbuilt)
# KUBECTL is used by install, deploy and their opposites, on whatever the
# current kubeconfig points at.
KUBECTL    ?= kubectl
DEVCLUSTER := bin/devcluster
NODES      ?= 3
SEEDS      ?= 10000
SEED0      ?= 1
VERSION    ?= $(shell cat VERSION)
LDFLAGS    := -s -w -X main.version=$(VERSION)
GO_BUILD   := go build -ldflags '$(LDFLAGS)'
PART       := hack/part

# On the local cluster the tool brings the matching kubectl.
LOCAL      := KUBECTL='$(CURDIR)/$(DEVCLUSTER) kubectl'

##@ The two commands

.PHONY: demo
demo: ## Start a local three-node cluster with the operator and one database of each engine
	@hack/demo

.PHONY: demo-down
demo-down: devcluster ## Remove the local cluster and everything on it
	@$(DEVCLUSTER) down

.PHONY: test
test: ## Run every test: unit, API server, engines, end to end (needs root and Go; installs the rest)
	@hack/test

##@ Parts of the tests

.PHONY: test-unit
test-unit: ## Unit, golden and dependency tests and fuzz seeds: under a minute, no cluster
	@$(PART) unit hack/go-test -- $$(go list ./... | grep -v /internal/sim)
	@$(PART) unit-devcluster hack/go-test -C devcluster -- $$(cd devcluster && go list ./... | grep -v /cmd/)

.PHONY: test-api
test-api: components ## The schema and the controllers against a real API server
	@$(PART) api hack/go-test -tags apiserver -timeout 10m -- ./test/api/... ./controllers/... ./internal/kube/... ./internal/register/...

.PHONY: test-sim
test-sim: ## The simulator: stories, every rule switched off once, and 20,000 seeds
	@$(PART) simulator hack/go-test -timeout 10m -- ./internal/sim/...
	@$(PART) seeds go run ./internal/sim/simulate -seeds 20000

.PHONY: test-conformance
test-conformance: devcluster ## Every driver against its real engine, inside the images
	@$(PART) conformance hack/conformance

.PHONY: test-e2e
test-e2e: ## The operator with both engines, and the faults of the local cluster itself
	@hack/on-cluster hack/cluster-tests

##@ Everyday work

.PHONY: generate
generate: ## Remake generated code, the CRD and docs/api.md
	@hack/generate

.PHONY: verify
verify: ## Fail if generated files or modules are not up to date
	@hack/verify

.PHONY: lint
lint: ## Format, vet, static analysis
	@hack/lint

.PHONY: build
build: ## Build bin/manager and bin/agent
	@$(GO_BUILD) -o bin/manager .
	@$(GO_BUILD) -o bin/agent ./cmd/agent

.PHONY: run
run: install ## Run the operator from here against the current kubeconfig
	go run . --leader-elect=false --agent-image '$(IMG)'

.PHONY: sim
sim: ## Run SEEDS seeds of the simulator, from SEED0 on: Databases of 1 to 5 members, both policies
	@go run ./internal/sim/simulate -seeds $(SEEDS) -seed0 $(SEED0)

.PHONY: sim-long
sim-long: ## A million seeds; goes on where it was stopped, as long as the code is the same
	@mkdir -p dist
	@go run ./internal/sim/simulate -seeds 1000000 -out dist/seeds-$$(ls internal/ha/*.go internal/sim/*.go | grep -v _test | xargs cat | sha256sum | cut -c1-12)

.PHONY: bench
bench: ## Measure, append to bench/results and render docs/performance.md
	@hack/on-cluster go run ./bench

##@ On any cluster

.PHONY: install
install: ## Apply the CRD
	$(KUBECTL) apply --server-side -f config/crd/bases

.PHONY: uninstall
uninstall: ## Delete the CRD, and with it every Database; the volumes stay
	$(KUBECTL) delete --ignore-not-found -f config/crd/bases

.PHONY: deploy
deploy: build-installer ## Install the operator with image IMG
	$(KUBECTL) apply --server-side --force-conflicts -f dist/install.yaml

.PHONY: undeploy
undeploy: build-installer ## Remove the operator and the CRD; the volumes stay
	$(KUBECTL) delete --ignore-not-found -f dist/install.yaml

.PHONY: build-installer
build-installer: ## Render dist/install.yaml with image IMG
	@mkdir -p dist
	@go run -C tools ./installer -image '$(IMG)' -config ../config/default > dist/install.yaml
	@echo 'dist/install.yaml installs $(IMG)'

.PHONY: docker-build
docker-build: build devcluster ## Make dist/image.tar (docker load, kind load image-archive, ctr import); no daemon needed
	@mkdir -p dist
	@$(DEVCLUSTER) image pack --name '$(IMG)' --out dist/image.tar --entrypoint /manager --user 65532:65532 bin/manager=/manager bin/agent=/agent

##@ The local cluster

.PHONY: devcluster
devcluster: ## Build the tool for the local cluster
	@mkdir -p bin
	@go build -C devcluster -o ../$(DEVCLUSTER) .

.PHONY: components
components: devcluster ## Build Kubernetes and its neighbours into the cache (minutes, once)
	@$(DEVCLUSTER) components build

.PHONY: up
up: devcluster ## Start the local cluster and nothing on it
	@$(DEVCLUSTER) up --nodes $(NODES)

.PHONY: down
down: demo-down ## Remove the local cluster

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' Makefile
