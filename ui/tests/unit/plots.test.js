// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAxis } from '../../src/format.js';
import { judgeSweeps, makeCurves, makePanels, ticksOf } from '../../src/plots.js';

test('a signal may have a panel of its own', () => {
  const columns = new Map(['a', 'b', 'c'].map((n) => [n, { type: 'Float64', unit: 'K' }]));
  const names = (own) => makePanels(['a', 'b', 'c'], columns, new Set(own)).map((p) => p.signals.map((s) => s.name));
  assert.deepEqual(names([]), [['a', 'b', 'c']]);
  assert.deepEqual(names(['b']), [['a', 'c'], ['b']]);
});

test('ticks are round numbers in the range', () => {
  assert.deepEqual(ticksOf([0, 10]), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticksOf([-1.1, 0.9]).map((v) => Number(v.toFixed(9))), [-1, -0.5, 0, 0.5]);
  assert.ok(ticksOf([1e-9, 3e-9]).length >= 4);
});

test('time is read in the unit that fits its range', () => {
  assert.deepEqual([5, 1e-3, 1e-5, 48 * 3600, 365 * 86400].map((s) => timeAxis(s).unit), ['s', 'ms', 'µs', 'h', 'd']);
  assert.ok(timeAxis(48 * 3600).steps.includes(6 * 3600));
  assert.ok(!timeAxis(48 * 3600).steps.includes(5 * 3600));
});

test('curves have ranges that hold them, also where nothing changes', () => {
  const { x, y, curves } = makeCurves({ names: ['a', 'b'], y: [[0, 1, 2], [5, 5, null]] }, 'a', ['b']);
  assert.ok(x[0] < 0 && x[1] > 2);
  assert.ok(y[0] < 5 && y[1] > 5);
  assert.deepEqual(curves[0].y, [5, 5, null]);
});

test('many sweeps and steps that did not converge are marked', () => {
  assert.deepEqual(judgeSweeps([1, 6, 9], [0, 0, 1]), [[1, 6, 9], [null, 6, null], [null, null, 9]]);
});
