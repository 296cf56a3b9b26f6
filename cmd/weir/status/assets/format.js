// How figures are written. null is what is not known.
const unknown = "–";
const known = (v) => v !== null && v !== undefined;
const short = (v) => (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2)).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
const grouped = (v) => Math.round(v).toLocaleString("en").replaceAll(",", "\u202f");

// span writes a time in seconds.
function span(s) {
  if (!known(s)) return unknown;
  if (s === 0) return "0 s";
  if (s < 1e-3) return short(s * 1e6) + " µs";
  if (s < 1) return short(s * 1e3) + " ms";
  if (s < 120) return short(s) + " s";
  if (s < 7200) return Math.floor(s / 60) + " min";
  if (s < 172800) return Math.floor(s / 3600) + " h " + Math.floor((s % 3600) / 60) + " min";
  return Math.floor(s / 86400) + " days";
}

function bytes(v) {
  if (!known(v)) return unknown;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (v >= 1024 && i < units.length - 1) { v /= 1024; i++; }
  return short(v) + " " + units[i];
}

const rate = (v) => (!known(v) ? unknown : v >= 1000 ? grouped(v) : v === 0 ? "0" : v < 0.1 ? "< 0.1" : short(v));
const percent = (v) => (!known(v) ? unknown : v === 1 ? "100 %" : (v * 100).toFixed(1) + " %");
const clock = (t, seconds) => new Date(t).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: seconds ? "2-digit" : undefined, hour12: false });

const formats = {
  span, bytes, rate, percent,
  text: (v) => v || unknown,
  count: (v) => (known(v) ? grouped(v) : unknown),
  server: (s) => [{ mysql: "MySQL", mariadb: "MariaDB" }[s.flavor] || s.flavor, s.version].filter(Boolean).join(" ") + (s.connected ? "" : ", stream not open"),
  // Of commits that are told by the second nobody knows better.
  coarse: (clock) => (clock === "seconds" ? "; up to 1 s too much, since this source tells the second of a commit alone" : ""),
  tier: (s) => (s.configured ? (s.well ? "Well" : "Impaired") : "None"),
  tiernote: (s) => (s.configured ? s.state + "; " + rate(s.hits_per_second) + " hits/s" : "redis.addrs is not set"),
};

// Why a result was not stored, in words.
const reasons = {
  snapshot_behind: "the server lacked a change still",
  unproved: "the server's position proves nothing",
  not_current: "the stream was not current",
  own_write: "the session had just written",
  too_large: "larger than query_cache_limit",
  warnings: "raised warnings",
  error: "failed",
  several_results: "not one result set",
  not_paying: "changes too soon to be used",
};
