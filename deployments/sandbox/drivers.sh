#!/usr/bin/env bash
# Installs what cmd/weir/daemon/testdata/drivers speaks through: the system's packages, and the packages for Node.js that
# its lock file names, into the folder node_modules beside it.
#
# What is present stays as it is, so a second run costs nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../cmd/weir/daemon/testdata/drivers"

say() { printf 'drivers: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"
	elif command -v sudo >/dev/null; then sudo "$@"
	else die "need root to run: $*"
	fi
}

# has NAME...: all of these programs are in PATH.
has() {
	local name
	for name; do command -v "$name" >/dev/null || return 1; done
}

# needed: the packages that are not there. A program is taken from wherever it comes; a driver has to be the system's.
needed() {
	local package
	has node || echo nodejs
	has npm || echo npm
	has javac java || echo default-jdk-headless
	has php || echo php-cli
	has mariadb || echo mariadb-client
	has sysbench || echo sysbench
	has pt-online-schema-change || echo percona-toolkit
	for package in php-mysql libmariadb-java python3-pymysql python3-mysqldb python3-sqlalchemy python3-pyodbc \
		odbc-mariadb libdbd-mysql-perl libdbd-mariadb-perl ruby-mysql2; do
		installed "$package" || echo "$package"
	done
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

try_install() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends --no-remove "$@" >&2
}

install_packages() {
	local packages
	has dpkg-query apt-get || die "no apt-get here: the drivers come from Debian's or Ubuntu's packages"
	mapfile -t packages < <(needed)
	[ ${#packages[@]} -gt 0 ] || return 0
	say "installing ${packages[*]}"
	try_install "${packages[@]}" && return 0
	as_root apt-get update -q >&2
	try_install "${packages[@]}" || die "could not install ${packages[*]}: see the messages above"
}

# install_modules notes what it has put there, so that a changed lock file is seen.
install_modules() {
	if cmp -s package-lock.json node_modules/.of-lock; then return 0; fi
	say "installing $(grep -c '^    "node_modules/' package-lock.json) packages for Node.js"
	npm ci --ignore-scripts --no-audit --no-fund >&2
	cp package-lock.json node_modules/.of-lock
}

install_packages
install_modules
