// SPDX-License-Identifier: MIT
// What becomes a part of the program.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

const dist = new URL('../../dist/', import.meta.url);
const files = readdirSync(dist);

test('the page takes at most 200 kB, compressed', () => {
  assert.deepEqual(files.sort(), ['app.css.gz', 'app.js.gz', 'index.html.gz']);
  const size = files.reduce((n, f) => n + statSync(new URL(f, dist)).size, 0);
  assert.ok(size <= 200e3, `${size} bytes`);
});

test('the page asks no other machine for anything', () => {
  const all = files.map((f) => gunzipSync(readFileSync(new URL(f, dist))).toString()).join('\n');
  const addresses = [...new Set(all.match(/\bhttps?:\/\/[\w.-]+/g))].filter((a) => !/^http:\/\/www\.w3\.org/.test(a));
  // Texts of messages and comments of licences, none of which is asked for anything; the browser tests fail at requests to others.
  assert.deepEqual(addresses.filter((a) => !['https://svelte.dev', 'https://svelteflow.dev', 'https://github.com', 'https://reactflow.dev'].includes(a)), []);
});
