'use strict';
const mariadb = require('mariadb');
const { account, talk } = require('./talk');

talk(async () => {
  const c = await mariadb.createConnection(account);
  return { text: (sql) => c.query(sql), prepared: (sql, values) => c.execute(sql, values) };
});
