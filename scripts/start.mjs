/** `npm start`: install, build, run; the last two steps only where needed. */
import { setUp } from './setup.mjs';

setUp();
const { buildAll } = await import('./build.mjs');
await buildAll();
process.setSourceMapsEnabled(true);
// In this process, so that signals reach the server itself.
await import('../dist/server/main.js');
