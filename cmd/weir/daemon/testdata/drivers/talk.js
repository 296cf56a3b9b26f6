// Reads commands, runs them one after the other, and prints the answers. See README.md.
'use strict';
const readline = require('node:readline');

const [host, port, user, password, database] = process.argv.slice(2);
exports.account = { host, port: Number(port), user, password, database };

const write = (rows) => 'ok ' + JSON.stringify(rows, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
const complain = (e) => `error ${e.errno ?? e.code ?? 0} ${String(e.sqlMessage ?? e.message).replaceAll('\n', ' ')}`;
const value = (v) => (/^\d+$/.test(v) ? Number(v) : v);

// talk connects, and answers with what the two functions of the connection return: text(sql), prepared(sql, values).
// cause finds the driver's error in what was thrown.
exports.talk = async (connect, cause = (e) => e) => {
  let connection;
  try {
    connection = await connect();
  } catch (e) {
    console.log(complain(cause(e)));
    return;
  }
  console.log('ok');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [how, sql, ...values] = line.split('\t');
    try {
      console.log(write(how === 'text' ? await connection.text(sql) : await connection.prepared(sql, values.map(value))));
    } catch (e) {
      console.log(complain(cause(e)));
    }
  }
  process.exit(0);
};
