/** Puts the effects into the root's chart. The signed-in half, charts and effects, arrives when somebody has signed in. */
import { fromPromise } from 'xstate';
import { activationWith } from '#machines/activation/machine.ts';
import { clipboardMachine } from '#machines/clipboard/machine.ts';
import { preferencesMachine } from '#machines/preferences/machine.ts';
import { rootMachine } from '#machines/root/machine.ts';
import { sessionMachine } from '#machines/session/machine.ts';
import { signInMachine } from '#machines/signIn/machine.ts';
import { signUpWith } from '#machines/signUp/machine.ts';
import type { workspaceMachine } from '#machines/workspace/machine.ts';
import type { Effects } from './index.ts';
import { lateLogic } from './lateLogic.ts';

/** The root's chart with everything outside in its place; ready for `createActor`. */
export function provideEffects({ outside, ...effects }: Effects) {
  const { restoreTokens, refreshTokens, invalidateTokens, tokenStore, preferencesStore, copyText, requestTokens, requestEmail, readActivation, activate } = effects;
  const workspace = lateLogic<typeof workspaceMachine>('workspace');
  return rootMachine.provide({
    actors: {
      session: sessionMachine.provide({ actors: { restoreTokens, refreshTokens, invalidateTokens, tokenStore } }),
      preferences: preferencesMachine.provide({ actors: { preferencesStore } }),
      clipboard: clipboardMachine.provide({ actors: { copyText } }),
      signIn: signInMachine.provide({ actors: { submit: requestTokens } }),
      signUp: signUpWith(requestEmail),
      activation: activationWith({ readActivation, activate }),
      fetchConsole: fromPromise<void, void>(async () => {
        const { workspaceWith } = await import('./console.ts');
        workspace.arrive(workspaceWith(outside));
      }),
      workspace: workspace.logic,
    },
  });
}
