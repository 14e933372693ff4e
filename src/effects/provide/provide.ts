/**
 * Provides the root's chart with its effects. Those of the console and of the visitor's screens are fetched when they
 * are needed.
 */
import { fromPromise } from 'xstate';
import { clipboardMachine } from '#machines/root/clipboard/machine.ts';
import { partsMachine } from '#machines/root/parts/machine.ts';
import { preferencesMachine } from '#machines/root/preferences/machine.ts';
import { rootMachine } from '#machines/root/machine.ts';
import { sessionMachine } from '#machines/session/machine.ts';
import { signInMachine } from '#machines/visitor/signIn/machine.ts';
import { singleSignOnMachine } from '#machines/visitor/singleSignOn/machine.ts';
import type { visitorMachine } from '#machines/visitor/machine.ts';
import type { workspaceMachine } from '#machines/workspace/machine.ts';
import { lateCode } from '../../behaviours/late.ts';
import type { Effects } from './index.ts';
import { lateLogic } from './lateLogic.ts';

/**
 * The root's chart with all its effects, ready for `createActor`.
 * @param fetchViews fetches the views of the visitor's screens
 */
export function provideEffects({ outside, ...effects }: Effects, fetchViews: () => Promise<unknown>) {
  const {
    restoreTokens,
    refreshTokens,
    invalidateTokens,
    tokenStore,
    preferencesStore,
    viewport,
    copyText,
    requestTokens,
    requestSignOn,
    leavePage,
    watchParts,
    fetchParts,
    reloadPage,
  } = effects;
  const workspace = lateLogic<typeof workspaceMachine>('workspace');
  const visitor = lateLogic<typeof visitorMachine>('visitor');
  return rootMachine.provide({
    actors: {
      session: sessionMachine.provide({ actors: { restoreTokens, refreshTokens, invalidateTokens, tokenStore } }),
      preferences: preferencesMachine.provide({ actors: { preferencesStore, viewport } }),
      parts: partsMachine.provide({ actors: { watchParts, fetchParts } }),
      reloadPage,
      clipboard: clipboardMachine.provide({ actors: { copyText } }),
      signIn: signInMachine.provide({ actors: { submit: requestTokens } }),
      singleSignOn: singleSignOnMachine.provide({ actors: { requestSignOn, leavePage } }),
      fetchVisitor: fromPromise<void, void>(async () => {
        const [{ visitorWith }] = await Promise.all([lateCode.fetch(() => import('./visitor.ts')), fetchViews()]);
        visitor.arrive(visitorWith(outside, { requestSignOn, leavePage }));
      }),
      visitor: visitor.logic,
      fetchConsole: fromPromise<void, void>(async () => {
        const { workspaceWith } = await lateCode.fetch(() => import('./console.ts'));
        workspace.arrive(workspaceWith(outside));
      }),
      workspace: workspace.logic,
    },
  });
}
