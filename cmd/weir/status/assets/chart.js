// A chart draws some series of the history over the last ten minutes, or less while there is less. All charts share a cursor,
// a time in seconds.
const windowSeconds = 600;
const pad = { left: 58, right: 14, top: 8, bottom: 20 };
let cursor = null;

// Scales give {lo, hi, y: value -> 0..1, ticks}.
function logScale(values, also) {
  const all = values.concat(also).filter((v) => v > 0);
  let lo = Math.floor(Math.log10(Math.min(1e-3, ...all))), hi = Math.ceil(Math.log10(Math.max(1e-2, ...all)));
  lo = Math.max(lo, hi - 6);
  const ticks = [];
  for (let d = lo; d <= hi; d++) ticks.push(10 ** d);
  return { ticks, y: (v) => (Math.log10(Math.max(v, 10 ** lo)) - lo) / (hi - lo) };
}

function linearScale(values) {
  const top = Math.max(1, ...values), unit = 10 ** Math.floor(Math.log10(top));
  const step = [0.5, 1, 2.5, 5].map((f) => f * unit).find((s) => top / s <= 3) || 5 * unit;
  const hi = Math.ceil(top / step) * step, ticks = [];
  for (let v = 0; v <= hi + step / 2; v += step) ticks.push(v);
  return { ticks, y: (v) => v / hi };
}

const ratioScale = () => ({ ticks: [0, 0.5, 1], y: (v) => v });

class Chart {
  constructor(parent, { title, about, height, scale, format, tick, series, band, reference }) {
    Object.assign(this, { title, about, height, scale, format, tick: tick || format, series, band, reference });
    this.svg = make("svg:svg", { role: "img", tabindex: "0", height });
    this.tip = make("div", { class: "tip", role: "status" });
    this.values = series.map(() => make("b", {}));
    const keys = series.map((s, i) => make("span", { class: "key" }, sample(s), s.name + " ", this.values[i]));
    parent.append(make("figure", { class: "chart" }, make("figcaption", {}, make("b", {}, title), ...keys), this.svg, this.tip));
    this.svg.addEventListener("pointermove", (e) => move(this.timeAt(e.clientX)));
    this.svg.addEventListener("pointerleave", () => move(null));
    this.svg.addEventListener("blur", () => move(null));
    this.svg.addEventListener("keydown", (e) => this.key(e));
  }

  timeAt(clientX) {
    const box = this.svg.getBoundingClientRect();
    const share = (clientX - box.left - pad.left) / (box.width - pad.left - pad.right);
    return Math.round(this.end - this.span * (1 - Math.min(1, Math.max(0, share))));
  }

