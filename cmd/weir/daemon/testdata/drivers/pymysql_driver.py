"""PyMySQL puts values into the text itself; autocommit is what people who only read switch on."""
import pymysql
import talk


def connect():
    host, port, user, password, database = talk.account()
    return pymysql.connect(host=host, port=port, user=user, password=password, database=database, autocommit=True)


def run(connection, how, sql, values):
    with connection.cursor() as cursor:
        cursor.execute(sql.replace("?", "%s") if how == "prepared" else sql, values or None)
        return talk.answer(cursor)


talk.talk(connect, run, pymysql.MySQLError)
