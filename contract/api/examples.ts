import type * as v from 'valibot';
import {
  AccountDeletion,
  AccountDeletionCheck,
  Activation,
  ActivationRequest,
  PasswordChange,
  PasswordResetRequest,
  Recovery,
  RecoveryRequest,
  User,
  UserUpdate,
  VerifyEmailRequest,
} from '../accounts.ts';
import { ApiKey, ApiKeyCreate, ApiKeyCreated, MadeApiKey } from '../api-keys.ts';
import { AuditEntry } from '../audit.ts';
import { BillingSettings, BillingSettingsUpdate, BillingCostRequest, BillingReportRequest } from '../billing.ts';
import { PaymentErrorReset, HostedPage, PaymentEvent, PaymentRequest, PaymentSetupRequest } from '../paying.ts';
import { Dashboard } from '../dashboard.ts';
import { ApiError } from '../errors.ts';
import { ConsoleEvent } from '../events.ts';
import { Counts, FilePage, FileUrl, StoredFile } from '../files.ts';
import {
  LimitConfiguration,
  LimitIncrease,
  LimitIncreaseRequest,
  LimitsUpdate,
  OrganizationLimits,
  ProjectLimits,
} from '../limits.ts';
import { LiveConfig, LiveControl, LiveFailure, LiveResult } from '../live.ts';
import { LogDetails, LogPage, type LogEntry } from '../logs.ts';
import {
  Invitation,
  InvitationCreate,
  InvitationView,
  Member,
  MemberUpdate,
  ProjectMember,
  ProjectMemberRemoval,
  ProjectMemberRequest,
} from '../members.ts';
import { Metrics } from '../metrics.ts';
import { Model } from '../models.ts';
import {
  Memberships,
  OrganizationCreate,
  OrganizationCreated,
  OrganizationDetails,
  ProjectCreate,
  ProjectCreated,
  ProjectDetails,
} from '../organizations.ts';
import { RefreshRequest, SignInRequest, TokenPair, VerifyRequest } from '../session.ts';
import { SsoRedirect, SsoRedirectRequest, SsoSignUpRequest, SsoToken, SsoTokenRequest } from '../sso.ts';
import { TemporaryKey, TemporaryKeyRequest } from '../temporary-keys.ts';
import {
  LiveSessionToKeep,
  Transcript,
  Transcription,
  TranscriptionCreate,
  TranscriptionEnded,
} from '../transcriptions.ts';
import { OrganizationUsageRequest, UsageActivity, UsageCost, UsageRequest } from '../usage.ts';

const FILE = '6a1f0c3e-52f4-4b0e-9c38-0d8f6f1f2a11';
const TRANSCRIPTION = 'b7c2f9d0-8a41-4d53-a1de-9f0b3c5e7d22';
const ORGANIZATION = '0f5d8e6a-7b3c-4c1d-8e9f-1a2b3c4d5e33';
const PROJECT = 'd4e3c2b1-a098-4765-8432-10fedcba9844';
const ACCESS = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const REFRESH = 'cmVmcmVzaC10b2tlbg';

const file: v.InferOutput<typeof StoredFile> = {
  id: FILE,
  filename: 'interview.wav',
  size: 1_843_244,
  created_at: '2026-05-04T09:30:00.000Z',
  client_reference_id: null,
};
const PERSON = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const apiKey: v.InferOutput<typeof ApiKey> = {
  uuid: 'c0ffee00-1d2e-4f3a-8b4c-5d6e7f809a66',
  name: 'Nightly import',
  masked_key: 'prl_ab…9Zk4',
  created_at: '2026-05-04T09:00:00.000Z',
  created_by: 'ada@example.com',
  last_used_at: null,
  expires_at: null,
};
const member: v.InferOutput<typeof Member> = {
  uuid: PERSON,
  email: 'charles@example.com',
  name: 'Charles Babbage',
  role: 'member',
  joined_at: '2026-05-02T10:00:00.000Z',
};
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
const tokens: v.InferOutput<typeof Transcript>['tokens'] = [
  { text: ' Good', start_ms: 120, end_ms: 340, confidence: 0.98, speaker: '1', language: 'en' },
  { text: ' morning.', start_ms: 340, end_ms: 810, confidence: 0.97, speaker: '1', language: 'en' },
];