  key(e) {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -60, PageDown: 60, Home: -windowSeconds, End: windowSeconds }[e.key];
    if (e.key === "Escape") move(null);
    if (!step) return;
    e.preventDefault();
    const at = (cursor ?? this.end) + step * (e.shiftKey ? 10 : 1);
    move(Math.min(this.end, Math.max(this.history.times[0] ?? this.end, at)), this);
  }

  draw(history, ddl, bound) {
    Object.assign(this, { history, ddl, end: history.times.at(-1) });
    this.span = [60, 120, 300].find((s) => this.end - history.times[0] < s) || windowSeconds;
    const width = this.svg.clientWidth || 600, { height } = this;
    const x = (t) => pad.left + (1 - (this.end - t) / this.span) * (width - pad.left - pad.right);
    const columns = this.series.map((s) => history[s.key]);
    const scale = this.scale(columns.flat().filter(known), this.reference ? [bound] : []);
    const y = (v) => height - pad.bottom - scale.y(v) * (height - pad.top - pad.bottom);
    this.x = x; this.y = y;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("aria-label", this.summary(columns));
    this.svg.replaceChildren(
      ...this.axes(scale, x, y, width), ...this.marks(x, height),
      ...(this.band ? [make("svg:path", { class: "band", d: area(history.times, history[this.band[0]], known(this.band[1]) ? history[this.band[1]] : null, x, y) })] : []),
      ...this.series.map((s, i) => make("svg:path", { class: s.line, d: s.dots ? dots(history.times, columns[i], x, y) : line(history.times, columns[i], x, y) })),
      ...(this.reference ? this.boundLine(bound, y, width) : []),
    );
    columns.forEach((c, i) => set(this.values[i], this.format(c.findLast(known) ?? null)));
    this.point();
  }

  axes(scale, x, y, width) {
    const parts = scale.ticks.flatMap((v, i) => [
      make("svg:line", { class: i ? "grid" : "base", x1: pad.left, x2: width - pad.right, y1: y(v), y2: y(v) }),
      make("svg:text", { x: pad.left - 8, y: y(v) + 4, "text-anchor": "end" }, this.tick(v)),
    ]);
    const every = (this.span / 5) * (width < 520 ? 2 : 1), edge = this.span / 30;
    for (let t = Math.ceil((this.end - this.span + edge) / every) * every; t <= this.end - edge / 2; t += every) {
      parts.push(make("svg:text", { x: x(t), y: this.height - 4, "text-anchor": "middle" }, clock(t * 1000, every % 60 > 0)));
    }
    return parts;
  }

  marks(x, height) {
    return this.ddl.flatMap((d) => {
      const from = Date.parse(d.time) / 1000, to = d.end ? Date.parse(d.end) / 1000 : this.end, start = this.end - this.span;
      if (to < start || from > this.end) return [];
      const a = x(Math.max(from, start)), b = x(Math.min(to, this.end)), top = pad.top;
      return [
        make("svg:rect", { class: "ddl-span", x: a, width: Math.max(b - a, 0), y: top, height: height - pad.bottom - top }),
        make("svg:line", { class: "ddl-line", x1: a, x2: a, y1: top, y2: height - pad.bottom }),
        make("svg:path", { class: "ddl-mark", d: `M${a - 5} ${top - 6}h10l-5 8z` }, make("svg:title", {}, d.text)),
      ];
    });
  }

  boundLine(bound, y, width) {
    return [
      make("svg:line", { class: "bound", x1: pad.left, x2: width - pad.right, y1: y(bound), y2: y(bound) }),
      make("svg:text", { class: "bound", x: width - pad.right - 4, y: y(bound) + 14, "text-anchor": "end" }, "max_staleness"),
    ];
  }

  summary(columns) {
    const parts = this.series.map((s, i) => {
      const all = columns[i].filter(known);
      return all.length ? `${s.name} now ${this.format(all.at(-1))}, least ${this.format(Math.min(...all))}, most ${this.format(Math.max(...all))}` : `${s.name} not known`;
    });
    return `${this.title}, ${this.about}. ${parts.join("; ")}. The table below has the same by minute.`;
  }

  // point shows the cursor, and says what was there.
  point() {
    this.svg.querySelector(".cursor")?.remove();
    if (cursor === null || cursor < this.history.times[0]) { set(this.tip, ""); return; }
    const i = this.history.times.findIndex((t) => t >= cursor), at = this.x(cursor);
    if (i < 0) { set(this.tip, ""); return; }
    this.svg.append(make("svg:line", { class: "cursor", x1: at, x2: at, y1: pad.top, y2: this.height - pad.bottom }));
    const near = this.ddl.filter((d) => Math.abs(Date.parse(d.time) / 1000 - cursor) < 4).map((d) => "\n▼ " + d.text);
    set(this.tip, clock(cursor * 1000, true) + this.series.map((s) => `\n${s.name}  ${this.format(this.history[s.key][i])}`).join("") + near.join(""));
    const right = at > this.svg.clientWidth / 2;
    this.tip.style.left = right ? "" : at + 12 + "px";
    this.tip.style.right = right ? this.svg.clientWidth - at + 12 + "px" : "";
  }
}

const charts = [];
function move(to) {
  if (to === cursor) return;
  cursor = to;
  for (const c of charts) if (c.history) c.point();
}

function sample(s) {
  const d = s.dots ? "M2 5h.01M8 3h.01M14 6h.01M20 4h.01" : "M1 5h20";
  return make("svg:svg", { viewBox: "0 0 22 10", "aria-hidden": "true" }, make("svg:path", { class: s.line, d }));
}

// runs calls f with each stretch of known values, as [from, to).
function runs(times, values, f) {
  for (let i = 0, from = -1; i <= times.length; i++) {
    const on = i < times.length && known(values[i]) && (from < 0 || times[i] - times[i - 1] <= 2);
    if (on && from < 0) from = i;
    if (!on && from >= 0) { f(from, i); from = i < times.length && known(values[i]) ? i : -1; }
  }
}

const place = (x, y) => x.toFixed(1) + " " + y.toFixed(1);

function line(times, values, x, y) {
  let d = "";
  runs(times, values, (from, to) => {
    d += "M" + place(x(times[from]), y(values[from])) + (to - from === 1 ? "h.01" : "");
    for (let i = from + 1; i < to; i++) d += "L" + place(x(times[i]), y(values[i]));
  });
  return d;
}

const dots = (times, values, x, y) => times.map((t, i) => (known(values[i]) ? "M" + place(x(t), y(values[i])) + "h.01" : "")).join("");

// area is what lies between two series, or below one.
function area(times, upper, lower, x, y) {
  let d = "";
  runs(times, upper, (from, to) => {
    d += "M";
    for (let i = from; i < to; i++) d += place(x(times[i]), y(upper[i])) + "L";
    for (let i = to - 1; i >= from; i--) d += place(x(times[i]), y(lower && known(lower[i]) ? lower[i] : lower ? upper[i] : 0)) + (i > from ? "L" : "Z");
  });
  return d;
}
