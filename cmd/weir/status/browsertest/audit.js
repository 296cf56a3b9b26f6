// What is wrong with a page for those who do not see it, or not well: a list of sentences.
(() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const visible = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  const name = (e) => e.getAttribute("aria-label") || (e.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent || "").join(" ").trim();
  const where = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (typeof e.className === "string" && e.className ? "." + e.className : "");

  if (!document.documentElement.lang) wrong.push("html has no lang");
  if (!document.title) wrong.push("there is no title");
  for (const landmark of ["header", "main", "footer", "h1"]) if (all(landmark).length !== 1) wrong.push(`there are ${all(landmark).length} ${landmark}`);
  let level = 0;
  for (const h of all("h1, h2, h3, h4")) {
    const l = Number(h.tagName[1]);
    if (l > level + 1) wrong.push(`${where(h)} follows on h${level}`);
    if (!h.textContent.trim()) wrong.push(`${where(h)} is empty`);
    level = l;
  }
  const ids = all("[id]").map((e) => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push(`the id ${id} is there twice`);
  for (const e of all("section, [role=img], [role=region], meter, img, figure > svg")) if (!name(e)) wrong.push(`${where(e)} has no name`);
  for (const e of all("[aria-labelledby]")) for (const id of e.getAttribute("aria-labelledby").split(" ")) if (!document.getElementById(id)) wrong.push(`${where(e)} is named by ${id}, which is missing`);
  for (const t of all("table")) {
    if (!t.caption?.textContent) wrong.push(`${where(t.parentElement)}: a table has no caption`);
    if (t.querySelector("th:not([scope])")) wrong.push(`${where(t.parentElement)}: a th has no scope`);
  }
  for (const e of all("a, button, summary, [tabindex]")) if (!e.textContent.trim() && !name(e)) wrong.push(`${where(e)} can be focused and has no name`);
  for (const e of all("[tabindex]")) if (e.tabIndex > 0) wrong.push(`${where(e)} has a tabindex above 0`);

  const number = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { rgb: m.slice(0, 3), a: m[3] ?? 1 }; };
  const over = (top, under) => top.rgb.map((v, i) => v * top.a + under[i] * (1 - top.a));
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => {
    const layers = [];
    for (let p = e; p; p = p.parentElement) layers.push(number(getComputedStyle(p).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = texts.nextNode(); n; n = texts.nextNode()) {
    const e = n.parentElement, style = getComputedStyle(e);
    if (!n.data.trim() || !visible(e) || e.closest("script, style, noscript, title, .hidden, .skip")) continue;
    const under = ground(e), ink = over(number(e instanceof SVGElement ? style.fill : style.color), under);
    const [a, b] = [light(ink), light(under)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) wrong.push(`${where(e)} "${n.data.trim().slice(0, 20)}" has a contrast of ${ratio.toFixed(2)}`);
    if (size < 11) wrong.push(`${where(e)} is ${size} px small`);
  }
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) wrong.push(`the page is ${wide} px wider than the window`);
  return wrong;
})()
