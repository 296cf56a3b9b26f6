"""mysqlclient puts values into the text itself. It is connected as Django does it."""
import MySQLdb
import talk


def connect():
    host, port, user, password, database = talk.account()
    connection = MySQLdb.connect(
        host=host, port=port, user=user, password=password, database=database, charset="utf8mb4"
    )
    connection.autocommit(True)
    return connection


def run(connection, how, sql, values):
    with connection.cursor() as cursor:
        cursor.execute(sql.replace("?", "%s") if how == "prepared" else sql, values or None)
        return talk.answer(cursor)


talk.talk(connect, run, MySQLdb.MySQLError)
