# The two commands that do everything on a fresh machine: make demo, make test.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Redisson releases that make test runs; make interop runs all.
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

.PHONY: demo
demo: ## order timeouts handled by typed handlers, on the embedded Redis: no server needed
	go run ./examples/01-order-timeout

.PHONY: setup
setup: ## install what make test needs and this machine lacks, or say what to install
	@.ci/setup.sh

.PHONY: test
test: setup ## everything that must pass, in the short form: unit with -race, integration on real Redis, interop with three Redisson releases
	@.ci/test.sh unit +integration "interop=$(TEST_VERSIONS)"

.PHONY: long
long: setup ## the long form of unit and integration (all properties, mutants, sizes), and two seconds of fuzzing for each target of the codecs
	@.ci/test.sh long unit +integration fuzz=2s

.PHONY: unit
unit: ## the root module's tests with -race (needs redis-server)
	@.ci/test.sh unit

.PHONY: integration
integration: ## the engine end to end on a real Redis and a cluster of three, tests in their long form
	@.ci/test.sh long integration

.PHONY: acl
acl: ## the end-to-end tests as a Redis user with nothing but what "duequeue acl" prints
	@.ci/test.sh acl

.PHONY: faults
faults: ## the faults of make chaos themselves: that they strike, and heal
	@.ci/setup.sh chaos
	@.ci/test.sh faults

.PHONY: rollout
rollout: setup ## a Spring Boot service from Java alone to Go alone and back, under load, for two generations of Redisson's starter
	@.ci/test.sh rollout

.PHONY: versions
versions: setup ## services of the last version beside those of this one: rolling deploys in both directions, kills
	@.ci/test.sh versions

.PHONY: interop
interop: setup ## the released Redisson jars, all nineteen releases or VERSION=…, with minutes of soak
	@.ci/test.sh long "interop=$(VERSION)"

.PHONY: servers
servers: ## the engine's suite on Redis 6.2.14 and Valkey 9.1.2, or on SERVER=valkey-9.1.2
	@.ci/setup.sh servers
	@.ci/test.sh "servers=$(or $(SERVER),redis-6.2.14 valkey-9.1.2)"

.PHONY: lint
lint: ## golangci-lint and tidy in all modules, apidiff, govulncheck
	@.ci/lint.sh

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME, or those of PACKAGES
	@.ci/fuzz.sh $(FUZZTIME) $(PACKAGES)

.PHONY: commands
commands: ## write framework/COMMANDS.md anew, from what the commands say of themselves
	go run ./framework/cmd/duequeue help manual > framework/COMMANDS.md.new
	mv framework/COMMANDS.md.new framework/COMMANDS.md

.PHONY: docs
docs: ## the documentation as a site in bin/docs, with a search that needs no server; a link that leads nowhere fails it
	@.ci/setup.sh docs
	@.ci/docs.sh

.PHONY: bench
bench: ## measure against peers; results in integration/bench; QUICK=1 for a short look, PARTS=delayed for a part
	@.ci/setup.sh bench
	cd integration && go run ./bench $(if $(QUICK),-quick) $(if $(PARTS),-parts $(PARTS))

.PHONY: bench-check
bench-check: setup ## a short look at consumption and at an order in each codec beside the ratios of their results; several times worse fails
	cd integration && go run ./bench -quick -check -parts consume && go run ./codecbench -quick -check -payload order

.PHONY: bench-compare
bench-compare: setup ## benchmarks of this source and of another commit in turn, and their ratios; BASE=a commit, ROUNDS=7, BENCH='Consume/', PACKAGES=./framework
	@base=$$(.ci/base.sh $(BASE)) && go build -C integration -o ../.cache/bin/compare ./bench/compare && .cache/bin/compare -rounds $(or $(ROUNDS),7) -bench '$(or $(BENCH),Consume/)' -benchtime $(or $(BENCHTIME),200000x) "$$base" $(or $(PACKAGES),./framework)

.PHONY: chaos
chaos: ## the matrix of faults; results in integration/chaos; SHORT=1, ONLY=storm,…, SEED=7 for a part of it
	@.ci/setup.sh chaos
	cd integration && go run ./chaos $(if $(SHORT),-short) $(if $(ONLY),-only $(ONLY)) $(if $(SEED),-seed $(SEED))

.PHONY: effects
effects: setup ## orders through the outbox and handlers/once while services, relays, workers, Redis and the database are killed; SEED=7, ORDERS=20000, KILLS=100
	@DUEQUEUE_TEST_SEED=$(or $(SEED),1) DUEQUEUE_TEST_ORDERS=$(or $(ORDERS),20000) DUEQUEUE_TEST_KILLS=$(or $(KILLS),100) .ci/test.sh effects

.PHONY: simulate
simulate: setup ## hours of a fleet in virtual time, looking for what nobody thought of; SEEDS=1000, SEED=7 the first, SHRINK=1, MUTANT=6, TWICE=1 compares, REPLAY=file of a finding
	go run ./framework/internal/simulation/run $(if $(SEEDS),-seeds $(SEEDS)) $(if $(SEED),-first $(SEED)) $(if $(SHRINK),-shrink) $(if $(MUTANT),-mutant $(MUTANT)) $(if $(TWICE),-twice) $(if $(REPLAY),-replay $(REPLAY))

.PHONY: mutants
mutants: ## defects that the engine once had, put back one by one: tests must fail; ONLY=1,7 for some; PART=1/2 for each second; ROWS=1 for rows of make chaos
	@$(if $(ROWS),.ci/setup.sh chaos)
	go run ./framework/internal/mutants/run $(if $(ONLY),-only $(ONLY)) $(if $(PART),-part $(PART)) $(if $(ROWS),-rows) $(if $(SEED),-seed $(SEED))

.PHONY: codecbench
codecbench: setup ## measure the codecs beside the JVM's; results in integration/codecbench; QUICK=1 for a short look
	cd integration && go run ./codecbench $(if $(QUICK),-quick)

.PHONY: release
release: ## static binaries for six platforms into bin/release, with checksums and SBOM, after a check that two builds give the same bytes; RELEASE=0.1.0, CHECK=1 for the check alone
	@.ci/release.sh $(RELEASE) $(if $(CHECK),check)

.PHONY: ci
ci: ## what the continuous integration runs
	@bash .ci/run
