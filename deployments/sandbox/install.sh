#!/usr/bin/env bash
# Installs the servers that the sandbox package starts, MariaDB, MySQL, Redis and Prometheus, MariaDB's own test suite, and the
# browser in which tests look at the status page.
#
#   install.sh [mariadb] [mysql] [redis] [prometheus] [suite] [browser]      default: all six
#
# What is present stays as it is, so a second run costs nothing. MariaDB, Redis and Prometheus come from the system's own archive,
# and their services are not started. MySQL cannot be installed beside MariaDB, and Debian releases do not carry it: it
# is unpacked into a private root in Weir's cache folder, with the libraries it needs, and never touches the system. Of
# the suite, which would be 300 MB and another set of programs, the client and the main test files are unpacked there.
set -euo pipefail

cache=${WEIR_SANDBOX_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or WEIR_SANDBOX_CACHE}/.cache}/weir}
root=$cache/mysql
suite=$cache/mariadb-test
# Written last: a root without it is half an install and is made again.
stamp=$root/.installed

say() { printf 'install: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# present NAME...: one of the programs exists, in PATH or where daemons live.
present() {
	local name
	for name; do
		if PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin command -v "$name" >/dev/null; then return 0; fi
	done
	return 1
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"
	elif command -v sudo >/dev/null; then sudo "$@"
	else die "need root to run: $*"
	fi
}

need_apt() {
	command -v apt-get >/dev/null ||
		die "no apt-get here: install $1 with the system's package manager, or set $2 to the program"
}

refresh() {
	say "refreshing the package lists"
	as_root apt-get update -q >&2
}

# without_start COMMAND...: a freshly installed package must not start its service. A policy that is there stays.
without_start() {
	local policy=/usr/sbin/policy-rc.d status=0
	if [ -e $policy ]; then
		as_root "$@"
		return
	fi
	printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
	as_root chmod 755 $policy
	as_root "$@" || status=$?
	as_root rm -f $policy
	return $status
}

# try_install PACKAGE: fails rather than remove another server that is in the way.
try_install() {
	say "installing $1"
	without_start env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -q --no-install-recommends --no-remove "$1" >&2
}

# install_first PACKAGE...: the first one that can be had.
install_first() {
	local package
	for package; do
		if try_install "$package"; then return 0; fi
	done
	refresh
	for package; do
		if try_install "$package"; then return 0; fi
	done
	die "could not install $*: see the messages above"
}

# new_work makes a folder for downloads, and removes the one before.
new_work() {
	rm -rf "${work:-}"
	work=$(mktemp -d "$cache/install.XXXXXX")
	trap 'rm -rf "$work"' EXIT
}

install_mariadb() {
	if [ -n "${WEIR_MARIADBD:-}" ] || present mariadbd; then return 0; fi
	need_apt MariaDB WEIR_MARIADBD
	install_first mariadb-server
}

install_redis() {
	if [ -n "${WEIR_REDIS:-}" ] || present redis-server valkey-server; then return 0; fi
	need_apt "Redis or Valkey" WEIR_REDIS
	install_first redis-server valkey-server
}

# install_browser: what Ubuntu has under that name fetches a snap, which is not to be had everywhere.
install_browser() {
	if [ -n "${WEIR_CHROMIUM:-}" ] || present chromium chromium-browser google-chrome; then return 0; fi
	need_apt Chromium WEIR_CHROMIUM
	install_first chromium chromium-browser
}

install_prometheus() {
	if [ -n "${WEIR_PROMETHEUS:-}" ] || present prometheus; then return 0; fi
	need_apt Prometheus WEIR_PROMETHEUS
	install_first prometheus
}

# confined: the system's mysqld may only use the folders of the system's MySQL service (Ubuntu).
confined() {
	[ "$(cat /sys/module/apparmor/parameters/enabled 2>/dev/null)" = Y ] &&
		[ -e /etc/apparmor.d/usr.sbin.mysqld ] && [ ! -e /etc/apparmor.d/disable/usr.sbin.mysqld ]
}

# usable_mysqld: on many systems mysqld is MariaDB.
usable_mysqld() {
	local program
	program=$(PATH=$PATH:/usr/local/sbin:/usr/sbin:/usr/local/mysql/bin command -v mysqld) || return 1
	! "$program" --no-defaults --version 2>/dev/null | grep -qi mariadb && ! confined
}

# main_archive DISTRIBUTION: the mirror this machine already uses for its release.
main_archive() {
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Origin: $1" "Label: $1" | sed -n 1p
}

# distribution: whose release this is, by the package lists that are here.
distribution() {
	local name
	for name in Debian Ubuntu; do
		if [ -n "$(main_archive $name)" ]; then
			echo $name
			return
		fi
	done
	return 1
}

# use_debian: Debian keeps MySQL in unstable only. Its lists go into a folder of our own; the system's stay as they are.
use_debian() {
	local keyring options=''
	for keyring in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		if [ -e "$keyring" ]; then options="[signed-by=$keyring] "; fi
	done
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	printf 'deb %s%s sid main\n' "$options" "$(main_archive Debian)" >"$work/sources.list"
	apt_options+=(
		-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o Acquire::Languages=none
	)
	apt-get "${apt_options[@]}" update -q >&2
}

# core_package: the newest server package; some releases have the version in its name.
core_package() {
	apt-cache "${apt_options[@]}" search --names-only '^mysql-server-core(-[0-9.]+)?$' | cut -d' ' -f1 | sort -V | tail -n 1
}

# closure PACKAGE: it and all it depends on. The server itself needs no Perl.
closure() {
	apt-cache "${apt_options[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts \
		--no-breaks --no-replaces --no-enhances "$1" |
		grep -E '^[a-z0-9]' | grep -Ev 'perl|gdbm|db5\.3|debconf' | sort -u
}

unpack() {
	local deb names
	mapfile -t names < <(closure "$1")
	say "fetching $1 and the $((${#names[@]} - 1)) packages it needs"
	mkdir "$work/debs"
	(cd "$work/debs" && apt-get "${apt_options[@]}" download -q "${names[@]}" >&2)
	rm -rf "$root"
	mkdir -p "$root"
	for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$root"; done
	[ -x "$root/usr/sbin/mysqld" ] || die "$1 holds no usr/sbin/mysqld"
	printf '%s\n' "$1" >"$stamp"
	say "MySQL is in $root"
}

fetch_mysql() {
	local release package
	release=$(distribution) || { refresh; release=$(distribution); } ||
		die "neither Debian nor Ubuntu: install MySQL and set WEIR_MYSQLD to its mysqld"
	# Downloads go to a folder that apt's own account cannot write to.
	apt_options=(-o "APT::Sandbox::User=$(id -un)")
	if [ "$release" = Debian ]; then use_debian; fi
	package=$(core_package)
	[ -n "$package" ] || die "the package lists name no mysql-server-core: run apt-get update, then this again"
	unpack "$package"
}

install_mysql() {
	if [ -e "$stamp" ] || [ -n "${WEIR_MYSQLD:-}" ] || usable_mysqld; then return 0; fi
	need_apt MySQL WEIR_MYSQLD
	mkdir -p "$cache"
	exec 9>"$cache/install.lock"
	flock 9
	if [ -e "$stamp" ]; then return 0; fi # somebody else was faster
	new_work
	fetch_mysql
}

# suite_packages: the client of the suite, its files, and the one library that a MariaDB server does not bring along.
suite_packages() {
	printf '%s\n' mariadb-test mariadb-test-data
	apt-cache depends mariadb-test | grep -o 'libpcre2-posix[0-9]*' | sort -u
}

fetch_suite() {
	local names
	mapfile -t names < <(suite_packages)
	(cd "$work" && apt-get -o "APT::Sandbox::User=$(id -un)" download -q "${names[@]}" >&2)
}

# suite_there: an unpacked suite from before Weir played files beside the main ones is made again.
suite_there() {
	[ -e "$suite/.installed" ] && compgen -G "$suite/usr/share/*/*-test/suite/sys_vars/t/query_cache_type_basic.test" >/dev/null
}

# unpack_suite: 75 of the 300 MB. What is there stays until all is unpacked.
unpack_suite() {
	local deb new=$suite.new
	rm -rf "$new"
	mkdir -p "$new"
	for deb in "$work"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$new" --wildcards --no-wildcards-match-slash \
			./usr/bin/mariadb-test './usr/lib/*/libpcre2-posix*' \
			'./usr/share/*/*-test/main' './usr/share/*/*-test/include' './usr/share/*/*-test/std_data' \
			'./usr/share/*/*-test/suite/*/t/*query_cache*' './usr/share/*/*-test/suite/plugins/t/qc_info*' 2>/dev/null ||
			true # each package has only some of these, and tar complains about the others
	done
	[ -x "$new/usr/bin/mariadb-test" ] || die "mariadb-test holds no usr/bin/mariadb-test"
	compgen -G "$new/usr/share/*/*-test/main/select.test" >/dev/null || die "mariadb-test-data holds no main/select.test"
	dpkg-deb --field "$work"/mariadb-test_*.deb Version >"$new/.installed"
	rm -rf "$suite"
	mv "$new" "$suite"
	say "MariaDB's test suite is in $suite"
}

install_suite() {
	if suite_there; then return 0; fi
	need_apt "MariaDB's test suite" WEIR_MARIADB_TEST
	mkdir -p "$cache"
	exec 8>"$cache/install-suite.lock"
	flock 8
	if suite_there; then return 0; fi # somebody else was faster
	new_work
	say "fetching MariaDB's test suite"
	fetch_suite || { refresh; fetch_suite; } || die "could not fetch mariadb-test and mariadb-test-data: see the messages above"
	unpack_suite
}

[ $# -gt 0 ] || set -- mariadb mysql redis prometheus suite browser
for server; do
	case $server in
	mariadb | mysql | redis | prometheus | suite | browser) "install_$server" ;;
	*) die "unknown server $server: choose from mariadb, mysql, redis, prometheus, suite, browser" ;;
	esac
done
