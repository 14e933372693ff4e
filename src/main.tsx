/** Starts the console: settings, effects, root actor, router, page. */
import './theme/global.css';
import '@fontsource-variable/inter/wght.css';
import { RouterProvider, createBrowserHistory } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createActor, waitFor } from 'xstate';
import { partsOf, preferencesOf, sessionOf } from '#machines/root/select.ts';
import type { RootActor } from '#machines/root/machine.ts';
import { stopDevicesAndConnections } from '#machines/shared/holding.ts';
import { RootContext } from './actors.ts';
import { showConsoleError } from './behaviours/consoleError.ts';
import { fetchVisitorScreens } from './behaviours/lateViews.ts';
import { followTheme, followTitle } from './effects/browser/appearance.ts';
import { showLoader } from './early/loader.ts';
import { createEffects } from './effects/provide/index.ts';
import { followFocus } from './effects/browser/pageFocus.ts';
import { createWebStorage } from './effects/browser/webStorage.ts';
import { readWish } from './effects/inspect/wish.ts';
import { readPageSettings } from './effects/browser/pageSettings.ts';
import { provideEffects } from './effects/provide/provide.ts';
import { dispatchSessionEvents } from './effects/session/session.ts';
import { bindRouter, createConsoleRouter, fetchScreen, firstScreen, blockNavigation } from './router.ts';

declare global {
  interface Window {
    /** The root actor, for the browser's developer tools; only in development and with `?inspect`. */
    parlance?: RootActor;
  }
}

async function start() {
  const settings = readPageSettings();
  const storage = createWebStorage(() => window.sessionStorage);
  const wish = readWish(new URL(window.location.href), storage, settings.product);
  const inspection = wish && (await import('./effects/inspect/inspect.ts')).startInspection(wish);

  const history = createBrowserHistory();
  const effects = createEffects({
    settings,
    session: () => sessionOf(root),
    blockNavigation: blockNavigation(history, () => router),
  });
  const root = createActor(provideEffects(effects, fetchVisitorScreens), {
    input: { settings, browserLanguages: navigator.languages, keptDrafts: effects.recall() },
    ...(inspection ? { inspect: inspection.observe } : {}),
  });
  const router = createConsoleRouter(root, history);
  const isSessionKept = effects.isSessionKept();
  if (isSessionKept) fetchScreen(router);
  // Before the start, because events without a listener are lost.
  bindRouter(root, router);
  dispatchSessionEvents(sessionOf(root));
  const page = createRoot(document.getElementById('app') ?? document.body, {
    // No error boundary caught it, such as a defect of the router or a failed change of the document. React has given
    // up the page, so the error screen replaces all of it.
    onUncaughtError: (error) => {
      reportError(error);
      root.send({ type: 'view.failed' });
      showConsoleError(error);
    },
  });
  // An error of the root's own chart: no chart above could show it.
  root.subscribe({
    error: (error) => {
      stopDevicesAndConnections(root);
      page.unmount();
      showConsoleError(error);
    },
  });
  root.start();
  followTheme(preferencesOf(root));
  followTitle(root);
  followFocus(router);
  if (import.meta.env.DEV || inspection) window.parlance = root;

  if (isSessionKept) {
    showLoader(document);
    // If a file is missing, React draws the message about it.
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
