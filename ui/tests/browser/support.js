// SPDX-License-Identifier: MIT
// A server on a folder of its own, and a browser that looks at it. What the page writes to the console fails the test.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const takt = process.env.TAKT_PROGRAM;
export const fmus = process.env.TAKT_TEST_FMUS;
export const examples = process.env.TAKT_EXAMPLES;

let browser;
export async function openBrowser() {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  return browser;
}
export const closeBrowser = async () => browser?.close();

export function makeFolder(...names) {
  const folder = mkdtempSync(join(tmpdir(), 'takt-page-'));
  for (const name of names) copyFileSync(join(fmus, name + '.fmu'), join(folder, name + '.fmu'));
  return folder;
}

/** A copy of an FMU with one more file. */
export function addFile(name, to, path, text) {
  const done = spawnSync('python3', ['-c', 'import shutil, sys, zipfile\nshutil.copy(sys.argv[1], sys.argv[2])\nwith zipfile.ZipFile(sys.argv[2], "a") as archive: archive.writestr(sys.argv[3], sys.argv[4])', join(fmus, name + '.fmu'), to, path, text], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
}

/** Runs a test with a page: `work({page, folder, run})`. */
export async function withPage({ folder, file = '', colorScheme = 'light', width = 1440, height = 900 }, work) {
  const server = spawn(takt, ['ui', join(folder, file), '--no-browser', ...(process.env.TAKT_PAGE ? ['--page', process.env.TAKT_PAGE] : [])], { stdio: ['ignore', 'pipe', 'ignore'] });
  const address = await new Promise((resolve) => server.stdout.once('data', (text) => resolve(String(text).split('\n')[0])));
  const context = await (await openBrowser()).newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60000); // loaded machines are slow
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && complaints.push(m.text()));
  page.on('pageerror', (e) => complaints.push(e.message));
  page.on('request', (r) => r.url().startsWith(address.split('#')[0]) || r.url().startsWith('blob:') || r.url().startsWith('data:') || complaints.push('request to ' + r.url()));
  try {
    await page.goto(address);
    await work({ page, address, folder, context, server, complaints });
    if (complaints.length) throw new Error('console: ' + complaints.join('\n'));
  } finally {
    await context.close();
    server.kill('SIGINT');
    await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve()));
  }
}

export const remove = (folder) => rmSync(folder, { recursive: true, force: true });

/** Runs takt itself; its standard output. */
export function runTakt(folder, ...words) {
  const done = spawnSync(takt, words, { cwd: folder, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  return done.stdout;
}

export const rowsOf = (csv) => csv.trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
