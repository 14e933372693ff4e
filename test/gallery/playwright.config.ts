import { fileURLToPath } from 'node:url';
import config from '../../playwright.config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The journeys' browser and servers, for the gallery alone. */
export default {
  ...config,
  testDir: root,
  testMatch: ['test/gallery/pictures.ts'],
  outputDir: `${root}/.cache/playwright-gallery`,
  globalSetup: `${root}/test/journeys/global-setup.ts`,
  reporter: 'line',
};
