// What Prisma runs its queries through: the driver adapter, which by default prepares and closes a statement each time.
'use strict';
const { PrismaMariaDb } = require('@prisma/adapter-mariadb');
const { account, talk } = require('./talk');

talk(async () => {
  const open = (options) => new PrismaMariaDb({ ...account, connectionLimit: 1 }, options).connect();
  const [text, binary] = [await open({ useTextProtocol: true }), await open()];
  const run = async (db, sql, args) => {
    const argTypes = args.map((v) => ({ scalarType: typeof v === 'number' ? 'int' : 'string', arity: 'scalar' }));
    const { columnNames, columnTypes, rows } = await db.queryRaw({ sql, args, argTypes });
    return { columnNames, columnTypes, rows };
  };
  const c = { text: (sql) => run(text, sql, []), prepared: (sql, args) => run(binary, sql, args) };
  await c.text('SELECT 1'); // the adapter hides why its first connection was refused
  return c;
}, (e) => e.cause ? { errno: e.cause.originalCode ?? e.cause.code, message: e.cause.originalMessage ?? e.cause.message } : e);
