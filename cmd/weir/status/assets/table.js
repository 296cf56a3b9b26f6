// set writes a text only if it is another one, so that selections stay, and screen readers say nothing twice.
function set(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function make(name, attributes, ...children) {
  const node = name.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) if (known(v)) node.setAttribute(k, v);
  node.append(...children);
  return node;
}

// table makes a table in the node, and returns what fills it. A column is {head, cell, kind, scope}: cell gives a text, or
// {text, tone, title}. Whatever comes from statements is put in as text, never as markup.
function table(node, caption, columns, empty) {
  const head = make("tr", { role: "row" }, ...columns.map((c) => make("th", { scope: "col", role: "columnheader", class: c.kind === "num" ? "num" : null }, c.head)));
  const body = make("tbody", { role: "rowgroup" });
  const all = make("table", { role: "table" }, make("caption", { class: "hidden" }, caption), make("thead", { role: "rowgroup" }, head), body);
  const none = make("p", { class: "empty" }, empty);
  node.append(all, none);
  return (rows) => {
    all.hidden = rows.length === 0;
    none.hidden = rows.length > 0;
    while (body.rows.length > rows.length) body.lastChild.remove();
    while (body.rows.length < rows.length) {
      body.append(make("tr", { role: "row" }, ...columns.map((c) => make("td", { role: "cell", "data-label": c.head }))));
    }
    rows.forEach((row, i) => columns.forEach((c, k) => fill(body.rows[i].cells[k], c, c.cell(row))));
  };
}

function fill(cell, column, value) {
  const { text, tone, title } = typeof value === "object" ? value : { text: value };
  const kind = [column.kind, tone].filter(Boolean).join(" ");
  if (cell.className !== kind) cell.className = kind;
  if (title && cell.title !== title) cell.title = title;
  if (column.clamp && !cell.firstElementChild) cell.append(make("div", { class: "clamp" }));
  set(cell.firstElementChild || cell, text);
}

const perSecond = (head, key) => ({ head, kind: "num", cell: (r) => rate(r[key]) });

function tables() {
  const at = (id) => document.getElementById(id);
  const fillBackends = table(at("backends"), "Servers that answer reads", [
    { head: "Server", cell: (b) => b.addr + (b.role === "source" ? " (source)" : "") },
    { head: "State", kind: "text", cell: (b) => (b.up ? { text: "● " + b.sentence, tone: /gets|cannot/.test(b.sentence) ? "fair" : "good" } : { text: "✕ " + b.sentence, tone: "bad" }) },
    { head: "Lag", kind: "num", cell: (b) => span(b.lag_seconds) },
    { head: "Under way", kind: "num", cell: (b) => rate(b.outstanding) },
    { head: "Connections", kind: "num", cell: (b) => rate(b.connections) },
  ], "None is configured.");
  const fillRefused = table(at("refused"), "Results that were not stored, by reason", [
    { head: "Reason", cell: (r) => ({ text: reasons[r.reason] || r.reason, title: r.reason }) },
    perSecond("Per second", "per_second"),
    { head: "In all", kind: "num", cell: (r) => formats.count(r.total) },
  ], "Every result that could be stored was.");
  const fillStatements = table(at("statements"), "Statements that cost servers, or save them, most", [
    { head: "Statement", kind: "text code", clamp: true, cell: (s) => ({ text: s.text, title: s.text + "\n" + s.digest }) },
    perSecond("Calls/s", "calls_per_second"),
    perSecond("Hits/s", "hits_per_second"),
    { head: "Hit ratio", kind: "num", cell: (s) => percent(s.hit_ratio) },
    { head: "Server p99", kind: "num", cell: (s) => span(s.p99_seconds) },
  ], "No statement was asked in the last ten seconds.");
  const fillTables = table(at("tables"), "Tables that are read and changed most", [
    { head: "Table", kind: "code", cell: (t) => t.name },
    perSecond("Reads/s", "reads_per_second"),
    perSecond("Hits/s", "hits_per_second"),
    perSecond("Changes/s", "changes_per_second"),
    { head: "Advice", kind: "text", cell: (t) => t.advice },
  ], "No table was read or changed in the last ten seconds.");
  const fillDDL = table(at("ddl"), "Schema changes, newest first", [
    { head: "When", cell: (d) => ({ text: clock(d.time, true), title: d.time }) },
    { head: "Change", kind: "text code", clamp: true, cell: (d) => d.text },
    { head: "Effect", cell: (d) => d.effect || unknown },
    { head: "State", cell: (d) => (d.running ? { text: "▶ running", tone: "fair" } : d.state) },
    { head: "Ended results", kind: "num", cell: (d) => formats.count(d.unservable) },
  ], "None since Weir was started.");
  return (o) => { fillBackends(o.backends); fillRefused(o.refused); fillStatements(o.statements); fillTables(o.tables); fillDDL(o.ddl); };
}
