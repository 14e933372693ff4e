import { CallError } from '#machines/shared/failure.ts';
import { inviteMachine } from '#machines/visitor/invite/machine.ts';
import { doneBy, failedBy, walk, type WalkOptions } from '../model.ts';
import { unwalkedByAll } from '../unwalked.ts';
import { covering } from './covering.ts';
import {
  chartOf,
  expect,
  perform,
  requireComplete,
  test,
  titled,
  withoutExecutor,
  type Performance,
} from './consolePage.ts';
import { useVisitorPage, type VisitorPage } from './visitorPage.ts';
import { visitorScreen } from './pages/visitorScreen.ts';

const ORGANIZATION = { uuid: '5f0b7c1e-9d0f-4c5e-8f61-1f5f3a2b7c9d', name: 'Engines' };
const ANN = 'ann@example.com';
const TOKEN = 'token-of-the-path';
const refusalOf = (errorType: string, status = 400) =>
  new CallError({ kind: 'HTTP', status, errorType, message: `No: ${errorType}.` });
const USELESS = [refusalOf('token_used'), refusalOf('token_expired'), refusalOf('token_not_found', 404)];
const BUSY = refusalOf('limit_exceeded', 429);
const OFFLINE = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
// An error has no fields of its own in JSON; the index keeps the cases apart.
const failures = (id: string, errors: readonly CallError[]) =>
  errors.map((error, index) => ({ ...failedBy(id, error), index }));

const options: Omit<WalkOptions, 'input'> = {
  cases: {
    // A session starts only where there was none, and ends only where there was one. Who has joined is gone from the screen.
    'session.started': (snapshot) =>
      snapshot.context.isSignedIn || snapshot.hasTag('joined') ? [] : [{ type: 'session.started' }],
    'session.ended': (snapshot) =>
      snapshot.context.isSignedIn && !snapshot.hasTag('joined')
        ? [{ type: 'session.ended', reason: 'elsewhere', from: null }]
        : [],
    'xstate.done.actor.readInvitation': [
      doneBy('readInvitation', {
        organization: { name: ORGANIZATION.name },
        email: ANN,
        role: 'admin',
        invited_by: 'bob@example.com',
      }),
    ],
    'xstate.error.actor.readInvitation': failures('readInvitation', [...USELESS, OFFLINE]),
    'xstate.done.actor.readUser': ['Ann@Example.com', 'bob@example.com'].map((email) =>
      doneBy('readUser', { uuid: ORGANIZATION.uuid, email, name: '', has_password: true }),
    ),
    'xstate.error.actor.readUser': failures('readUser', [OFFLINE]),
    'xstate.done.actor.acceptInvitation': [doneBy('acceptInvitation', { organization: { uuid: ORGANIZATION.uuid } })],
    'xstate.error.actor.acceptInvitation': failures('acceptInvitation', [...USELESS, BUSY, refusalOf('wrong_user')]),
  },
  merge: true,
  distinguish: ({ context }) => [context.isSignedIn, context.invitation !== null],
};
const signedIn = walk(inviteMachine, { ...options, input: { token: TOKEN, isSignedIn: true } });
const signedOut = walk(inviteMachine, { ...options, input: { token: TOKEN, isSignedIn: false } });
const paths = covering(signedIn);
// What both can come to is walked once; of the second its own beginnings.
const openings = signedOut.paths.filter(({ steps }) => steps.length <= 3);

const EXCEPTIONS = {
  'invite.joined —session.started→ (stays)': 'The screen is left at once when somebody has joined.',
  'invite.joined —session.ended→ (stays)': 'The screen is left at once when somebody has joined.',
};

const fixture = useVisitorPage((path, method) => {
  if (path === `organizations/invite/${TOKEN}/`) return method === 'GET' ? 'readInvitation' : 'acceptInvitation';
  if (path === 'user/') return 'readUser';
  return path === 'token/invalidate/' ? 'invalidateTokens' : null;
});