const log = {
  id: 'a3b2c1d0-e4f5-4a6b-9c8d-7e6f5a4b3c99',
  request_id: '3b0f9a52-6c1d-4e7a-9f28-5d4c3b2a1055',
  started_at: '2026-05-04T09:31:00.000Z',
  ended_at: '2026-05-04T09:31:04.180Z',
  kind: 'async',
  status: 'completed',
  model: 'parlance-async-1',
  origin: 'public_api',
  key: { uuid: apiKey.uuid, name: apiKey.name },
  person: null,
  client_reference_id: 'customer-7',
  audio_ms: 57_600,
  cost_micros: 1600,
  error_type: null,
  queue_ms: 130,
  processing_ms: 4050,
  first_word_ms: null,
  finals_ms: null,
} as const satisfies v.InferOutput<typeof LogEntry>;
const processing = {
  p50: [null, 3900],
  p90: [null, 5200],
  p99: [null, 8100],
  measured: 12,
  whole: { p50: 3900, p90: 5200, p99: 8100 },
};
const measured = {
  requests: [0, 12],
  errors: [0, 1],
  cancelled: [0, 0],
  audio_ms: [0, 691_200],
  queue: null,
  processing,
  first_word: null,
  finals: null,
};

const days = { start_date: '2026-05-03', end_date: '2026-05-04' };

