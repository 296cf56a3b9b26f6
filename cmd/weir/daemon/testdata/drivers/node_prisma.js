// What Prisma runs its queries through: the driver adapter, which by default prepares and closes a statement each time.
'use strict';
const mariadb = require('mariadb');
const { PrismaMariaDb } = require('@prisma/adapter-mariadb');
const { account, talk } = require('./talk');

// The adapter says what went wrong in words of its own, and keeps the server's beside them.
const cause = (e) => (e.cause ? { errno: e.cause.originalCode, message: e.cause.originalMessage } : e);

talk(async () => {
  await (await mariadb.createConnection(account)).end(); // a pool does not say why it gets no connection
  const pool = mariadb.createPool({ ...account, connectionLimit: 1, prepareCacheLength: 0 });
  const [text, binary] = [{ useTextProtocol: true }, {}].map((options) => new PrismaMariaDb(pool, options));
  const run = async (factory, sql, args) => {
    const argTypes = args.map((v) => ({ scalarType: typeof v === 'number' ? 'int' : 'string', arity: 'scalar' }));
    const { columnNames, columnTypes, rows } = await (await factory.connect()).queryRaw({ sql, args, argTypes });
    return { columnNames, columnTypes, rows };
  };
  return { text: (sql) => run(text, sql, []), prepared: (sql, args) => run(binary, sql, args) };
}, cause);
