import { fileURLToPath } from 'node:url';
import config from '../../playwright.config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The journeys' browser and servers, for the gallery alone: the other projects of the journeys name files of their own. */
export default {
  ...config,
  projects: config.projects?.filter(({ name }) => name === 'granted'),
  testDir: root,
  testMatch: ['test/gallery/pictures.ts'],
  outputDir: `${root}/.cache/playwright-gallery`,
  globalSetup: `${root}/test/journeys/global-setup.ts`,
  reporter: 'line',
};
