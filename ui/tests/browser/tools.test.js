// SPDX-License-Identifier: MIT
// What the page offers beside building and running: holding values, values in the diagram, subsystems, plots, several pages, every example.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { addFile, closeBrowser, examples, makeFolder, remove, rowsOf, runTakt, withPage } from './support.js';

after(closeBrowser);
const finished = (page) => page.getByText('Finished', { exact: true }).first().waitFor();
const plots = (page) => page.evaluate(() => window.taktPlots);

async function until(page, isSo) {
  let all;
  for (const end = Date.now() + 60000; Date.now() < end; await page.waitForTimeout(100)) if (isSo((all = await plots(page)))) return;
  assert.fail(JSON.stringify(all).slice(0, 1000));
}

async function withFolder(names, work) {
  const folder = makeFolder(...names);
  try {
    await work(folder);
  } finally {
    remove(folder);
  }
}

const makePair = (folder) => runTakt(folder, 'new', 'lv.ssd', '--add', 'Prey=LotkaVolterraPrey.fmu', '--add', 'Predator=LotkaVolterraPredator.fmu', '--connect', 'Prey.x=Predator.x',
  '--connect', 'Predator.y=Prey.y', '--stop-time', '20', '--record', '*', '-q');

test('a connected input is held during a run and released; the diagram shows values', () => withFolder(['LotkaVolterraPrey', 'LotkaVolterraPredator'], async (folder) => {
  makePair(folder);
  await withPage({ folder, file: 'lv.ssd' }, async ({ page }) => {
    await page.getByRole('button', { name: 'One step' }).click();
    const row = page.locator('.change.held', { hasText: 'Prey.y' });
    await page.getByRole('button', { name: 'Go on' }).waitFor();
    await row.locator('input').fill('3');
    await row.getByRole('button', { name: 'Hold Prey.y' }).click();
    await row.getByRole('button', { name: 'Release Prey.y' }).waitFor();
    await page.getByRole('button', { name: 'One step' }).click();
    await page.keyboard.press('Alt+1');
    await page.locator('.pill.held', { hasText: 'held at 3' }).waitFor();
    await page.locator('.port[data-port="Prey.y"] .live', { hasText: '3' }).waitFor();
    await page.keyboard.press('Alt+2');
    await row.getByRole('button', { name: 'Release Prey.y' }).click();
    await row.getByRole('button', { name: 'Hold Prey.y' }).waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await finished(page);
    await page.keyboard.press('Alt+3');
    await until(page, (all) => all?.flatMap((p) => p.names).includes('Prey.y'));
    const panel = (await plots(page)).find((p) => p.names.includes('Prey.y'));
    const held = panel.data[1 + panel.names.indexOf('Prey.y')];
    assert.ok(held.filter((v) => v === 3).length >= 2);
    assert.notEqual(held.at(-1), 3);
  });
}));

test('what the pointer is over shows its feedthrough; a problem leads to its place', () => withFolder(['Gain'], async (folder) => {
  runTakt(folder, 'new', 'one.ssd', '--add', 'A=Gain.fmu', '--add', 'B=Gain.fmu', '-q');
  await withPage({ folder, file: 'one.ssd' }, async ({ page }) => {
    assert.equal(await page.locator('.through').count(), 0);
    await page.locator('[data-component=B] .port[data-port="B.y"]').hover();
    await page.locator('[data-component=B] .through path').first().waitFor({ state: 'attached' });
    await page.mouse.move(5, 500);
    await page.locator('.through').waitFor({ state: 'detached' });
    // An error of `takt check`, live; F8 goes there.
    await page.locator('[data-component=A]').click();
    await page.locator('.right .grid tr', { hasText: 'k' }).locator('input').first().fill('nonsense');
    await page.keyboard.press('Enter');
    await page.locator('.dock .bad').waitFor();
    await page.locator('.svelte-flow__pane').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('F8');
    await page.locator('[data-component=A].selected').waitFor();
    assert.equal(await page.locator('button.run').getAttribute('aria-disabled'), 'true');
  });
}));

