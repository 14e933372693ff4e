/** Puts the console together: settings, effects, the root actor, the router, the page. */
import './theme/global.css';
import '@fontsource-variable/inter/wght.css';
import { RouterProvider, createBrowserHistory } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createActor, waitFor } from 'xstate';
import { partsOf, preferencesOf, sessionOf } from '#machines/root/select.ts';
import type { RootActor } from '#machines/root/machine.ts';
import { letGo } from '#machines/shared/holding.ts';
import { RootContext } from './actors.ts';
import { showConsoleError } from './behaviours/consoleError.ts';
import { followTheme, followTitle } from './effects/browser/appearance.ts';
import { showLoader } from './early/loader.ts';
import { createEffects } from './effects/provide/index.ts';
import { followFocus } from './effects/browser/pageFocus.ts';
import { readPageSettings } from './effects/browser/pageSettings.ts';
import { provideEffects } from './effects/provide/provide.ts';
import { dispatchSessionEvents } from './effects/session/session.ts';
import { bindRouter, createConsoleRouter, fetchScreen, firstScreen, blockNavigation } from './router.ts';
import { fetchVisitorScreens } from './views/accounts/visitorScreens.ts';

declare global {
  interface Window {
    /** The root actor, for the browser's own console; in development and while inspecting only. */
    parlance?: RootActor;
  }
}

async function start() {
  const settings = readPageSettings();
  const isInspecting = new URLSearchParams(window.location.search).has('inspect');
  const inspection = isInspecting
    ? (await import('./effects/inspect/inspect.ts')).startInspection(new URL(window.location.href))
    : undefined;

  const history = createBrowserHistory();
  const effects = createEffects({
    settings,
    session: () => sessionOf(root),
    blockNavigation: blockNavigation(history, () => router),
  });
  const root = createActor(provideEffects(effects, fetchVisitorScreens), {
    input: { settings, browserLanguages: navigator.languages, left: effects.recall() },
    ...(inspection ? { inspect: inspection.observe } : {}),
  });
  const router = createConsoleRouter(root, history);
  const isSessionKept = effects.isSessionKept();
  if (isSessionKept) fetchScreen(router);
  // Before the start: what is emitted while nobody listens is lost.
  bindRouter(root, router);
  dispatchSessionEvents(sessionOf(root));
  const page = createRoot(document.getElementById('app') ?? document.body, {
    // What no part of the page took, the router's own defects among it, or could show, as React's calls of the document fail, too.
    // React has given the page up: nothing goes on behind the error screen, which stands in the place of all.
    onUncaughtError: (error) => {
      reportError(error);
      root.send({ type: 'view.failed' });
      showConsoleError(error);
    },
  });
  // What fails in the root's own chart has no chart above that could show it.
  root.subscribe({
    error: (error) => {
      letGo(root);
      page.unmount();
      showConsoleError(error);
    },
  });
  root.start();
  followTheme(preferencesOf(root));
  followTitle(root);
  followFocus(router);
  if (import.meta.env.DEV || isInspecting) window.parlance = root;

  if (isSessionKept) {
    showLoader(document);
    // Where its files can't be had, that is said.
    await Promise.race([firstScreen(root, router), waitFor(partsOf(root), (snapshot) => !snapshot.matches('whole'))]);
  }
  if (root.getSnapshot().status === 'error') return;
  page.render(
    <StrictMode>
      <RootContext value={root}>
        <RouterProvider router={router} />
      </RootContext>
    </StrictMode>,
  );
}

start().catch(showConsoleError);
