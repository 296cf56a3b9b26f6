#!/usr/bin/env bash
# The mariadb command-line client, fed through a pipe. It has the text protocol alone. See README.md.
set -euo pipefail
trap '' PIPE # a client that was refused is gone before it is asked

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/answers"
exec 4> >(exec mariadb --no-defaults --default-character-set=utf8mb4 --batch --skip-column-names --unbuffered --force \
	--host="$1" --port="$2" --user="$3" --password="$4" "$5" >"$folder/answers" 2>&1)
exec 3<"$folder/answers"

# answer SQL: the client says where the answer ends, since it runs \! itself and asks no server.
answer() {
	local line rows=() failed=''
	printf '%s\n\\! echo the-end\n' "$1" >&4 2>/dev/null || true
	while IFS= read -r line <&3; do
		case $line in
		the-end) break ;;
		ERROR\ *) failed=${line#ERROR } ;;
		*) rows+=("$line") ;;
		esac
	done
	if [ -n "$failed" ]; then sed -E 's/^([0-9]+ \([^)]*\)) at line [0-9]+/error \1/; t; s/^/error /' <<<"$failed"; else (IFS=';'; echo "ok ${rows[*]-}"); fi
}

connected=$(answer '')
echo "$connected"
[[ $connected == ok* ]] || exit 0
while IFS=$'\t' read -r _ sql; do answer "$sql;"; done
