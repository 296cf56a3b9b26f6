// Sequelize over mysql2: it sets the time zone of each connection, and a bound value makes a prepared statement.
'use strict';
const { Sequelize, QueryTypes } = require('sequelize');
const { account, talk } = require('./talk');

talk(async () => {
  const { database, user, password, host, port } = account;
  const s = new Sequelize(database, user, password, { dialect: 'mysql', host, port, logging: false, pool: { max: 1 } });
  await s.authenticate();
  const run = (sql, more) => s.query(sql, { type: QueryTypes.SELECT, ...more });
  let n = 0;
  return {
    text: (sql) => (/^(SELECT|SHOW)/.test(sql) ? run(sql) : s.query(sql)),
    prepared: (sql, bind) => ((n = 0), run(sql.replace(/\?/g, () => `$${++n}`), { bind })),
  };
}, (e) => e.original ?? e);
