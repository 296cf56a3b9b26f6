'use strict';
const mysql = require('mysql2/promise');
const { account, talk } = require('./talk');

talk(async () => {
  const c = await mysql.createConnection(account);
  return {
    text: async (sql) => (await c.query(sql))[0],
    prepared: async (sql, values) => (await c.execute(sql, values))[0],
  };
});
