// Organizations, projects, their members, API keys and audit log.
import type * as v from 'valibot';
import { ApiKey, ApiKeyCreate, ApiKeyCreated, MemberApiKey } from '../api-keys.ts';
import { AuditEntry } from '../audit.ts';
import { Dashboard } from '../dashboard.ts';
import { ConsoleEvent } from '../events.ts';
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
import {
  Memberships,
  OrganizationCreate,
  OrganizationCreated,
  OrganizationDetails,
  ProjectCreate,
  ProjectCreated,
  ProjectDetails,
} from '../organizations.ts';
import { example, TRANSCRIPTION, ORGANIZATION, PROJECT, PERSON, apiKey } from './example.ts';

const member: v.InferOutput<typeof Member> = {
  uuid: PERSON,
  email: 'charles@example.com',
  name: 'Charles Babbage',
  role: 'member',
  joined_at: '2026-05-02T10:00:00.000Z',
};

export const ORGANIZATION_EXAMPLES = [
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
    steps: { transcribed: true, spoken: false, key_created: true },
    is_exhausted: false,
    is_budget_reached: false,
    members: 3,
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
  example(MemberApiKey, { ...apiKey, project: { uuid: PROJECT, name: 'Interviews' } }),
  example(ProjectMemberRemoval, { user_uuid: PERSON, revoke_api_keys: true }),
  example(ApiKeyCreated, { api_key: apiKey, key: 'prl_bm90LWEtcmVhbC1rZXk' }),
  example(ConsoleEvent, { type: 'transcription.changed', project_uuid: PROJECT, transcription_id: TRANSCRIPTION }),
] as const;