test('a subsystem is entered, changed and left; the file has it', () => withFolder(['Gain'], async (folder) => {
  const component = (name) => `<ssd:Component name="${name}" source="Gain.fmu"/>`;
  writeFileSync(join(folder, 'nested.ssd'), `<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" name="n" version="1.0"><ssd:System name="n"><ssd:Elements>
${component('Top')}<ssd:System name="Sub"><ssd:Elements>${component('A')}</ssd:Elements></ssd:System></ssd:Elements></ssd:System></ssd:SystemStructureDescription>`);
  await withPage({ folder, file: 'nested.ssd' }, async ({ page }) => {
    await page.locator('[data-component=Sub]').dblclick();
    await page.locator('[data-component="Sub.A"]').waitFor();
    await page.locator('.item', { hasText: 'Gain' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-component="Sub.Gain"].selected').waitFor();
    const port = page.locator('.port[data-port="Sub.Gain.y"]');
    await port.and(page.locator('[tabindex="0"]')).waitFor();
    await port.focus();
    await page.keyboard.press('c');
    await page.getByRole('combobox').fill('A.u');
    assert.deepEqual(await page.getByRole('option').allTextContents(), ['Sub.A.u']); // not those outside
    await page.keyboard.press('Enter');
    await page.getByText('3 components, 1 connection,').waitFor();
    await page.keyboard.press('F2');
    await page.getByLabel('New name').fill('Amplifier');
    await page.keyboard.press('Enter');
    await page.locator('[data-component="Sub.Amplifier"]').waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await page.locator('[data-component=Top]').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
  });
  assert.match(readFileSync(join(folder, 'nested.ssd'), 'utf8'), /startElement="Amplifier" startConnector="y" endElement="A" endConnector="u"/);
  runTakt(folder, 'run', 'nested.ssd', '--stop-time', '1', '-q', '-o', 'x.csv');
}));

test('connections lead through the wall of a subsystem, by its connectors and by new ones', () => withFolder(['Gain'], async (folder) => {
  const component = (name) => `<ssd:Component name="${name}" source="Gain.fmu"/>`;
  writeFileSync(join(folder, 'walls.ssd'), `<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" name="n" version="1.0"><ssd:System name="n"><ssd:Elements>${component('Top')}
<ssd:System name="Sub"><ssd:Connectors><ssd:Connector name="x_in" kind="input"/></ssd:Connectors><ssd:Elements>${component('A')}${component('B')}</ssd:Elements>
<ssd:Connections><ssd:Connection startConnector="x_in" endElement="B" endConnector="u"/></ssd:Connections></ssd:System></ssd:Elements></ssd:System></ssd:SystemStructureDescription>`);
  await withPage({ folder, file: 'walls.ssd' }, async ({ page }) => {
    await page.locator('[data-component=Sub]').waitFor();
    const middle = async (port) => {
      const box = await page.locator(`.svelte-flow__handle[data-port="${port}"]`).boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const drag = async (from, x, y) => {
      await page.mouse.move(...(await middle(from)));
      await page.mouse.down();
      await page.mouse.move(x - 20, y - 10, { steps: 4 });
      await page.mouse.move(x, y, { steps: 4 });
    };
    await drag('Top.y', ...(await middle('Sub.x_in'))); // the connector is a port, though nothing outside drives it yet
    await page.locator('.reason', { hasText: 'Top.y → Sub.x_in' }).waitFor();
    await page.mouse.up();
    await page.getByText('1 connection,').waitFor();
    const head = await page.locator('[data-component=Sub] .title').boundingBox();
    await drag('Top.y', head.x + 5, head.y + 5); // dropped on the system: what is inside of it
    await page.mouse.up();
    await page.getByRole('combobox').fill('A.u');
    await page.keyboard.press('Enter');
    await page.getByText('2 connections,').waitFor();
    await page.locator('[data-component=Sub]').dblclick();
    await page.locator('.component.wall').nth(1).waitFor();
    assert.equal(await page.locator('.svelte-flow__edge').count(), 2);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
  });
  const text = readFileSync(join(folder, 'walls.ssd'), 'utf8');
  assert.match(text, /startElement="Top" startConnector="y" endElement="Sub" endConnector="x_in"/);
  assert.match(text, /startConnector="A_u" endElement="A" endConnector="u"/);
  runTakt(folder, 'run', 'walls.ssd', '--stop-time', '1', '-q', '-o', 'x.csv');
}));

test('terminals are one row, and are connected as a whole by mouse and by keyboard', () => withFolder([], async (folder) => {
  // An FMU of FMI 2.0 and one of 3.0, with a description of terminals as both have it.
  const terminals = `<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals><Terminal name="life" matchingRule="plug" terminalKind="animals">
<TerminalMemberVariable variableName="x" memberName="prey" variableKind="signal"/><TerminalMemberVariable variableName="y" memberName="predator" variableKind="signal"/></Terminal></Terminals></fmiTerminalsAndIcons>`;
  for (const [from, to] of [['LotkaVolterraPrey', 'Prey'], ['LotkaVolterraPredator_fmi3', 'Predator']]) addFile(from, join(folder, `${to}.fmu`), 'terminalsAndIcons/terminalsAndIcons.xml', terminals);
  runTakt(folder, 'new', 't.ssd', '--add', 'Prey=Prey.fmu', '--add', 'Predator=Predator.fmu', '-q');
  await withPage({ folder, file: 't.ssd' }, async ({ page }) => {
    const row = page.locator('.port.terminal[data-port="Prey:life"]');
    await row.waitFor();
    assert.equal(await page.locator('.port[data-port="Prey.x"]').count(), 0);
    const boxes = await Promise.all([page.locator('.svelte-flow__handle.source[data-port="Prey:life"]').boundingBox(), page.locator('.svelte-flow__handle.target[data-port="Predator:life"]').boundingBox()]);
    const [a, b] = boxes.map((box) => [box.x + box.width / 2, box.y + box.height / 2]);
    await page.mouse.move(...a);
    await page.mouse.down();
    await page.mouse.move(b[0] - 20, b[1] - 10, { steps: 4 });
    await page.mouse.move(...b, { steps: 4 });
    await page.locator('.reason', { hasText: 'Prey:life → Predator:life' }).waitFor();
    await page.mouse.up();
    await page.getByText('2 connections, 1 loop').waitFor();
    await row.click(); // unfolded
    await page.locator('.port[data-port="Prey.x"]').waitFor();
    await row.click();
    await page.keyboard.press('Control+z');
    await page.locator('.crumbs', { hasText: '0 connections' }).waitFor();
    await page.locator('[data-component=Prey] .title').click();
    await row.focus();
    await page.keyboard.press('c');
    await page.getByRole('option', { name: 'Predator:life' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('2 connections, 1 loop').waitFor();
    assert.equal(await page.locator('.svelte-flow__edge').count(), 2); // there and back
  });
}));

test('a component with hundreds of ports is searched in the diagram', () => withFolder([], async (folder) => {
  writeFileSync(join(folder, 'wide.csv'), `time,${[...Array(300).keys()].map((i) => `signal_${i}`).join(',')}\n0${',1'.repeat(300)}\n1${',2'.repeat(300)}\n`);
  runTakt(folder, 'new', 'w.ssd', '--add', 'W=wide.csv', '-q');
  await withPage({ folder, file: 'w.ssd' }, async ({ page }) => {
    await page.getByRole('button', { name: '300 more ports' }).click();
    assert.ok((await page.locator('.component').boundingBox()).height < 2000);
    await page.getByLabel('Search ports of W').fill('signal_29');
    await page.locator('.port[data-port="W.signal_299"]').waitFor();
    assert.equal(await page.locator('[data-component=W] div.port').count(), 11);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: '300 more ports' }).waitFor();
  });
}));

test('auto-connect shows what it would do, with reasons, and does what is chosen', () => withFolder(['LotkaVolterraPrey', 'LotkaVolterraPredator'], async (folder) => {
  runTakt(folder, 'new', 'lv.ssd', '--add', 'Prey=LotkaVolterraPrey.fmu', '--add', 'Predator=LotkaVolterraPredator.fmu', '-q');
  await withPage({ folder, file: 'lv.ssd' }, async ({ page, context, address }) => {
    const other = await context.newPage();
    await other.goto(address);
    const tells = (one, text) => one.locator('.crumbs', { hasText: text }).waitFor();
    await tells(other, '0 connections');
    await page.keyboard.press('Shift+C');
    const boxes = page.locator('.proposals input');
    await boxes.nth(1).waitFor();
    await page.getByText('the only output called').first().waitFor();
    await boxes.first().uncheck();
    await page.getByRole('button', { name: 'Connect 1' }).click();
    await tells(page, '1 connection,');
    await tells(other, '1 connection,'); // the other page sees it at once
    await other.keyboard.press('Control+z');
    await tells(page, '0 connections');
    await other.close();
  });
}));

test('plots: Booleans in strips, jumps, zoom, cursor and its Δ, panels, table, pictures, files', () => withFolder(['Thermostat'], async (folder) => {
  runTakt(folder, 'new', 't.ssd', '--add', 'T=Thermostat.fmu', '--stop-time', '3600', '-q');
  await withPage({ folder, file: 't.ssd' }, async ({ page }) => {
    await page.evaluate(() => localStorage.setItem('takt-signals', JSON.stringify(['T.T', 'T.heating', 'T.switches'])));
    await page.reload();
    await page.locator('[data-component=T]').waitFor();
    await page.keyboard.press('F5');
    await finished(page);
    await page.keyboard.press('Alt+3');
    await until(page, (all) => all?.length === 3);
    const all = await plots(page);
    const strip = all.at(-1);
    assert.deepEqual(strip.names, ['T.heating']);
    assert.deepEqual([...new Set(strip.data[1])].sort(), [0, 1]);
    // Dragging zooms the time of all panels; the whole range comes back by double click.
    const over = page.locator('.plot .u-over').first();
    const box = await over.boundingBox();
    const drag = async (a, b, key) => {
      if (key) await page.keyboard.down(key);
      await page.mouse.move(box.x + box.width * a[0], box.y + box.height * a[1]);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * b[0], box.y + box.height * b[1], { steps: 4 });
      await page.mouse.up();
      if (key) await page.keyboard.up(key);
    };
    const lastTime = async () => (await plots(page))[0].data[0].at(-1);
    const whole = await lastTime();
    await drag([0.25, 0.5], [0.5, 0.5]);
    await until(page, (all) => all[0].data[0].at(-1) < whole * 0.6);
    await over.dblclick();
    await until(page, (all) => all[0].data[0].at(-1) === whole);
    await over.hover();
    await page.mouse.wheel(0, -300);
    await until(page, (all) => all[0].data[0].at(-1) < whole);
    await page.locator('.plot').first().focus();
    await page.keyboard.press('0');
    await until(page, (all) => all[0].data[0].at(-1) === whole);
    await drag([0.5, 0.2], [0.5, 0.6], 'Shift'); // values: the time stays
    assert.equal(await lastTime(), whole);
    // The cursor's values are those of a row, with their unit; two clicks measure.
    await page.mouse.click(box.x + box.width * 0.3, box.y + 20);
    await page.mouse.click(box.x + box.width * 0.7, box.y + 20);
    await page.locator('.readout', { hasText: 'Δ' }).waitFor();
    await page.locator('.legend .delta').first().waitFor();
    assert.match(await page.locator('.legend span').first().textContent(), /T\.T .*degC/);
    await page.keyboard.press('Escape');
    await page.locator('.legend .delta').first().waitFor({ state: 'detached' });
    // By keyboard, row by row.
    await page.locator('.plot').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.locator('.readout', { hasText: 'Cursor' }).waitFor();
    // Files.
    const take = async (name) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      return readFileSync(await file.path());
    };
    const png = await take('PNG');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.readUInt32BE(20) > 300, 'all panels are in the picture');
    runTakt(folder, 'run', 't.ssd', '-q', '-o', 'cli.csv');
    assert.equal((await take('CSV')).toString(), readFileSync(join(folder, 'cli.csv'), 'utf8'));
    // As a table, and over another signal.
    await page.getByRole('button', { name: 'Table' }).click();
    await page.locator('.rows-table tbody tr').nth(5).waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByLabel('x-y panel').selectOption('T.switches');
    await page.locator('.xy path').first().waitFor({ state: 'attached' });
  });
}));

