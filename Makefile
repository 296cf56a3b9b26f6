# What people and CI do with the repository. `make` alone lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
LINT := $(GO) tool -modfile=.ci/tools/go.mod golangci-lint

# What make test gives to go test: the tests of one package at a time for each of two cores, four at a time of those that
# mostly wait, and no cached results, since a test that starts servers depends on more than the code.
TEST_FLAGS ?= -race -count=1 -p 2 -parallel 4 -timeout 18m
FUZZTIME ?= 10s
BENCH ?= .

# The demo stops after DEMO_SECONDS, or with Ctrl-C if that is empty.
DEMO_FLAVOR ?= mariadb
DEMO_SECONDS ?=
export DEMO_FLAVOR DEMO_SECONDS

.PHONY: help
help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/weir
	$(GO) build -o bin/weir ./cmd/weir

.PHONY: demo
demo: build ## Show it on real servers: DEMO_FLAVOR=mysql|mariadb DEMO_SECONDS=60
	deployments/sandbox/install.sh $(DEMO_FLAVOR)
	bin/weir demo

.PHONY: servers
servers: ## Install what the tests need and is missing: servers, drivers, MariaDB's test suite
	deployments/sandbox/install.sh
	deployments/sandbox/drivers.sh

.PHONY: test
test: vet lint servers ## Everything that must pass: vet, lint, all tests with -race on both flavours
	$(GO) test $(TEST_FLAGS) ./...

# Which of MariaDB's test files make suite plays: all that can be, or those with these names, separated by commas.
SUITE ?= all

.PHONY: suite
suite: servers ## Play all of MariaDB's own test files that can be through Weir; make test plays some
	$(GO) test -count=1 -timeout 90m -v -run '^TestSuite' ./cmd/weir/daemon -suite '$(SUITE)'

# What make nightly makes its schemas, queries and changes from, and how many changes.
SEED ?= $(shell date +%Y%m%d)
STEPS ?= 200000

.PHONY: nightly
nightly: servers ## Soundness by brute force, at length: STEPS changes (200000) made from SEED (the day); a quarter as many with two Weirs
	$(GO) test -count=1 -timeout 24h -v -run '^TestBrute$$' ./cmd/weir/daemon -brute $(STEPS) -brute.queries 40 -brute.seed $(SEED)
	$(GO) test -count=1 -timeout 24h -v -run '^TestFleetBrute$$' ./cmd/weir/daemon -fleet $$(($(STEPS) / 4)) -brute.queries 40 -brute.seed $(SEED)
	$(GO) test -count=1 -timeout 1h -v -run '^TestFleetScenarios$$' ./cmd/weir/daemon -fleet.scenarios .

.PHONY: warm-restart
warm-restart: servers ## Kill a Weir under load, start it again, and say how long it takes to be as good as before
	$(GO) test -count=1 -timeout 30m -v -run '^TestWarmRestartAfterKill$$' ./cmd/weir/daemon -warm-restart

.PHONY: tier2-bench
tier2-bench: servers ## What an answer from Redis takes: through Weir, at the tier, and a bare GET; and with Redis paused
	$(GO) test -run '^$$' -bench '^BenchmarkTier2$$' -benchtime 5000x ./cmd/weir/daemon
	$(GO) test -run '^$$' -bench '^BenchmarkFind$$' -benchtime 20000x ./cache/redistier

# How many times make tier2-soak brings each fault of Redis about.
TIMES ?= 50

.PHONY: tier2-soak
tier2-soak: servers ## Every fault of Redis under load, at length: each TIMES (50) times
	$(GO) test -race -count=1 -timeout 24h -v -run '^TestPitfall(45|46|48|49|50)' ./cmd/weir/daemon -tier2 $(TIMES)

# Where make ddl-load writes its reports and plots, and the only flavor that it measures (both).
DDL_OUT ?= docs/ddl
DDL_FLAVOR ?=

.PHONY: ddl-load
ddl-load: servers ## Schema changes under load, with Weir and without: figures and plots into DDL_OUT
	$(GO) test -count=1 -timeout 90m -v -run '^TestLoad$$' ./cmd/weir/ddlload -full -flavor '$(DDL_FLAVOR)' -out '$(abspath $(DDL_OUT))'

# How many transactions a second make relay-load writes; 0 is as many as the source takes.
RATE ?= 1000

.PHONY: relay-load
relay-load: servers ## One relay with 50 consumers under load: how late changes come to them, at RATE (1000) a second
	$(GO) test -count=1 -timeout 30m -v -run '^TestLoadOfOneRelay$$' ./replicator/relay -relay.consumers 50 -relay.seconds 30 -relay.writers 8 -relay.rate '$(RATE)'

.PHONY: test-short
test-short: ## The packages whose tests start no server, without -race
	packages=$$($(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./...); \
	$(GO) test -short $$(grep -v deployments/sandbox <<<"$$packages" | cut -d' ' -f1)

.PHONY: vet
vet: ## Run go vet
	$(GO) vet ./...

.PHONY: lint
lint: ## Run the linters of .golangci.yml
	$(LINT) run

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (10s)
	targets=$$($(GO) test -list '^Fuzz' ./...); \
	awk '/^Fuzz/ { name[++n] = $$1 } /^ok/ { while (n) print $$2, name[n--] }' <<<"$$targets" | \
	while read -r package target; do \
		echo "$$package $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "$$package" </dev/null; \
	done

.PHONY: bench
bench: ## Run the benchmarks whose names match BENCH (all)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: fmt
fmt: ## Format the Go files
	$(GO) fmt ./...

.PHONY: clean
clean: ## Remove what build made
	rm -rf bin
