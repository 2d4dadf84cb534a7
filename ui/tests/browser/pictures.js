// SPDX-License-Identifier: MIT
// Pictures of the page's main states for the docs, light and dark: tools/draw_pictures.sh, or node tests/browser/pictures.js FOLDER [png]. They show the building of the
// examples for five days; what a machine needs for it differs, so that times in the pictures do.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { closeBrowser, examples, makeFolder, openBrowser, remove, withPage } from './support.js';

const [to, kind = 'webp'] = process.argv.slice(2);
mkdirSync(to, { recursive: true });

function makeProject() {
  const folder = makeFolder('Building', 'Plant', 'Controller');
  copyFileSync(join(examples, 'building/weather.csv'), join(folder, 'weather.csv'));
  const text = readFileSync(join(examples, 'building/building.ssd'), 'utf8');
  writeFileSync(join(folder, 'building.ssd'), text.replaceAll('../../build/fmus/', '').replace('stopTime="31536000"', 'stopTime="432000"').replace('output-interval="1h"', 'output-interval="5min"'));
  return folder;
}

// WebP is smaller; the browser itself writes it.
async function keep(page, name) {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(400);
  const png = await page.screenshot({ animations: 'disabled' });
  if (kind === 'png') return writeFileSync(join(to, `${name}.png`), png);
  const blank = await (await openBrowser()).newPage();
  const webp = await blank.evaluate(async (data) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + data;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.82).split(',')[1];
  }, png.toString('base64'));
  await blank.close();
  writeFileSync(join(to, `${name}.webp`), Buffer.from(webp, 'base64'));
}

async function choose(page, names) {
  await page.evaluate((list) => localStorage.setItem('takt-signals', JSON.stringify(list)), names);
}

const finished = (page) => page.getByText('Finished', { exact: true }).first().waitFor();

async function pictures(colorScheme) {
  const folder = makeProject();
  const end = colorScheme === 'dark' ? '-dark' : '';
  try {
    await withPage({ folder, colorScheme }, async ({ page }) => {
      await page.locator('.card').first().waitFor();
      await keep(page, 'ui-start' + end);
      await choose(page, ['Plant.T', 'Weather.T_out', 'House.heat', 'Controller.level']);
      await page.getByRole('button', { name: 'building.ssd' }).click();
      await page.locator('[data-component=House]').click();
      await page.locator('.grid').waitFor();
      await keep(page, 'ui-editor' + end);
      await page.keyboard.press('F5');
      await finished(page);
      await page.locator('.plot canvas').first().waitFor();
      await keep(page, 'ui-run' + end);
      if (end) return;
      await page.keyboard.press('Alt+1');
      await page.locator('.grid tr', { hasText: 'T_set' }).locator('input').fill('19');
      await page.keyboard.press('Enter');
      await page.locator('.grid .changed', { hasText: 'edited' }).waitFor();
      await choose(page, ['House.zone[1].T_air', 'Plant.T', 'House.heat']);
      await page.keyboard.press('F5');
      await page.keyboard.press('Alt+3');
      await page.locator('.item.two', { hasText: 'Run 2' }).getByText('finished').waitFor();
      await page.locator('.item.two', { hasText: 'Run 1' }).locator('input').check();
      await page.getByRole('button', { name: 'Algorithm' }).click();
      await page.locator('.legend', { hasText: 'Difference' }).waitFor();
      await page.locator('.plot .u-over').first().click({ position: { x: 300, y: 60 } });
      await keep(page, 'ui-results');
    });
  } finally {
    remove(folder);
  }
}

try {
  for (const scheme of ['light', 'dark']) await pictures(scheme);
} finally {
  await closeBrowser();
}
