// SPDX-License-Identifier: MIT
// Which signals share a panel, and how they look.

const dashes = [[], [6, 2], [2, 2]];

/** Colours of the theme: six, then the same with dashes. */
export const colorOf = (i) => `--series-${(i % 6) + 1}`;
export const dashOf = (i) => dashes[Math.floor(i / 6) % 3];

/** One panel for each unit; Booleans share strips. Signals of several runs with the same name share a colour. */
export function makePanels(chosen, columns) {
  const panels = new Map();
  chosen.forEach((name, i) => {
    const c = columns.get(name);
    if (!c) return;
    const isStrip = c.type === 'Boolean';
    const key = isStrip ? 'strips' : (c.unit ?? '');
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
