/**
 * Runs before the rest of the page has come, from a small file of its own: where a session is kept, what the console
 * reads first leaves now, and the console's code is fetched while the session is verified (PRF-01). It shows nothing and
 * decides nothing; the session's chart does (SES-10).
 */
import { readPageSettings } from '../effects/browser/pageSettings.ts';
import { createWebStorage } from '../effects/browser/webStorage.ts';
import { isExpired, readPair } from '../effects/session/storedPair.ts';
import { earlyCalls } from './calls.ts';
import { preloadConsole } from './preload.ts';
import { firstCalls } from './plan.ts';

const pair = readPair(createWebStorage(() => window.localStorage));
if (pair) {
  preloadConsole(document);
  // What is not good any more is renewed first; then the session begins them.
  if (!isExpired(pair, Date.now())) {
    // Where the settings cannot be read, this is the end here, and the console shows why.
    const { speechBaseUrl } = readPageSettings();
    earlyCalls.begin(pair.access, firstCalls(new URL(location.href), speechBaseUrl, pair.access));
  }
}
