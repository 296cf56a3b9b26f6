"""Reads commands, runs them one after the other, and prints the answers. See README.md."""
import sys


def account():
    host, port, user, password, database = sys.argv[1:6]
    return host, int(port), user, password, database


def complain(error):
    number, *words = error.args if len(error.args) > 1 else (0, *error.args)
    print("error", number, *words, flush=True)


def answer(cursor):
    return "ok " + repr(cursor.fetchall() if cursor.description else ())


def value(text):
    return int(text) if text.isdigit() else text


def talk(connect, run, mistakes, cause=lambda e: e):
    """run(connection, how, sql, values) returns what to print; mistakes are what the driver raises."""
    try:
        connection = connect()
    except mistakes as e:
        return complain(cause(e))
    print("ok", flush=True)
    for line in sys.stdin:
        how, sql, *values = line.rstrip("\n").split("\t")
        try:
            print(run(connection, how, sql, [value(v) for v in values]).replace("\n", " "), flush=True)
        except mistakes as e:
            complain(cause(e))
