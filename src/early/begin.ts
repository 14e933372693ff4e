/**
 * Runs before the rest of the page has come, from a small file of its own: where a session is kept, its verification and
 * what the console reads first leave now, and the console's code is fetched meanwhile (PRF-01). It shows a loader
 * and decides nothing; the session's chart does (SES-10).
 */
import { readPageSettings } from '../effects/browser/pageSettings.ts';
import { createWebStorage } from '../effects/browser/webStorage.ts';
import { isExpired, readPair } from '../effects/session/storedPair.ts';
import { earlyCalls } from './calls.ts';
import { showLoader } from './loader.ts';
import { preloadConsole } from './preload.ts';
import { firstCalls, verification } from './plan.ts';

const pair = readPair(createWebStorage(() => window.localStorage));
if (pair) {
  showLoader(document);
  preloadConsole(document);
  // What is not good any more is renewed first; then the session begins them.
  if (!isExpired(pair, Date.now())) {
    // Where the settings cannot be read, this is the end here, and the console shows why.
    const { speechBaseUrl } = readPageSettings();
    const page = new URL(location.href);
    earlyCalls.begin(pair.access, [verification(page, pair.access), ...firstCalls(page, speechBaseUrl, pair.access)]);
  }
}
