import { describe, expect, it } from 'vitest';
import { fromCallback, fromPromise, waitFor } from 'xstate';
import type { InvitationView } from '#contract/members.ts';
import type { TokenPair } from '#contract/session.ts';
import type { SsoToken } from '#contract/sso.ts';
import { inviteMachine, type InviteActor } from '#machines/visitor/invite/machine.ts';
import type { PasswordLinkOwner } from '#machines/visitor/passwordLink/actors.ts';
import { passwordLinkWith } from '#machines/visitor/passwordLink/machine.ts';
import { sessionOf, signInOf, visitorOf, workspaceOf } from '#machines/root/select.ts';
import type { Navigate, Route } from '#machines/shared/route.ts';
import type { Newcomer } from '#machines/visitor/ssoCallback/actors.ts';
import { ssoCallbackMachine } from '#machines/visitor/ssoCallback/machine.ts';
import { visitorMachine, type VisitorActor } from '#machines/visitor/machine.ts';
import type { WorkspaceData } from '#machines/workspace/actors.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { pageWith, reading } from '../page.ts';
import { ann, later, membership, pair, type Later } from '../people.ts';
import { PASSWORD } from '#test/passwords.ts';
import { silenced } from '../silenced.ts';

const invitation: InvitationView = {
  organization: { name: 'Engines' },
  email: 'Ann@example.com',
  role: 'member',
  invited_by: 'bob@example.com',
};

type Outside = {
  stored?: TokenPair | null;
  email?: string;
  owner?: PasswordLinkOwner;
  answer?: SsoToken;
  /** Who was kept before the page was loaded anew. */
  newcomer?: Newcomer | null;
  /** What the invitation of the token 't' says. */
  read?: () => Promise<InvitationView>;
  fetchVisitor?: () => Promise<void>;
  workspace?: Later<WorkspaceData>;
};

/** A page at a public screen; `told` is where its charts lead. */
function open(
  route: Route,
  {
    stored = null,
    email = 'ann@EXAMPLE.com',
    owner = { email: 'ann@example.com', from: null },
    answer,
    newcomer = null,
    read = async () => invitation,
    fetchVisitor = async () => undefined,
    workspace,
  }: Outside = {},
) {
  const readInvitation = fromPromise<InvitationView, { token: string }>(({ input }) =>
    input.token === 't' ? read() : Promise.reject(new Error('No such invitation.')),
  );
  const joined = [...ann.memberships, membership('o9', [])];
  const root = pageWith(stored, {
    workspace: silenced(
      workspaceMachine,
      reading(
        () => workspace?.promise ?? ann,
        () => joined,
      ),
    ),
    fetchVisitor: fromPromise(fetchVisitor),
    visitor: silenced(visitorMachine, {
      readInvitation,
      passwordLink: passwordLinkWith({
        readLink: fromPromise(async () => owner),
        setPassword: fromPromise(async () => pair('new')),
        checkPassword: fromCallback(() => {}),
      }),
      ssoCallback: silenced(ssoCallbackMachine, {
        exchangeQuery: fromPromise(async () => answer ?? Promise.reject(new Error('No answer.'))),
        createAccount: fromPromise(async () => pair('made')),
        recallNewcomer: fromPromise(async () => newcomer),
      }),
      invite: silenced(inviteMachine, {
        readInvitation,
        readUser: fromPromise(async () => ({ email })),
        acceptInvitation: fromPromise(async () => ({ organization: { uuid: 'o9' } })),
      }),
    }),
  });
  const told: unknown[] = [];
  root.on('navigate', ({ to, replace }: Navigate) => told.push(replace === true ? { to, replace } : to));
  root.start();
  root.send({ type: 'route.changed', route });
  return { root, told };
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('It is not there.');
  return value;
}

type Root = ReturnType<typeof open>['root'];

/** The visitor, once it runs. */
async function visitorIn(root: Root): Promise<VisitorActor> {
  const visitor = visitorOf(await waitFor(root, (snapshot) => visitorOf(snapshot) !== undefined));
  return present(visitor);
}

async function inviteIn(root: Root, tag: 'invited' | 'joined' | 'wrongUser' | 'signedOut'): Promise<InviteActor> {
  const invite = present((await visitorIn(root)).getSnapshot().children.invite);
  await waitFor(invite, (snapshot) => snapshot.hasTag(tag));
  return invite;
}

const invite: Route = { screen: 'invite', token: 't' };

