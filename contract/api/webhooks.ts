import {
  DeliveriesQuery,
  ShownSecret,
  SigningSecret,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookDetails,
} from '../webhooks.ts';
import type { Row } from './route.ts';
import { PROJECT } from './shared.ts';

export const listWebhooks = {
  method: 'get',
  path: `${PROJECT}webhooks/`,
  tag: 'Webhooks',
  summary: 'List the webhooks of a project',
  description: 'Newest first, with the state of each, for 14 days after its last try.',
  access: 'bearer',
  action: 'webhooks.read',
  query: DeliveriesQuery,
  answers: { 200: WebhookDeliveries },
  errors: { 400: ['invalid_cursor'] },
} as const satisfies Row;

export const readSigningSecret = {
  method: 'get',
  path: `${PROJECT}webhooks/secret/`,
  tag: 'Webhooks',
  summary: 'Get the state of the signing secret',
  description: 'Never contains the secret itself.',
  access: 'bearer',
  action: 'webhooks.read',
  answers: { 200: SigningSecret },
} as const satisfies Row;

export const showSigningSecret = {
  method: 'post',
  path: `${PROJECT}webhooks/secret/show/`,
  tag: 'Webhooks',
  summary: 'Show the signing secret',
  description: 'Only once. Creates the secret if there is none yet.',
  access: 'bearer',
  action: 'webhooks.manage',
  answers: { 200: ShownSecret },
  errors: { 409: ['secret_shown'] },
} as const satisfies Row;

export const rollSigningSecret = {
  method: 'post',
  path: `${PROJECT}webhooks/secret/roll/`,
  tag: 'Webhooks',
  summary: 'Roll the signing secret',
  description: 'Older secrets sign as well for 24 hours.',
  access: 'bearer',
  action: 'webhooks.manage',
  answers: { 200: ShownSecret },
  errors: { 429: ['limit_exceeded'] },
} as const satisfies Row;

export const readWebhook = {
  method: 'get',
  path: `${PROJECT}webhooks/{transcription}/`,
  tag: 'Webhooks',
  summary: 'Get a webhook with its tries',
  access: 'bearer',
  action: 'webhooks.read',
  answers: { 200: WebhookDetails },
} as const satisfies Row;

export const sendWebhookAgain = {
  method: 'post',
  path: `${PROJECT}webhooks/{transcription}/send-again/`,
  tag: 'Webhooks',
  summary: 'Send a webhook again',
  description: 'Only a delivered or failed one. Sends it with the same webhook-id.',
  access: 'bearer',
  action: 'webhooks.manage',
  answers: { 200: WebhookDelivery },
  errors: { 409: ['webhook_waiting', 'webhook_unreadable'] },
} as const satisfies Row;

/** Deliveries of a project's webhooks, and the signing secret (WHK). */
export const WEBHOOK_CALLS = {
  listWebhooks,
  readSigningSecret,
  showSigningSecret,
  rollSigningSecret,
  readWebhook,
  sendWebhookAgain,
};
