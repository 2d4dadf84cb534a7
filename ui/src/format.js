// SPDX-License-Identifier: MIT
// Numbers as people read them: narrow spaces between thousands, a true minus, a few digits.

/** 3 to 5 significant digits. */
export function number(value, digits = 5) {
  if (value === null || value === undefined || Number.isNaN(value)) return '';
  if (value === 0) return '0';
  const size = Math.abs(value);
  let text = size >= 1e7 || size < 1e-4 ? value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e') : String(Number(value.toPrecision(digits)));
  if (!text.includes('e')) {
    const [whole, fraction] = text.split('.');
    text = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') + (fraction ? '.' + fraction : '');
  }
  return text.replaceAll('-', '\u2212');
}

/** Seconds in the unit that fits. */
export function seconds(value) {
  if (!Number.isFinite(value)) return '';
  const units = [[86400, 'd'], [3600, 'h'], [1, 's'], [1e-3, 'ms'], [1e-6, 'µs']];
  const size = Math.abs(value);
  const [factor, unit] = units.find(([f], i) => size >= f * (i < 2 ? 2 : 1)) ?? [1, 's'];
  return `${number(value / factor, 4)}\u00a0${unit}`;
}

const timeUnits = { d: 86400, h: 3600, s: 1, ms: 1e-3, 'µs': 1e-6 };

/** The unit in which an axis of time that is so long is read: its name, seconds in it, and the steps of its ticks in seconds. */
export function timeAxis(span) {
  const unit = span > 10 * 86400 ? 'd' : span > 2 * 3600 ? 'h' : span >= 0.5 || !(span > 0) ? 's' : span >= 5e-4 ? 'ms' : 'µs';
  const factor = timeUnits[unit];
  const steps = [];
  for (let p = -4; p < 9; p++) for (const f of [1, 2, 5]) steps.push(f * 10 ** p * factor);
  return { unit, factor, steps: unit === 'h' ? [...steps.filter((x) => x <= 2 * 3600), ...[6, 12, 24, 48, 120, 240].map((x) => x * 3600)] : steps };
}

export const plural = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;
