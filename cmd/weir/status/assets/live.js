// live keeps the page up to date. What is shown is always whole: an overview of one moment.
const $ = (id) => document.getElementById(id);
const words = { serving: "Serving from the cache", off: "Caching is off", observing: "Observing", starting: "Starting", behind: "Behind", broken: "Not serving from the cache" };
let history = null, latest = null, arrived = 0;

// join adds what is new to the history that is there.
function join(more) {
  if (!history) { history = more; return; }
  const last = history.times.at(-1) ?? 0;
  more.times.forEach((t, i) => {
    if (t > last) for (const k of Object.keys(history)) history[k].push(more[k][i]);
  });
  for (const k of Object.keys(history)) history[k].splice(0, history[k].length - windowSeconds);
}

const shown = [...document.querySelectorAll("[data-show]")].map((node) => {
  const [path, format] = node.dataset.show.split("|");
  return { node, path: path.split("."), format: formats[format] };
});

function show(o) {
  for (const { node, path, format } of shown) set(node, format(path.reduce((v, k) => v?.[k], o)));
  set($("state-word"), words[o.state.word] || o.state.word);
  set($("state-sentence"), o.state.sentence);
  $("state").dataset.word = o.state.word;
  meter($("bound-meter"), o.bound.complete_age_seconds, o.bound.max_staleness_seconds);
  meter($("memory-meter"), o.memory.bytes, o.memory.budget);
  fillTables(o);
  draw();
}

function meter(node, value, of) {
  node.value = known(value) && of > 0 ? Math.min(1, value / of) : 0;
  node.title = known(value) && of > 0 ? percent(value / of) : "";
}

function draw() {
  if (!latest || !history.times.length) return;
  for (const c of charts) c.draw(history, latest.ddl, latest.bound.max_staleness_seconds);
  if ($("minutes").open) fillMinutes(byMinute());
}

// byMinute is the history as ten rows, newest first.
function byMinute() {
  const rows = new Map();
  history.times.forEach((t, i) => {
    const minute = Math.floor(t / 60) * 60;
    if (!rows.has(minute)) rows.set(minute, { minute, qps: [], hit_ratio: [], lag_p50: [], lag_p99: [], lag_max: [], bound: [] });
    const row = rows.get(minute);
    for (const k of Object.keys(row)) if (k !== "minute" && known(history[k][i])) row[k].push(history[k][i]);
  });
  return [...rows.values()].reverse();
}

const mean = (all) => (all.length ? all.reduce((a, b) => a + b) / all.length : null);
const most = (all) => (all.length ? Math.max(...all) : null);

const fillMinutes = table($("minutes").querySelector("div"), "The last ten minutes, by minute", [
  { head: "Minute", cell: (r) => clock(r.minute * 1000) },
  { head: "Lag p50, mean", kind: "num", cell: (r) => span(mean(r.lag_p50)) },
  { head: "Lag p99, worst second", kind: "num", cell: (r) => span(most(r.lag_p99)) },
  { head: "Longest lag", kind: "num", cell: (r) => span(most(r.lag_max)) },
  { head: "Bound, most", kind: "num", cell: (r) => span(most(r.bound)) },
  { head: "Statements/s", kind: "num", cell: (r) => rate(mean(r.qps)) },
  { head: "Hit ratio, mean of seconds", kind: "num", cell: (r) => percent(mean(r.hit_ratio)) },
], "Nothing yet.");
const fillTables = tables();

charts.push(
  new Chart($("charts"), {
    title: "Commit to ledger", about: "the time from a commit on the source until no old result is served", height: 230, scale: logScale, format: span, reference: true, band: ["lag_p99", "lag_p50"],
    series: [{ key: "lag_p50", name: "median", line: "p50" }, { key: "lag_p99", name: "p99", line: "p99" }, { key: "lag_max", name: "longest", line: "max", dots: true }],
  }),
  new Chart($("charts"), { title: "Statements", about: "answered per second", height: 130, scale: linearScale, format: rate, band: ["qps", null], series: [{ key: "qps", name: "per second", line: "p50" }] }),
  new Chart($("charts"), { title: "Hit ratio", about: "hits of all statements that may be cached", height: 110, scale: ratioScale, format: percent, tick: (v) => v * 100 + " %", series: [{ key: "hit_ratio", name: "hits", line: "p50" }] }),
);

function link(state, text) {
  $("link").dataset.link = document.body.dataset.link = state;
  set($("link-text"), text);
  const word = latest ? words[latest.state.word] || latest.state.word : "waiting";
  document.title = "Weir: " + (state === "lost" ? "no figures" : word.toLowerCase());
}

// The stream is lost if it ends, and if nothing comes for five seconds: a process that hangs closes nothing.
const patience = 5000, pause = 2000;
let stream = null, timer = null;

function connect() {
  clearTimeout(timer);
  stream?.close();
  stream = new EventSource("/api/v1/events");
  stream.addEventListener("overview", (e) => take(JSON.parse(e.data)));
  stream.onerror = () => lost();
  timer = setTimeout(lost, patience);
}

function take(o) {
  clearTimeout(timer);
  timer = setTimeout(lost, patience);
  arrived = Date.now();
  join(o.history);
  latest = o;
  show(o);
  link("live", "Live");
}

function lost() {
  stream?.close();
  clearTimeout(timer);
  timer = setTimeout(connect, pause);
  link("lost", arrived ? `The stream of events is lost. These figures are from ${clock(arrived, true)}. Trying again.` : "Weir does not send figures. Trying again.");
}

// A page that nobody sees gives its connection back: browsers have six for all tabs of one site.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) { connect(); return; }
  clearTimeout(timer);
  stream?.close();
  link("waiting", "Paused while this tab is hidden");
});
$("minutes").addEventListener("toggle", draw);
new ResizeObserver(draw).observe($("charts"));
connect();