/** Examples for every request body, and for answers that need one. */
export const EXAMPLES: ReadonlyMap<v.GenericSchema, unknown> = new Map([
  example(ApiError, {
    status_code: 400,
    error_type: 'invalid_request',
    message: 'Invalid request.',
    validation_errors: [{ error_type: 'missing', location: 'body.payload.model', message: 'Field required' }],
    request_id: '3b0f9a52-6c1d-4e7a-9f28-5d4c3b2a1055',
  }),

  example(SignInRequest, { email: 'ada@example.com', password: 'correct horse battery staple' }),
  example(TokenPair, { access: ACCESS, refresh: REFRESH, access_expires_at: 1_777_887_600 }),
  example(RefreshRequest, { refresh: REFRESH }),
  example(VerifyRequest, { token: ACCESS }),
  example(SsoRedirectRequest, { from: '/user/settings/' }),
  example(SsoRedirect, { url: 'https://id.example.com/authorize?client_id=console&response_type=code&state=c3RhdGU' }),
  example(SsoTokenRequest, { query: 'code=b25lLXRpbWU&state=c3RhdGU' }),
  example(SsoToken, {
    outcome: 'signed_in',
    tokens: { access: ACCESS, refresh: REFRESH, access_expires_at: 1_777_887_600 },
    from: '/user/settings/',
  }),
  example(SsoSignUpRequest, { signup_token: 'c2lnbi11cA' }),
  example(VerifyEmailRequest, { email: 'ada@example.com' }),
  example(Activation, { email: 'ada@example.com', from: null }),
  example(ActivationRequest, { password: 'correct horse battery staple' }),
  example(RecoveryRequest, { email: 'ada@example.com' }),
  example(Recovery, { email: 'ada@example.com' }),
  example(PasswordResetRequest, { password: 'a new one for the engine' }),
  example(PasswordChange, {
    current_password: 'correct horse battery staple',
    new_password: 'a new one for the engine',
  }),
  example(UserUpdate, { name: 'Ada Lovelace' }),
  example(AccountDeletionCheck, {
    organizations: [{ uuid: ORGANIZATION, name: 'Analytical Engines', others: 2 }],
    api_keys: 1,
    confirmed_by: 'password',
  }),
  example(AccountDeletion, { email: 'ada@example.com', password: 'correct horse battery staple' }),
  example(User, { uuid: PERSON, email: 'ada@example.com', name: 'Ada Lovelace', has_password: true }),
  example(Memberships, {
    organizations: [
      {
        organization: {
          uuid: ORGANIZATION,
          name: 'Analytical Engines',
          contact_email: 'ada@example.com',
          feature_flags: [],
        },
        role: 'owner',
        projects: [{ uuid: PROJECT, name: 'Interviews' }],
      },
    ],
  }),
  example(OrganizationCreate, { name: 'Analytical Engines', contact_email: 'ada@example.com' }),
  example(OrganizationCreated, { organization: { uuid: ORGANIZATION } }),
  example(OrganizationDetails, {
    uuid: ORGANIZATION,
    name: 'Analytical Engines',
    contact_email: 'ada@example.com',
    feature_flags: [],
    created_at: '2026-05-01T08:00:00.000Z',
  }),
  example(Dashboard, {
    period: { start: '2026-05-01T00:00:00.000Z', end: '2026-05-04T09:30:00.000Z' },
    totals: { requests: 12, audio_ms: 691_200, cost_micros: 19_200 },
    projects: [
      {
        uuid: PROJECT,
        name: 'Interviews',
        requests: 12,
        audio_ms: 691_200,
        cost_micros: 19_200,
        last_used_at: '2026-05-04T09:31:00.000Z',
      },
    ],
    deleted_projects: [],
    is_exhausted: false,
    members: 3,
  }),
  example(UsageRequest, { ...days, period: 'daily' }),
  example(OrganizationUsageRequest, { ...days, period: 'daily', project_ids: [PROJECT], services: ['async'] }),
  example(UsageActivity, {
    ...days,
    period: 'daily',
    buckets: ['2026-05-03T00:00:00.000Z', '2026-05-04T00:00:00.000Z'],
    series: [{ service: 'async', model: 'parlance-async-1', requests: [0, 12], audio_ms: [0, 691_200] }],
    totals: { requests: 12, audio_ms: 691_200 },
  }),
  example(UsageCost, {
    ...days,
    period: 'daily',
    buckets: ['2026-05-03T00:00:00.000Z', '2026-05-04T00:00:00.000Z'],
    currency: 'USD',
    series: [{ service: 'async', model: 'parlance-async-1', cost_micros: [0, 19_200] }],
    totals: { cost_micros: 19_200 },
  }),
  example(LogPage, {
    logs: [log],
    next_page_cursor: null,
    choices: {
      models: [{ model: 'parlance-async-1', requests: 12 }],
      keys: [{ uuid: apiKey.uuid, name: apiKey.name, requests: 12 }],
      errors: [{ error_type: 'invalid_audio', requests: 1 }],
    },
  }),
  example(LogDetails, {
    ...log,
    output_tokens: 212,
    billing_day: '2026-05-04',
    error_message: null,
    transcription_id: TRANSCRIPTION,
    settings: {
      filename: 'interview.wav',
      language_hints: ['en'],
      language_hints_strict: null,
      context: null,
      enable_speaker_diarization: true,
      enable_language_identification: false,
      translation: null,
    },
  }),
  example(Metrics, {
    ...days,
    period: 'daily',
    buckets: ['2026-05-03T00:00:00.000Z', '2026-05-04T00:00:00.000Z'],
    series: [{ service: 'async', model: 'parlance-async-1', ...measured }],
    all: measured,
    peak_streams: [0, 2],
    stream_limit: 10,
  }),
  example(AuditEntry, {
    uuid: 'e1d2c3b4-a596-4877-8b69-5a4b3c2d1e77',
    at: '2026-05-04T09:00:00.000Z',
    actor: 'ada@example.com',
    action: 'member.role_changed',
    subject: 'charles@example.com',
    project: null,
    detail: 'member → admin',
    request_id: '3b0f9a52-6c1d-4e7a-9f28-5d4c3b2a1055',
  }),
  example(Member, member),
  example(MemberUpdate, { role: 'admin' }),
  example(InvitationCreate, { email: 'charles@example.com', role: 'member', project_uuids: [PROJECT] }),
  example(Invitation, {
    uuid: 'f00dcafe-2b3c-4d5e-8f60-718293a4b588',
    email: 'charles@example.com',
    role: 'member',
    project_uuids: [PROJECT],
    invited_by: 'ada@example.com',
    created_at: '2026-05-04T09:00:00.000Z',
    expires_at: '2026-05-11T09:00:00.000Z',
    link: 'https://example.com/invite/YW4taW52aXRhdGlvbg/',
  }),
  example(InvitationView, {
    organization: { name: 'Analytical Engines' },
    email: 'charles@example.com',
    role: 'member',
    invited_by: 'ada@example.com',
  }),
  example(ProjectMember, { ...member, is_added: true }),
  example(ProjectMemberRequest, { user_uuid: PERSON }),
  example(ProjectDetails, {
    uuid: PROJECT,
    name: 'Interviews',
    description: 'Recordings of the oral history group',
    created_at: '2026-05-01T08:05:00.000Z',
  }),
  example(ProjectCreate, { name: 'Interviews', description: 'Recordings of the oral history group' }),
  example(ProjectCreated, { project: { uuid: PROJECT } }),
  example(ApiKeyCreate, { name: 'Nightly import' }),
  example(ApiKey, apiKey),
  example(MadeApiKey, { ...apiKey, project: { uuid: PROJECT, name: 'Interviews' } }),
  example(ProjectMemberRemoval, { user_uuid: PERSON, revoke_api_keys: true }),
  example(ApiKeyCreated, { api_key: apiKey, key: 'prl_bm90LWEtcmVhbC1rZXk' }),

  example(StoredFile, file),
  example(FilePage, { files: [file], next_page_cursor: null }),
  example(FileUrl, { url: `https://example.com/v1/files/${FILE}/download?token=c2lnbmVk` }),
  example(Counts, { total: 12, public_api: 10, playground: 2 }),
  example(TranscriptionCreate, {
    model: 'parlance-async-1',
    file_id: FILE,
    language_hints: ['en'],
    enable_speaker_diarization: true,
  }),
  example(Transcription, {
    id: TRANSCRIPTION,
    status: 'completed',
    created_at: '2026-05-04T09:31:00.000Z',
    model: 'parlance-async-1',
    filename: 'interview.wav',
    file_id: FILE,
    audio_duration_ms: 57_600,
    audio_notes: [{ type: 'tracks_mixed', count: 2 }],
    language_hints: ['en'],
    enable_speaker_diarization: true,
    enable_language_identification: false,
    cost_usd: '0.0016',
  }),
  example(LiveSessionToKeep, { model: 'parlance-rt-1', filename: 'Microphone', audio_duration_ms: 32_000, tokens }),
  example(BillingSettings, {
    autopay: { enabled: true, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
    details: { name: 'Ada Ltd', address: '1 Main Street\nLondon', tax_id: 'GB123456789' },
  }),
  example(BillingSettingsUpdate, {
    autopay: { enabled: true, threshold_micros: 5_000_000, amount_micros: 20_000_000 },
  }),
  example(PaymentRequest, { attempt: TRANSCRIPTION, amount_micros: 20_000_000 }),
  example(PaymentSetupRequest, { attempt: TRANSCRIPTION }),
  example(PaymentErrorReset, { version: 'Yk1mZ2hLc2Q0bFpQd2VyVA' }),
  example(BillingReportRequest, { start_date: '2026-05-01', end_date: '2026-05-31', period: 'daily' }),
  example(BillingCostRequest, { start_date: '2026-05-01', end_date: '2026-05-31' }),
  example(HostedPage, { attempt: TRANSCRIPTION, url: 'https://checkout.stripe.com/c/pay/cs_1' }),
  example(PaymentEvent, { id: 'evt_1', type: 'payment_intent.succeeded' }),
  example(TranscriptionEnded, { id: TRANSCRIPTION, status: 'completed' }),
  example(ConsoleEvent, { type: 'transcription.changed', project_uuid: PROJECT, transcription_id: TRANSCRIPTION }),
  example(Transcript, { id: TRANSCRIPTION, text: ' Good morning.', tokens }),
  example(Model, {
    id: 'parlance-async-1',
    name: 'Parlance Async 1',
    aliased_model_id: null,
    context_version: 2,
    transcription_mode: 'async',
    languages: [{ code: 'en', name: 'English' }],
    one_way_translation: null,
    two_way_translation: null,
    translation_targets: [],
    two_way_translation_pairs: [],
    supports_language_hints_strict: true,
    supports_max_endpoint_delay: false,
  }),
  example(TemporaryKeyRequest, { usage_type: 'transcribe_websocket', expires_in_seconds: 60 }),
  example(TemporaryKey, { api_key: 'prl_temp_c2hvcnQtbGl2ZWQ', expires_at: '2026-05-04T09:32:00.000Z' }),
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
  example(LiveConfig, {
    api_key: 'YOUR_API_KEY',
    model: 'parlance-rt-1',
    audio_format: 's16le',
    sample_rate: 16_000,
    num_channels: 1,
    language_hints: ['en'],
    enable_endpoint_detection: true,
  }),
  example(LiveControl, { type: 'finalize' }),
  example(LiveResult, {
    tokens: tokens.map((token) => ({ ...token, is_final: true })),
    final_audio_proc_ms: 810,
    total_audio_proc_ms: 960,
  }),
  example(LiveFailure, {
    tokens: [],
    error_code: 408,
    error_type: 'request_timeout',
    error_message: 'Request timeout.',
    request_id: '3b0f9a52-6c1d-4e7a-9f28-5d4c3b2a1055',
  }),
]);

/** Types an example as the wire has it. */
function example<const S extends v.GenericSchema>(
  schema: S,
  value: v.InferInput<S>,
): readonly [v.GenericSchema, unknown] {
  return [schema, value];
}
