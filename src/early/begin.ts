/**
 * Runs before the rest of the page, from a small file of its own. If a session is stored, it sends the session's
 * verification and the console's first calls, and fetches the console's files meanwhile (PRF-01). It only shows a
 * loader; the session's chart decides (SES-10).
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
  // An expired token is renewed first; then the session begins the calls.
  if (!isExpired(pair, Date.now())) {
    // If the settings cannot be read, this throws, and the console shows why.
    const { speechBaseUrl } = readPageSettings();
    const page = new URL(location.href);
    earlyCalls.begin(pair.access, [verification(page, pair.access), ...firstCalls(page, speechBaseUrl, pair.access)]);
  }
}
