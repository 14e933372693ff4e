import { describe, expect, it } from 'vitest';
import { destinationOf } from '#src/screens/shortAddresses.ts';
import { routeOf } from '#src/locations.ts';
import { titleOf } from '#src/screens/titles.ts';

describe('addresses', () => {
  it('ASY-01: any other mode than async means real-time', () => {
    const modeAt = (search: Record<string, string>) =>
      routeOf({
        routeId: '/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/',
        params: { orgUuid: 'o', projectUuid: 'p' },
        search,
      });
    expect(modeAt({ mode: 'async' })).toMatchObject({ screen: 'playground', mode: 'async' });
    for (const search of [{}, { mode: 'elsewhere' }, { mode: 'Async' }])
      expect(modeAt(search)).toMatchObject({ screen: 'playground', mode: 'real-time' });
  });
});

describe('short addresses', () => {
  it('NAV-03: the mode comes from the query, unless the path says it', () => {
    expect(destinationOf('/playground/', {}, { mode: 'async' })).toEqual({ screen: 'playground', mode: 'async' });
    expect(destinationOf('/playground/speech-to-text/', {}, {})).toEqual({ screen: 'playground', mode: 'real-time' });
    expect(destinationOf('/playground/transcribe-live/', {}, { mode: 'async' })).toEqual({
      screen: 'playground',
      mode: 'real-time',
    });
    expect(destinationOf('/playground/transcribe-async/', {}, { mode: 'real-time' })).toEqual({
      screen: 'playground',
      mode: 'async',
    });
  });

  it('NAV-03: of billing only its pages', () => {
    expect(destinationOf('/org/billing/payment-setup/', {}, {})).toEqual({ screen: 'paymentSetup' });
    expect(destinationOf('/org/billing/elsewhere/', {}, {})).toBeNull();
    expect(destinationOf('/org/billing/', {}, {})).toEqual({ screen: 'billingOverview' });
    expect(destinationOf('/org/', {}, {})).toBeNull();
  });

  it('NAV-04 NAV-08: one that leads nowhere has a title of its own', () => {
    const titleAt = (path: string, params: Record<string, string> = {}) =>
      titleOf(routeOf({ routeId: `/_console${path}`, params, search: {} }), 'Parlance');
    expect(titleAt('/api-keys/')).toBe('Failed to redirect into API Keys... · Parlance');
    expect(titleAt('/playground/transcribe-live/')).toBe('Failed to redirect into playground... · Parlance');
    expect(titleAt('/org/billing/costs/')).toBe('Failed to redirect into cost table... · Parlance');
    expect(titleAt('/org/projects/usage/cost/')).toBe('Failed to redirect into usage cost... · Parlance');
  });
});
