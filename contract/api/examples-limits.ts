// Limits of organizations and projects.
import type * as v from 'valibot';
import {
  LimitConfiguration,
  LimitIncrease,
  LimitIncreaseRequest,
  LimitsUpdate,
  OrganizationLimits,
  ProjectLimits,
} from '../limits.ts';
import { example, TRANSCRIPTION } from './example.ts';

const increase: v.InferInput<typeof LimitIncrease> = {
  uuid: TRANSCRIPTION,
  limit: 'concurrent_streams',
  value: 50,
  reason: 'A conference with many rooms.',
  state: 'pending',
  asked_at: '2026-05-04T09:31:00.000Z',
  decided_at: null,
  answer: '',
};

export const LIMITS_EXAMPLES = [
  example(OrganizationLimits, {
    limits: [
      { name: 'requests_per_minute', value: 200, own: null, maximum: 200, used: 12, reserved: 0, is_reached: false },
      { name: 'concurrent_streams', value: 10, own: 10, maximum: 20, used: 10, reserved: 0, is_reached: true },
      {
        name: 'audio_minutes',
        value: 3000,
        own: 3000,
        maximum: 100_000,
        used: 2499.5,
        reserved: 1.017,
        is_reached: false,
      },
      {
        name: 'budget_micros',
        value: 50_000_000,
        own: 50_000_000,
        maximum: null,
        used: 31_250_000,
        reserved: 16_800,
        is_reached: false,
      },
    ],
    increases: [increase],
  }),
  example(ProjectLimits, {
    limits: [
      {
        name: 'concurrent_streams',
        value: 5,
        own: 5,
        maximum: 10,
        used: 3,
        reserved: 0,
        organization_used: 4,
        organization_reserved: 0,
        is_reached: false,
      },
    ],
    is_balance_exhausted: false,
  }),
  example(LimitsUpdate, { limits: { concurrent_streams: 10, budget_micros: null } }),
  example(LimitConfiguration, { limit: 'concurrent_streams', value: 5 }),
  example(LimitIncreaseRequest, { limit: 'concurrent_streams', value: 50, reason: 'A conference with many rooms.' }),
  example(LimitIncrease, increase),
] as const;