describe('ACC-10: an invitation', () => {
  it('joins the person it is for, reads the memberships and opens the organization', async () => {
    const { root, told } = open(invite, { stored: pair('a') });
    (await inviteIn(root, 'invited')).send({ type: 'accept.requested' });
    await inviteIn(root, 'joined');
    const workspace = present(workspaceOf(root.getSnapshot()));
    await waitFor(workspace, ({ context }) => context.memberships.length === 3);
    expect(told).toEqual([{ screen: 'organization', orgUuid: 'o9' }]);
  });

  it('CON-10: sign-in and sign-up that lead back to it begin with its address, others do not', async () => {
    const { root } = open(invite);
    await inviteIn(root, 'signedOut');
    const begun = async (route: Route): Promise<unknown> => {
      root.send({ type: 'route.changed', route });
      if (route.screen === 'signIn') return signInOf(root.getSnapshot())?.getSnapshot().context.values.email;
      return (await visitorIn(root)).getSnapshot().children.signUp?.getSnapshot().children.form?.getSnapshot().context
        .values.email;
    };
    expect(await begun({ screen: 'signUp', from: '/invite/t/' })).toBe('Ann@example.com');
    expect(await begun({ screen: 'signIn', from: '/invite/t/' })).toBe('Ann@example.com');
    // The visitor is another one by now.
    expect(await begun({ screen: 'signUp', from: '/invite/t/' })).toBe('Ann@example.com');
    expect(await begun({ screen: 'signIn', from: '/invite/other/' })).toBe('');
    expect(await begun({ screen: 'signUp', from: '/invite/other/' })).toBe('');
    expect(await begun({ screen: 'signIn' })).toBe('');
  });

  describe('CON-10: sign-up that was loaded anew', () => {
    const signUp: Route = { screen: 'signUp', from: '/invite/t/' };
    const fieldIn = async (root: Root) => {
      const screen = present((await visitorIn(root)).getSnapshot().children.signUp);
      return {
        screen,
        form: () => present(screen.getSnapshot().children.form),
        email: () => screen.getSnapshot().children.form?.getSnapshot().context.values.email,
      };
    };

    it('reads the invitation again that its address names, and begins with its address; sign-in, too, from then on', async () => {
      const { root } = open(signUp);
      const { email } = await fieldIn(root);
      await expect.poll(email, { interval: 1 }).toBe('Ann@example.com');
      root.send({ type: 'route.changed', route: { screen: 'signIn', from: '/invite/t/' } });
      expect(signInOf(root.getSnapshot())?.getSnapshot().context.values.email).toBe('Ann@example.com');
    });

    it('leaves alone what was typed before it was read', async () => {
      const answer = later<InvitationView>();
      const { root } = open(signUp, { read: () => answer.promise });
      const { form, email } = await fieldIn(root);
      form().send({ type: 'field.changed', field: 'email', value: 'other@' });
      answer.resolve(invitation);
      await waitFor(await visitorIn(root), (snapshot) => snapshot.matches({ signUp: 'known' }));
      expect(email()).toBe('other@');
    });

    it.each(['/invite/other/', '/user/?poi=t', ''])('begins empty from %j', async (from) => {
      const { root } = open({ screen: 'signUp', from });
      const { email } = await fieldIn(root);
      await waitFor(await visitorIn(root), (snapshot) => snapshot.matches({ signUp: 'known' }));
      expect(email()).toBe('');
    });
  });

  it('opens the organization also while the workspace loads', async () => {
    const { root, told } = open(invite, { stored: pair('a'), workspace: later<WorkspaceData>() });
    (await inviteIn(root, 'invited')).send({ type: 'accept.requested' });
    await inviteIn(root, 'joined');
    expect(told).toEqual([{ screen: 'organization', orgUuid: 'o9' }]);
    expect(workspaceOf(root.getSnapshot())?.getSnapshot().hasTag('loading')).toBe(true);
  });

  it('stays with the invitation when somebody else signs out to go on', async () => {
    const { root, told } = open(invite, { stored: pair('a'), email: 'bob@example.com' });
    (await inviteIn(root, 'wrongUser')).send({ type: 'signOut.requested' });
    await inviteIn(root, 'signedOut');
    expect(sessionOf(root).getSnapshot().context.tokens).toBeNull();
    expect(told).toEqual([]);
  });

  it('follows a sign-in in another tab', async () => {
    const { root } = open(invite);
    await inviteIn(root, 'signedOut');
    sessionOf(root).send({ type: 'tokens.changed', tokens: pair('b') });
    await inviteIn(root, 'invited');
  });
});

