/** Webhooks of an address that answers 503. */
import type { DeliveryState, WebhookDelivery } from '#contract/webhooks.ts';
import { uuidOf } from './people.ts';

export const delivery = (n: number, state: DeliveryState = 'failed'): WebhookDelivery => ({
  transcription_id: uuidOf(n),
  address: 'https://example.com/hook',
  state,
  tries: 8,
  status_code: 503,
  failure: 'status',
  created_at: '2026-05-04T10:00:00Z',
  changed_at: '2026-05-05T10:00:00Z',
  next_try_at: null,
  can_be_sent_again: state !== 'waiting',
});
