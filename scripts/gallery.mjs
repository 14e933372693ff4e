/** `npm run gallery [words]`: takes pictures of every screen in every state, or of those named with these words. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, say, setUp } from './setup.mjs';

setUp();
const { ensureBrowser } = await import('./browser.mjs');
const { buildAll } = await import('./build.mjs');
await buildAll();
const browser = await ensureBrowser();
const { status } = spawnSync(
  process.execPath,
  ['node_modules/playwright/cli.js', 'test', '--config', 'test/gallery/playwright.config.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      GALLERY_ONLY: process.argv.slice(2).join(' '),
      ...(browser ? { CHROMIUM_PATH: browser } : {}),
    },
  },
);
if (status === 0) say(`The pictures are in ${join(root, '.cache/gallery/index.html')}.`);
process.exitCode = status ?? 1;
