import { describe, expect, it } from 'vitest';
import { fromPromise, SimulatedClock, waitFor } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import { CallError } from '#machines/shared/failure.ts';
import { sendToAppFrom } from '#machines/shared/appServices.ts';
import { preferencesOf, sessionOf, signInOf, toastsOf, workspaceOf } from '#machines/root/select.ts';
import { SIGN_OUT_REASONS } from '#machines/root/texts.ts';
import type { Navigate } from '#machines/shared/route.ts';
import { type SessionEvent } from '#machines/session/machine.ts';
import { signInMachine } from '#machines/visitor/signIn/machine.ts';
import { afterSignIn, isOwnPath } from '#machines/shared/wayBack.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { pageWith, reading } from '../page.ts';
import { pair } from '../people.ts';
import { silenced } from '../silenced.ts';

function start(stored: TokenPair | null | CallError) {
  const clock = new SimulatedClock();
  const root = pageWith(
    stored,
    {
      workspace: silenced(workspaceMachine, reading()),
      signIn: silenced(signInMachine, { submit: fromPromise(async () => pair('entered')) }),
    },
    { clock },
  );
  const told: unknown[] = [];
  root.on('navigate', ({ to }: Navigate) => told.push(to));
  root.on('session.ended', ({ reason, from }) => told.push({ reason, from }));
  return { root: root.start(), told, clock };
}

describe('signing in and out', () => {
  it.each([401, 403])(
    'CON-04: a session that the server has ended (%i) is told of at sign-in, also where the page was only just loaded',
    async (status) => {
      const { root } = start(new CallError({ kind: 'HTTP', status, message: 'Over.' }));
      await waitFor(root, (snapshot) => snapshot.context.signOutReason === 'refused');
      expect(sessionOf(root).getSnapshot().matches('signedOut')).toBe(true);
    },
  );

  it.each<[string, SessionEvent, string | null]>([
    [
      'refused here',
      { type: 'call.refused', access: 'access-a', from: '/' },
      'Your session has ended: it expired, or it was ended from another device or by a new password. Sign in again to go on where you were.',
    ],
    [
      'for want of rights',
      { type: 'call.refused', access: 'access-a', from: '/', isForbidden: true },
      'You were signed out because your role does not allow what the page asked for. Your rights may have changed; sign in again to see what you can do.',
    ],
    // Whether it was refused there or somebody signed out, this tab cannot know.
    [
      'in another tab',
      { type: 'tokens.changed', tokens: null },
      'Your session ended in another tab. Sign in again to go on where you were.',
    ],
    ['with the account', { type: 'account.deleted' }, 'Your account was deleted.'],
    ['by signing out here', { type: 'signOut.requested' }, null],
  ])('CON-04 PPL-03: at sign-in the person is told why their session ended: %s', async (_name, end, said) => {
    const { root } = start(pair('a'));
    await waitFor(root, (snapshot) => snapshot.hasTag('signedIn'));
    sessionOf(root).send(end);
    const { signOutReason } = (await waitFor(root, (snapshot) => !snapshot.hasTag('signedIn'))).context;
    expect(signOutReason && SIGN_OUT_REASONS[signOutReason]).toBe(said);
  });

  it('CON-04: who was not signed in is told of no end', async () => {
    const { root } = start(null);
    await waitFor(sessionOf(root), (snapshot) => snapshot.matches('signedOut'));
    expect(root.getSnapshot().context.signOutReason).toBeNull();
  });

  it('SES-07: leads back to where the person came from, once the session is there', async () => {
    const { root, told } = start(null);
    await waitFor(sessionOf(root), (snapshot) => snapshot.matches('signedOut'));
    root.send({ type: 'route.changed', route: { screen: 'signIn', from: '/org/o1/?a=1' } });
    const form = signInOf(root.getSnapshot());
    form?.send({ type: 'field.changed', field: 'email', value: 'ann@example.com' });
    form?.send({ type: 'field.changed', field: 'password', value: 'secret' });
    form?.send({ type: 'submit.requested' });
    await waitFor(root, (snapshot) => snapshot.hasTag('signedIn'));
    expect(told).toEqual([{ href: '/org/o1/?a=1' }]);
    expect(sessionOf(root).getSnapshot().context.tokens).toEqual(pair('entered'));
    expect(signInOf(root.getSnapshot())).toBeUndefined();
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '', '/\t/evil.example'])(
    'SES-07: %j is no way back',
    (from) => {
      expect(isOwnPath(from)).toBe(false);
      expect(afterSignIn(from)).toEqual({ screen: 'welcome' });
    },
  );

  it('SES-08 CON-02: signing out goes to sign-in also when the call fails, and the workspace ends before the call', async () => {
    const { root, told } = start(pair('a'));
    await waitFor(root, (snapshot) => workspaceOf(snapshot) !== undefined);
    sessionOf(root).send({ type: 'signOut.requested' });
    // At once: a microphone does not wait for the server's answer.
    expect(workspaceOf(root.getSnapshot())).toBeUndefined();
    await waitFor(root, (snapshot) => !snapshot.hasTag('signedIn'));
    expect(told).toEqual([{ screen: 'signIn' }, { reason: 'signedOut', from: null }]);
  });

  it('SES-06: a refused call is told with its path, for the router to look again', async () => {
    const { root, told } = start(pair('a'));
    await waitFor(root, (snapshot) => snapshot.hasTag('signedIn'));
    sessionOf(root).send({ type: 'call.refused', access: 'access-a', from: '/user/' });
    expect(told).toEqual([{ reason: 'refused', from: '/user/' }]);
  });
});

describe('app services', () => {
  it('toasts: a success goes after five seconds, an error stays until dismissed', () => {
    const { root, clock } = start(null);
    sendToAppFrom(root, { type: 'toast.requested', kind: 'success', text: 'Saved.' });
    sendToAppFrom(root, { type: 'toast.requested', kind: 'error', text: 'Lost.' });
    const texts = () =>
      toastsOf(root)
        .getSnapshot()
        .context.toasts.map(({ text }) => text);
    clock.increment(4999);
    expect(texts()).toEqual(['Saved.', 'Lost.']);
    clock.increment(1);
    expect(texts()).toEqual(['Lost.']);
    toastsOf(root).send({ type: 'toast.dismissed', id: 'toast-2' });
    expect(texts()).toEqual([]);
  });

  it('the drawer closes as the person goes elsewhere', () => {
    const { root } = start(null);
    preferencesOf(root).send({ type: 'drawer.open.requested' });
    root.send({ type: 'route.changed', route: { screen: 'user' } });
    expect(preferencesOf(root).getSnapshot().hasTag('drawerOpen')).toBe(false);
  });
});
