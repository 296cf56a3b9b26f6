"""MariaDB's ODBC driver, through pyodbc."""
import re

import pyodbc
import talk


def connect():
    host, port, user, password, database = talk.account()
    return pyodbc.connect(
        f"DRIVER={{MariaDB Unicode}};SERVER={host};PORT={port};UID={user};PWD={password};DATABASE={database}", autocommit=True
    )


def run(connection, how, sql, values):
    with connection.cursor() as cursor:
        cursor.execute(sql, *values)
        return talk.answer(cursor)


def cause(error):
    said = re.search(r"\(?(\d+)\) \(SQL", error.args[1])
    return Exception(int(said[1]) if said else 0, error.args[1])


talk.talk(connect, run, pyodbc.Error, cause)
