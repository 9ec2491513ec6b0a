# The two commands that do everything on a fresh machine: make demo, make test.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Redisson releases that make test-all runs; make interop runs all.
TEST_VERSIONS := 3.8.1,3.18.1,4.7.0
ALL_VERSIONS  := 3.8.1,3.10.0,3.12.5,3.13.6,3.16.8,3.18.1,3.19.0,3.19.2,3.21.0,3.21.3,3.27.2,3.30.0,3.35.0,3.38.1,3.45.1,3.46.0,3.52.0,4.1.0,4.7.0
VERSION       ?= $(ALL_VERSIONS)
FUZZTIME      ?= 30s
RELEASE       ?= 0.1.0

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  make interop VERSION=3.52.0   one Redisson release (or several, by comma)"
	@echo "  make fuzz FUZZTIME=5m         longer for each target"
	@echo "  make acl, versions, rollout   single stages of test-all and thorough"

.PHONY: demo
demo: ## two orders fall due and their handlers run, on the embedded Redis: no server needed
	go run ./examples/01-order-timeout -demo

.PHONY: test
test: ## what to run before a commit: the root module and the engine end to end; needs Go and redis-server
	@.ci/setup.sh test
	@.ci/test.sh +endtoend unit

.PHONY: test-all
test-all: ## what else a commit needs: -race, three Redisson releases, Chromium, PostgreSQL, MariaDB, Prometheus, acl, versions, some faults and seeds
	@.ci/setup.sh all
	@.ci/test.sh "+interop=$(TEST_VERSIONS)" race suite acl versions simulate=1-3

.PHONY: thorough
thorough: ## what CI runs in turns, all of it: other releases and servers, all faults, long forms, fuzzing; ONLY=codecs, ONLY=engine for an area
	@.ci/setup.sh bench
	@.ci/thorough.sh '$(ONLY)'

.PHONY: stalls
stalls: ## make test and the tests beside databases and Java, while processes stand still at random and the machine is busy; SEED=7
	@.ci/setup.sh all
	@go build -o .cache/bin/stalls ./framework/internal/lab/stalls
	@.cache/bin/stalls $(if $(SEED),-seed $(SEED)) -- .ci/test.sh stalls

.PHONY: interop
interop: ## the released Redisson jars in the long form, all nineteen releases or VERSION=3.52.0,…
	@.ci/setup.sh all
	@.ci/test.sh long "interop=$(VERSION)"

.PHONY: servers
servers: ## the engine's tests on Redis 6.2.14 and Valkey 9.1.2, or on SERVER=valkey-9.1.2
	@.ci/setup.sh all
	@.ci/test.sh "servers=$(or $(SERVER),redis-6.2.14 valkey-9.1.2)"

.PHONY: acl versions rollout
acl versions rollout: # single stages of test-all and thorough: see .ci/test.sh
	@.ci/setup.sh all
	@.ci/test.sh $@

.PHONY: lint
lint: ## golangci-lint and tidy in all modules, apidiff, govulncheck
	@.ci/lint.sh

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME, or those of PACKAGES
	@.ci/fuzz.sh $(FUZZTIME) $(PACKAGES)

.PHONY: docs
docs: ## the documentation as a site in bin/docs, with all commands and what make bench and make chaos wrote; a broken link fails it
	@.ci/setup.sh docs
	@.ci/docs.sh

.PHONY: bench
bench: ## measure against peers; writes bin/results/bench.md; QUICK=1 for ten minutes, PARTS=burst,bulk for some parts
	@.ci/setup.sh bench
	cd integration && go run ./bench $(if $(QUICK),-quick) $(if $(PARTS),-parts $(PARTS))

.PHONY: buildcost
buildcost: ## what a cold build of a service takes of the processor, by whose packages; OF=./examples/01-order-timeout
	go run .ci/buildcost/main.go $(OF)

.PHONY: chaos
chaos: ## the matrix of faults; writes bin/results/chaos.md; ONLY=storm,kill for some rows, SEED=7, LONG=1
	@.ci/setup.sh all
	@mkdir -p bin/results
	cd integration && $(if $(LONG),DUEQUEUE_TEST_LONG=1) go test ./chaos -count=1 -timeout 60m -run TestRows -v $(if $(ONLY),-rows $(ONLY),-results "$(CURDIR)/bin/results/chaos.md") $(if $(SEED),-seed $(SEED))

.PHONY: oncall
oncall: ## twenty faults as somebody on call meets them: what the command line, the console and the alerts say, and that the printed cure ends them
	@.ci/setup.sh all
	@.ci/test.sh oncall

.PHONY: effects
effects: ## orders through the outbox and handlers/once while services, relays, workers, Redis and the database are killed; SEED=7, ORDERS=20000, KILLS=100
	@.ci/setup.sh all
	@DUEQUEUE_TEST_SEED=$(or $(SEED),1) DUEQUEUE_TEST_ORDERS=$(or $(ORDERS),20000) DUEQUEUE_TEST_KILLS=$(or $(KILLS),100) .ci/test.sh effects

.PHONY: simulate
simulate: ## hours of a fleet in virtual time, looking for what nobody thought of; SEEDS=1000, SEED=7 the first, SHRINK=1, TWICE=1 compares, REPLAY=file of a finding
	@.ci/setup.sh test
	go run ./framework/internal/simulation/run $(if $(SEEDS),-seeds $(SEEDS)) $(if $(SEED),-first $(SEED)) $(if $(SHRINK),-shrink) $(if $(TWICE),-twice) $(if $(REPLAY),-replay $(REPLAY))

.PHONY: release
release: ## static binaries for six platforms into bin/release, with checksums and SBOM, after a check that two builds give the same bytes; RELEASE=0.1.0, CHECK=1 for the check alone
	@.ci/release.sh $(RELEASE) $(if $(CHECK),check)

.PHONY: ci
ci: ## what the continuous integration runs
	@bash .ci/run
