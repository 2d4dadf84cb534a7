// SPDX-License-Identifier: MIT
// Builds the page: three files with fixed names, each beside a copy compressed by gzip, which becomes a part of the program.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const dist = 'dist';

const compress = {
  name: 'compress',
  closeBundle() {
    for (const file of readdirSync(dist)) {
      if (file.endsWith('.gz')) continue;
      writeFileSync(join(dist, file + '.gz'), gzipSync(readFileSync(join(dist, file)), { level: 9 }));
      rmSync(join(dist, file));
    }
  },
};

// Svelte puts a style attribute into a template, which the policy of the page does not allow; app.css has it instead.
const strict = {
  name: 'strict',
  renderChunk: (code) => code.replaceAll('<svelte-css-wrapper style="display: contents">', '<svelte-css-wrapper>'),
};

export default defineConfig({
  plugins: [svelte(), strict, compress],
  build: {
    outDir: dist,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: { entryFileNames: 'app.js', chunkFileNames: 'app.js', assetFileNames: 'app.[ext]', inlineDynamicImports: true },
    },
  },
});