describe('where a new session leads', () => {
  it.each([
    ['activation', '/invite/t/', { href: '/invite/t/' }],
    ['activation', null, { screen: 'welcome' }],
    ['activation', '/playground/', { screen: 'welcome' }],
    ['activation', '//evil.example', { screen: 'welcome' }],
    ['activation', '//evil.example/invite/t/', { screen: 'welcome' }],
    ['passwordReset', null, { screen: 'welcome' }],
  ] as const)('ACC-03, SES-07, ONB-02: of %s with from %j', async (screen, from, to) => {
    const { root, told } = open({ screen, token: 't' }, { owner: { email: 'ann@example.com', from } });
    const link = present((await visitorIn(root)).getSnapshot().children[screen]);
    const { form } = (await waitFor(link, (snapshot) => snapshot.children.form !== undefined)).children;
    form?.send({ type: 'field.changed', field: 'password', value: PASSWORD });
    form?.send({ type: 'submit.requested' });
    await waitFor(root, (snapshot) => snapshot.hasTag('signedIn'));
    expect(told).toEqual([{ to, replace: true }]);
    expect(sessionOf(root).getSnapshot().context.tokens).toEqual(pair('new'));
  });

  it('ACC-07, SES-07: of single sign-on, after the answer has left the address', async () => {
    const { root, told } = open(
      { screen: 'ssoCallback', query: '?code=c' },
      { answer: { outcome: 'signed_in', tokens: pair('known'), from: '/user/?poi=x' } },
    );
    await waitFor(root, (snapshot) => snapshot.hasTag('signedIn'));
    expect(told).toEqual([
      { to: { screen: 'ssoCallback', query: '' }, replace: true },
      { to: { href: '/user/?poi=x' }, replace: true },
    ]);
  });

  it('ACC-07, ONB-02: asks a newcomer first; the cleaned address does not begin it anew', async () => {
    const { root, told } = open(
      { screen: 'ssoCallback', query: '?code=c' },
      { answer: { outcome: 'unknown_user', signup_token: 's', email: 'ann@example.com', name: 'Ann', from: null } },
    );
    const callback = present((await visitorIn(root)).getSnapshot().children.ssoCallback);
    root.send({ type: 'route.changed', route: { screen: 'ssoCallback', query: '' } });
    await waitFor(callback, (snapshot) => snapshot.hasTag('newcomer'));
    expect(root.getSnapshot().hasTag('signedIn')).toBe(false);
    callback.send({ type: 'account.create.requested' });
    await waitFor(root, (snapshot) => snapshot.hasTag('signedIn'));
    expect(told.at(-1)).toEqual({ to: { screen: 'welcome' }, replace: true });
    expect(sessionOf(root).getSnapshot().context.tokens).toEqual(pair('made'));
  });
});

describe('CON-08: the page of single sign-on, loaded anew', () => {
  it('asks the newcomer again, and leads where they were going', async () => {
    const { root, told } = open(
      { screen: 'ssoCallback', query: '' },
      { newcomer: { signupToken: 's', email: 'ann@example.com', name: 'Ann', from: '/invite/t/' } },
    );
    const callback = present((await visitorIn(root)).getSnapshot().children.ssoCallback);
    await waitFor(callback, (snapshot) => snapshot.hasTag('newcomer'));
    callback.send({ type: 'account.create.requested' });
    await waitFor(root, (snapshot) => snapshot.hasTag('signedIn'));
    expect(told.at(-1)).toEqual({ to: { href: '/invite/t/' }, replace: true });
  });

  it('has nothing to sign in with where nobody was asked', async () => {
    const { root } = open({ screen: 'ssoCallback', query: '' });
    const callback = present((await visitorIn(root)).getSnapshot().children.ssoCallback);
    await waitFor(callback, (snapshot) => snapshot.matches('empty'));
  });
});

describe('what is fetched late', () => {
  it('ERR-09: may take as long as it takes, and another screen is not held up', async () => {
    let come: () => void = () => undefined;
    const { root } = open(
      { screen: 'signUp' },
      { fetchVisitor: () => new Promise<void>((resolve) => (come = resolve)) },
    );
    root.send({ type: 'route.changed', route: { screen: 'signIn' } });
    expect(root.getSnapshot().children.signIn).toBeDefined();
    root.send({ type: 'route.changed', route: { screen: 'signUp' } });
    expect(root.getSnapshot().children.visitor).toBeUndefined();
    come();
    expect((await visitorIn(root)).getSnapshot().matches('signUp')).toBe(true);
    root.send({ type: 'route.changed', route: { screen: 'passwordRecovery' } });
    expect((await visitorIn(root)).getSnapshot().children.passwordRecovery?.getSnapshot().context.purpose).toBe(
      'passwordRecovery',
    );
  });
});
