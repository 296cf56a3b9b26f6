"""SQLAlchemy over PyMySQL, with what its engine asks a server when it connects first, in autocommit."""
import sqlalchemy
import talk


def connect():
    host, port, user, password, database = talk.account()
    url = sqlalchemy.engine.URL.create("mysql+pymysql", user, password, host, port, database, {"charset": "utf8mb4"})
    return sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT", pool_pre_ping=True).connect()


def run(connection, how, sql, values):
    names = [f"v{i}" for i in range(len(values))]
    for name in names:
        sql = sql.replace("?", ":" + name, 1)
    result = connection.execute(sqlalchemy.text(sql.replace("\\:", ":")), dict(zip(names, values)))
    return "ok " + repr(result.fetchall() if result.returns_rows else ())


talk.talk(connect, run, sqlalchemy.exc.DBAPIError, lambda e: e.orig)
