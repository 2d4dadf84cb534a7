// SPDX-License-Identifier: MIT
// Which signals share a panel, and how they look.

const dashes = [[], [6, 2], [2, 2]];

/** Colours of the theme: six, then the same with dashes. */
export const colorOf = (i) => `--series-${(i % 6) + 1}`;
export const dashOf = (i) => dashes[Math.floor(i / 6) % 3];

/** One panel for each unit, and for each signal that shall have its own; Booleans share strips. Signals of several runs with the same name share a
 * colour. */
export function makePanels(chosen, columns, own = new Set()) {
  const panels = new Map();
  chosen.forEach((name, i) => {
    const c = columns.get(name);
    if (!c) return;
    const isStrip = c.type === 'Boolean';
    const key = isStrip ? 'strips' : own.has(name) ? `own ${name}` : (c.unit ?? '');
    if (!panels.has(key)) panels.set(key, { key, unit: c.unit ?? '', isStrip, signals: [] });
    panels.get(key).signals.push({ name, color: colorOf(i), dash: dashOf(i), isStepped: !/Float/.test(c.type) });
  });
  return [...panels.values()].sort((a, b) => a.isStrip - b.isStrip);
}

/** Data of several runs over one list of times, in which two rows of one time stay two. */
export function join(parts) {
  if (parts.length === 1) return [parts[0].t, ...parts[0].y];
  const at = parts.map(() => 0);
  const times = [];
  const sources = [];
  for (;;) {
    let next = -1;
    for (let i = 0; i < parts.length; i++) if (at[i] < parts[i].t.length && (next < 0 || parts[i].t[at[i]] < parts[next].t[at[next]])) next = i;
    if (next < 0) break;
    times.push(parts[next].t[at[next]]);
    sources.push([next, at[next]++]);
  }
  const series = parts.flatMap((p, i) => p.y.map((values) => sources.map(([k, row]) => (k === i ? values[row] : null))));
  return [times, ...series];
}

/** The value of a series of rows at a time, as it would be drawn; null outside. */
export function valueAt(part, k, time, isStepped) {
  const { t } = part;
  const y = part.y[k];
  if (!t.length || time < t[0] || time > t[t.length - 1]) return null;
  let low = 0;
  let high = t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle - 1;
  }
  if (isStepped || low === t.length - 1 || t[low + 1] === t[low]) return y[low];
  return y[low] + ((y[low + 1] - y[low]) * (time - t[low])) / (t[low + 1] - t[low]);
}

/** Curves of signals over another one, and the ranges that hold them. */
export function makeCurves(part, over, names) {
  const at = part.names.indexOf(over);
  const curves = names.map((name) => ({ name, x: part.y[at], y: part.y[part.names.indexOf(name)] }));
  return { curves, x: rangeOf([part.y[at]]), y: rangeOf(curves.map((c) => c.y)) };
}

function rangeOf(lists) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const v of list)
      if (v !== null) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
  if (low > high) return [0, 1];
  const size = high - low || Math.abs(high) * 0.1 || 1;
  return [low - size * 0.05, high + size * 0.05];
}

/** Round numbers in a range: 1, 2, 5 times a power of ten. */
export function ticksOf([low, high], n = 6) {
  const rough = (high - low) / n;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((f) => f * power >= rough) * power;
  const list = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) list.push(k * step);
  return list;
}

/** Sweeps of each step, divided by how much is amiss: as a rule, many (6 and more), not converged. */
export function judgeSweeps(sweeps, unconverged) {
  return [sweeps, sweeps.map((v, i) => (v >= 6 && !unconverged[i] ? v : null)), sweeps.map((v, i) => (unconverged[i] ? v : null))];
}

/** All panels, one below the other, as a picture. panels: [{canvas, texts: [{text, color}]}] */
export function drawPanels(panels, style) {
  const ratio = devicePixelRatio || 1;
  const width = Math.max(...panels.map((p) => p.canvas.width));
  const head = 22 * ratio;
  const picture = Object.assign(document.createElement('canvas'), { width, height: panels.reduce((h, p) => h + p.canvas.height + head, 0) });
  const c = picture.getContext('2d');
  c.fillStyle = style('--surface');
  c.fillRect(0, 0, picture.width, picture.height);
  c.font = `${12 * ratio}px Inter, system-ui, sans-serif`;
  let top = 0;
  for (const p of panels) {
    let left = 16 * ratio;
    for (const t of p.texts) {
      c.fillStyle = style(t.color);
      c.fillRect(left, top + 11 * ratio, 14 * ratio, 2 * ratio);
      c.fillStyle = style('--text');
      c.fillText(t.text, left + 20 * ratio, top + 16 * ratio);
      left += 44 * ratio + c.measureText(t.text).width;
    }
    c.drawImage(p.canvas, 0, top + head);
    top += head + p.canvas.height;
  }
  return picture;
}