test('long names of signals are told apart', () => withFolder(['Gain'], async (folder) => {
  const name = 'AnAmplifierWithAVeryLongNameForOneComponent';
  writeFileSync(join(folder, 'long.csv'), `time,${[1, 2].map((i) => `${name}_zone_${i}`).join(',')}\n0,123456.7,1\n1,123456.7,1\n`);
  runTakt(folder, 'new', 'one.ssd', '--add', 'G=Gain.fmu', '-q');
  await withPage({ folder, file: 'one.ssd' }, async ({ page }) => {
    await page.locator('.component').waitFor();
    await page.keyboard.press('Alt+3');
    await page.getByLabel('File with results').selectOption('long.csv');
    await page.getByRole('button', { name: 'Load' }).click();
    const names = page.locator('.item.signal .ellipsis');
    await names.nth(1).waitFor();
    for (const one of await names.all()) assert.ok(await one.evaluate((e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight + 1), 'cut off');
  });
}));

test('results of files are laid over a run and compared with it', () => withFolder(['LotkaVolterraPrey', 'LotkaVolterraPredator'], async (folder) => {
  makePair(folder);
  runTakt(folder, 'run', 'lv.ssd', '-q', '--set', 'Prey.x0=11', '-o', 'other.csv');
  runTakt(folder, 'run', 'lv.ssd', '-q', '-o', 'same.mat');
  writeFileSync(join(folder, 'jump.csv'), 'time,x\n0,0\n1,1\n1,5\n2,6\n');
  await withPage({ folder, file: 'lv.ssd' }, async ({ page }) => {
    await page.locator('.component').first().waitFor();
    await page.keyboard.press('F5');
    await finished(page);
    await page.keyboard.press('Alt+3');
    for (const file of ['other.csv', 'same.mat']) {
      await page.getByLabel('File with results').selectOption(file);
      await page.getByRole('button', { name: 'Load' }).click();
      await page.locator('.item.two', { hasText: file }).waitFor();
    }
    const check = (text, is) => page.locator('.item.two', { hasText: text }).locator('input').setChecked(is);
    await check('Run 1', true);
    await check('other.csv', true);
    await check('same.mat', false);
    await page.locator('.legend', { hasText: 'Difference' }).waitFor();
    await page.locator('.ends').first().waitFor();
    await page.locator('.legend', { hasText: 'run 1' }).first().waitFor();
    await check('other.csv', false);
    await check('same.mat', true);
    await page.getByText('The signals that are shown end alike.').waitFor();
    assert.match(await page.locator('.legend', { hasText: 'Difference' }).textContent(), /largest 0/);
    // A jump is two rows of one time, which are drawn as they are.
    await page.getByLabel('File with results').selectOption('jump.csv');
    await page.getByRole('button', { name: 'Load' }).click();
    for (const [name, is] of [['jump.csv', true], ['Run 1', false], ['same.mat', false]]) await check(name, is);
    await page.locator('.item.signal', { hasText: 'x' }).locator('input').check();
    await until(page, (all) => JSON.stringify(all.at(-1)?.data) === '[[0,1,1,2],[0,1,5,6]]');
  });
}));

test('a page that was cut off comes back by itself', () => withFolder(['Gain'], async (folder) => {
  runTakt(folder, 'new', 'one.ssd', '--add', 'G=Gain.fmu', '-q');
  await withPage({ folder, file: 'one.ssd' }, async ({ page, context, complaints }) => {
    await page.locator('.component').waitFor();
    await context.route('**/api/events', (route) => route.abort());
    await page.evaluate(() => window.stop()); // ends what is under way
    await page.getByText('No connection to Takt.').waitFor();
    await context.unroute('**/api/events');
    await page.getByText('No connection to Takt.').waitFor({ state: 'detached' });
    await page.locator('.component').waitFor();
    complaints.length = 0; // that requests fail is what the test is about
  });
}));

test('every example opens and shows its components without a word on the console', async () => {
  const all = readdirSync(examples, { recursive: true }).filter((f) => /\.(ssd|ssp|msim|eas)$|OspSystemStructure\.xml$/.test(f)).sort();
  assert.ok(all.length > 30, `${all.length} examples`);
  await withPage({ folder: examples }, async ({ page }) => {
    for (const file of all) {
      await page.getByRole('button', { name: file, exact: true }).click();
      await page.locator('.component').first().waitFor();
      assert.equal(await page.locator('.component.missing').count(), 0, file);
      for (const key of ['Alt+2', 'Alt+3', 'Alt+1', 'Control+o']) await page.keyboard.press(key);
    }
  });
});

test('at 200 % panels open over the centre, and a menu has what has no room', () => withFolder(['Gain'], async (folder) => {
  runTakt(folder, 'new', 'one.ssd', '--add', 'G=Gain.fmu', '-q');
  await withPage({ folder, file: 'one.ssd', width: 720, height: 450 }, async ({ page }) => {
    await page.locator('.component').waitFor();
    const [library, inspector] = [page.locator('aside.left'), page.locator('aside.right')];
    assert.deepEqual([await library.isVisible(), await inspector.isVisible()], [false, false]);
    assert.equal(await page.locator('.svelte-flow__handle[data-port="G.u"]').isVisible(), true);
    await page.getByRole('button', { name: 'Show Library' }).click();
    await library.getByText('FMUs in this folder').waitFor();
    await page.getByRole('button', { name: 'Show Inspector' }).click();
    await inspector.getByText('Nothing selected').waitFor();
    assert.equal(await library.isVisible(), false); // one at a time
    await page.getByRole('button', { name: 'Hide Inspector' }).click();
    for (let i = 0; i < 5 && !(await library.isVisible()); i++) await page.keyboard.press('F6'); // a region that is shut is opened
    assert.equal(await library.isVisible(), true);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Real time' }).click();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    assert.equal(await page.getByRole('menuitemcheckbox', { name: 'Real time' }).getAttribute('aria-checked'), 'true');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  });
}));
