import { emailLinkMachine } from '#machines/visitor/emailLink/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { passwordLinkMachine } from '#machines/visitor/passwordLink/machine.ts';
import { visitorScreen } from './pages/visitorScreen.ts';
import { doneBy, failedBy, walk } from '../model.ts';
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
import { pair, useVisitorPage, type VisitorPage } from './visitorPage.ts';
import { PASSWORD } from '../../test/passwords.ts';

const ANN = 'ann@example.com';
const TOKEN = 'token-of-the-path';
const OFFLINE = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
const BUSY = new CallError({ kind: 'HTTP', status: 429, errorType: 'limit_exceeded', message: 'Too many.' });
const USELESS = (['token_used', 'token_expired', 'token_not_found'] as const).map(
  (errorType) =>
    new CallError({ kind: 'HTTP', status: errorType === 'token_not_found' ? 404 : 400, errorType, message: 'No.' }),
);

const fixture = useVisitorPage((path) => {
  if (path === 'signup/verify-email/') return 'requestEmail';
  return path === `signup/${TOKEN}/` ? 'link' : null;
});
const asking = walk(emailLinkMachine, {
  input: { purpose: 'signUp', email: '', from: '/user/' },
  cases: {
    'xstate.done.actor.form': [
      doneBy('form', { outcome: 'done', answer: undefined, values: { email: ANN, purpose: 'signUp', from: '/user/' } }),
    ],
    'email.suggested': [],
    'xstate.error.actor.requestEmail': [failedBy('requestEmail', BUSY)],
  },
  distinguish: ({ context }) => context.failure !== null,
});

function signingUp(on: VisitorPage): Performance<typeof emailLinkMachine> {
  const { page, held, open } = on;
  const { email, heading, button, link, alert } = visitorScreen(page);
  return {
    executors: {
      'xstate.init': () => open('/signup/?from=%2Fuser%2F&inspect', false),
      // The form is refused first: by itself, and by the server.
      'xstate.done.actor.form': async () => {
        await email.fill('nobody');
        await button('Sign up').click();
        await expect(email).toHaveAccessibleDescription('Please enter a email address.');
        await email.fill(ANN);
        await page.keyboard.press('Enter');
        await expect(button('One moment…')).toHaveAttribute('aria-busy', 'true');
        await held.fail('requestEmail', BUSY);
        await expect(alert).toContainText('Too many.');
        await expect(email).toHaveValue(ANN);
        await button('Sign up').click();
        await held.answer('requestEmail', {});
      },
      'xstate.done.actor.requestEmail': () => held.answer('requestEmail', {}),
      'xstate.error.actor.requestEmail': ({ error }) => held.fail('requestEmail', error),
      'sendAgain.requested': () => button('Get another link').click(),
      'otherAddress.requested': () => button('Use another address').click(),
    },
    chart: () => chartOf(page, ['visitor', 'signUp']),
    expectations: {
      asking: async ({ context }) => {
        await heading('Create an account').toBeVisible();
        await expect(email).toBeFocused();
        await expect(email).toHaveValue(context.email);
        await expect(link('Sign in')).toHaveAttribute('href', '/signin/?from=%2Fuser%2F');
      },
      sent: async ({ context }) => {
        await heading('Ask your administrator for the link').toBeVisible();
        await expect(page.getByRole('main')).toContainText(`If ${ANN} can sign up`);
        await expect(alert).toHaveCount(context.failure ? 1 : 0);
      },
      'sent.waiting': () => expect(button('Get another link')).toBeEnabled(),
      'sent.sendingAgain': async () => {
        await expect(button('One moment…')).toHaveAttribute('aria-busy', 'true');
        await held.of('requestEmail');
      },
    },
  };
}

const choosing = walk(passwordLinkMachine, {
  input: { purpose: 'activation', token: TOKEN },
  cases: {
    'xstate.done.actor.readLink': [doneBy('readLink', { email: ANN, from: null })],
    // An error has no fields of its own in JSON; the index keeps the cases apart.
    'xstate.error.actor.readLink': [...USELESS, OFFLINE].map((error, index) => ({
      ...failedBy('readLink', error),
      index,
    })),
    'xstate.done.actor.form': [
      doneBy('form', { outcome: 'done', answer: pair(), values: {} }),
      doneBy('form', {
        outcome: 'refused',
        failure: { message: 'Used.', kind: 'HTTP', status: 400, errorType: 'token_used' },
      }),
    ],
  },
});

function activating(on: VisitorPage): Performance<typeof passwordLinkMachine> {
  const { page, held, open } = on;
  const { password, heading, button, link, alert } = visitorScreen(page);
  const ofNoUse = (name: string, way: string) => async () => {
    await heading(name).toBeFocused();
    await expect(link(way)).toBeVisible();
  };
  return {
    executors: {
      'xstate.init': () => open(`/signup/${TOKEN}/?inspect`, false),
      'xstate.done.actor.readLink': ({ output }) => held.answer('link', output),
      'xstate.error.actor.readLink': ({ error }) => held.fail('link', error),
      'xstate.done.actor.form': async ({ output }) => {
        await password.fill('short');
        await button('Activate account').click();
        await expect(password).toHaveAccessibleDescription(/must be at least 12/);
        await password.fill(PASSWORD);
        await page.keyboard.press('Enter');
        await expect(button('Activating…')).toHaveAttribute('aria-busy', 'true');
        if (output.outcome === 'refused') await held.fail('link', new CallError(output.failure));
        else {
          await held.answer('link', output.answer);
          // SES-01.
          await expect(page).toHaveURL(/\/welcome\//);
          expect(await page.evaluate(() => localStorage.getItem('jwt'))).toContain('access-of-the-path');
        }
      },
      'retry.requested': () => button('Try again').click(),
    },
    chart: () => chartOf(page, ['visitor', 'activation']),
    expectations: {
      checking: async () => {
        await expect(page.getByRole('main')).toContainText('Checking your link…');
        await held.of('link');
      },
      choosingPassword: async () => {
        await expect(page.getByRole('main')).toContainText(`Choose a password for ${ANN}.`);
        await expect(password).toBeFocused();
      },
      'invalid.used': ofNoUse('This link has been used', 'Sign in'),
      'invalid.expired': ofNoUse('This link has expired', 'Resend activation e-mail'),
      'invalid.unknown': ofNoUse('This link is not valid', 'Resend activation e-mail'),
      failed: async () => {
        await expect(alert).toContainText('Something went wrong.');
        await expect(button('Try again')).toBeEnabled();
      },
      done: () => expect(page).toHaveURL(/\/welcome\//),
    },
  };
}

const EXCEPTIONS = ['emailLink.asking —email.suggested→ (stays)'];

requireComplete(emailLinkMachine, asking.paths, signingUp);
requireComplete(passwordLinkMachine, choosing.paths, activating);

test.describe('ACC-02: asking for an account', () => {
  for (const [title, path] of titled(asking.paths)) {
    test(title, async () => {
      await perform(asking.retrace(path), signingUp(fixture()));
    });
  }
});

test.describe('ACC-03: activating it', () => {
  for (const [title, path] of titled(choosing.paths)) {
    test(title, async () => {
      await perform(choosing.retrace(path), activating(fixture()));
    });
  }
});

test('every transition of signing up is walked, but for what comes from an invitation: test/journeys/links.journey.ts', () => {
  expect([...asking.unwalked(), ...choosing.unwalked()]).toEqual(EXCEPTIONS);
  expect(withoutExecutor(asking.paths, signingUp(fixture()).executors)).toEqual([]);
  expect(withoutExecutor(choosing.paths, activating(fixture()).executors)).toEqual([]);
});