function performance(
  { page, held, open, elsewhere }: VisitorPage,
  isSignedIn: boolean,
): Performance<typeof inviteMachine> {
  const { main, heading, button, link } = visitorScreen(page);
  const reading = async (call: string) => {
    await expect(main).toContainText('Reading your invitation…');
    await held.of(call);
  };
  const ofNoUse = (name: string) => async () => {
    await heading(name).toBeFocused();
    await expect(link('Open the console')).toHaveAttribute('href', '/');
  };

  return {
    executors: {
      'xstate.init': () => open(`/invite/${TOKEN}/?inspect`, isSignedIn),
      'session.started': () => elsewhere.signIn(),
      'session.ended': (_, before) =>
        before?.matches('signingOut') ? held.answer('invalidateTokens', {}) : elsewhere.signOut(),
      'xstate.done.actor.readInvitation': ({ output }) => held.answer('readInvitation', output),
      'xstate.error.actor.readInvitation': ({ error }) => held.fail('readInvitation', error),
      'xstate.done.actor.readUser': ({ output }) => held.answer('readUser', output),
      'xstate.error.actor.readUser': ({ error }) => held.fail('readUser', error),
      'xstate.done.actor.acceptInvitation': async ({ output }) => {
        await held.answer('acceptInvitation', output);
        await expect(page).toHaveURL(new RegExp(`/org/${ORGANIZATION.uuid}/`));
      },
      'xstate.error.actor.acceptInvitation': ({ error }) => held.fail('acceptInvitation', error),
      'retry.requested': () => button('Try again').click(),
      'accept.requested': () => button('Accept invitation').click(),
      'signOut.requested': () => button('Sign out and continue').click(),
    },
    transientEvents: ['xstate.done.actor.acceptInvitation'],
    chart: () => chartOf(page, ['visitor', 'invite']),
    expectations: {
      reading: () => reading('readInvitation'),
      readingUser: () => reading('readUser'),
      signedOut: async () => {
        await heading(`Join ${ORGANIZATION.name}`).toBeFocused();
        await expect(main).toContainText(
          `bob@example.com invites you to join ${ORGANIZATION.name} as an admin. The invitation is for ${ANN}.`,
        );
        const from = encodeURIComponent(`/invite/${TOKEN}/`);
        await expect(link('Sign in')).toHaveAttribute('href', `/signin/?from=${from}`);
        await expect(link('Create account')).toHaveAttribute('href', `/signup/?from=${from}`);
      },
      invited: async ({ context }) => {
        await heading(`Join ${ORGANIZATION.name}`).toBeVisible();
        await expect(button('Accept invitation')).toBeEnabled();
        await expect(main.getByRole('alert')).toHaveCount(context.failure ? 1 : 0);
      },
      accepting: async () => {
        await expect(button('Joining…')).toHaveAttribute('aria-busy', 'true');
        await held.of('acceptInvitation');
      },
      wrongUser: async () => {
        await heading('This invitation is for someone else').toBeFocused();
        await expect(main).toContainText(`It is for ${ANN}, and you are signed in as bob@example.com.`);
        await expect(link('Stay signed in')).toHaveAttribute('href', '/');
      },
      signingOut: async () => {
        await expect(button('Signing out…')).toHaveAttribute('aria-busy', 'true');
        await held.of('invalidateTokens');
      },
      'invalid.used': ofNoUse('This invitation has been accepted'),
      'invalid.expired': ofNoUse('This invitation has expired'),
      'invalid.unknown': ofNoUse('This invitation is not valid'),
      failed: async ({ context }) => {
        expect(context.failure?.kind).toBe('FETCH_ERROR');
        await expect(main.getByRole('alert')).toContainText('Something went wrong.');
        await expect(button('Try again')).toBeEnabled();
      },
    },
  };
}

requireComplete(inviteMachine, [...paths, ...openings], (on: VisitorPage) => performance(on, true));

test.describe('ACC-10: an invitation, opened by somebody signed in', () => {
  for (const [title, path] of titled(paths)) {
    test(title, async () => {
      await perform(signedIn.retrace(path), performance(fixture(), true));
    });
  }
});

test.describe('ACC-10: an invitation, opened by nobody signed in', () => {
  for (const [title, path] of titled(openings)) {
    test(title, async () => {
      await perform(signedOut.retrace(path), performance(fixture(), false));
    });
  }
});

test('every transition of the invitation is walked', () => {
  expect(unwalkedByAll([signedIn.unwalked(paths), signedOut.unwalked(openings)]).toSorted()).toEqual(
    Object.keys(EXCEPTIONS).toSorted(),
  );
  expect(withoutExecutor([...paths, ...openings], performance(fixture(), true).executors)).toEqual([]);
});
