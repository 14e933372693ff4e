/** `npm start`: installs and builds if needed, then runs the server. */
import { setUp } from './setup.mjs';

setUp();
const { buildAll } = await import('./build.mjs');
await buildAll();
process.setSourceMapsEnabled(true);
// In this process, so that signals reach the server itself.
await import('../dist/server/main.js');
