/** The main API as the console calls it, row by row (spec §7). Every function rejects with a CallError, or with the reason of its signal. */
import * as v from 'valibot';
import { AuditPage } from '#contract/audit.ts';
import { ApiKey, type ApiKeyCreate, ApiKeyCreated, ApiKeys, MadeApiKeys } from '#contract/api-keys.ts';
import {
  type AccountDeletion,
  AccountDeletionCheck,
  type PasswordChange,
  User,
  type UserUpdate,
} from '#contract/accounts.ts';
import {
  BillingOverview,
  BillingSettings,
  type BillingSettingsUpdate,
  HostedPage,
  type PaymentRequest,
  PaymentStatus,
} from '#contract/billing.ts';
import { Dashboard } from '#contract/dashboard.ts';
import { PAGE_SIZE } from '#contract/fields.ts';
import {
  type LimitConfiguration,
  LimitIncrease,
  type LimitIncreaseRequest,
  type LimitsUpdate,
  OrganizationLimits,
  ProjectLimits,
} from '#contract/limits.ts';
import { LogDetails, type LogFormat, LogPage } from '#contract/logs.ts';
import {
  Invitation,
  type InvitationCreate,
  Invitations,
  Member,
  Members,
  type MemberUpdate,
  ProjectMembers,
} from '#contract/members.ts';
import { Metrics, type MetricsQuery } from '#contract/metrics.ts';
import {
  Memberships,
  type OrganizationCreate,
  OrganizationCreated,
  OrganizationDeletion,
  OrganizationDetails,
  type OrganizationUpdate,
  type ProjectCreate,
  ProjectCreated,
  ProjectDetails,
  Projects,
  type ProjectUpdate,
  Welcome,
} from '#contract/organizations.ts';
import { ProjectHome } from '#contract/project-home.ts';
import { Empty } from '#contract/session.ts';
import { type OrganizationUsageRequest, UsageActivity, UsageCost, type UsageRequest } from '#contract/usage.ts';
import {
  type DeliveryState,
  ShownSecret,
  SigningSecret,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookDetails,
} from '#contract/webhooks.ts';
import type { LogFilter } from '#machines/workspace/logs/filter.ts';
import type { Caller, Downloader } from './caller.ts';

export type MainApi = ReturnType<typeof createMainApi>;

export function createMainApi(call: Caller) {
  type Signal = AbortSignal | undefined;
  return {
    user: (signal?: Signal) => call('get', 'user/', { schema: User, signal }),
    updateUser: (request: UserUpdate, signal?: Signal) => call('put', 'user/', { json: request, schema: User, signal }),
    changePassword: (request: PasswordChange, signal?: Signal) =>
      call('put', 'user/password/', { json: request, schema: Empty, signal }),
    checkDeletion: (signal?: Signal) => call('get', 'user/deletion/', { schema: AccountDeletionCheck, signal }),
    deleteAccount: (request: AccountDeletion, signal?: Signal) =>
      call('post', 'user/deletion/', { json: request, schema: v.unknown(), signal }),
    organizations: (signal?: Signal) => call('get', 'user/organizations/', { schema: Memberships, signal }),
    welcome: (signal?: Signal) => call('post', 'user/welcome/', { json: {}, schema: Welcome, signal }),
    createOrganization: (request: OrganizationCreate, signal?: Signal) =>
      call('post', 'organizations/', { json: request, schema: OrganizationCreated, signal }),
    organization: (orgUuid: string, signal?: Signal) =>
      call('get', organization(orgUuid), { schema: OrganizationDetails, signal }),
    updateOrganization: (orgUuid: string, request: OrganizationUpdate, signal?: Signal) =>
      call('put', organization(orgUuid), { json: request, schema: OrganizationDetails, signal }),
    organizationDeletion: (orgUuid: string, signal?: Signal) =>
      call('get', `${organization(orgUuid)}deletion/`, { schema: OrganizationDeletion, signal }),
    /** `forfeitedMicros`: what of its balance is lost, micro-USD, as it was read. */
    deleteOrganization: (orgUuid: string, forfeitedMicros: string, signal?: Signal) =>
      call('delete', organization(orgUuid), { query: { lost_micros: forfeitedMicros }, schema: v.unknown(), signal }),
    dashboard: (orgUuid: string, signal?: Signal) =>
      call('get', `${organization(orgUuid)}dashboard/`, { schema: Dashboard, signal }),
    /** `cursor` null asks for the first page. */
    audit: (orgUuid: string, cursor: string | null, signal?: Signal) =>
      call('get', `${organization(orgUuid)}audit/`, {
        query: { limit: String(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) },
        schema: AuditPage,
        signal,
      }),
    organizationLimits: (orgUuid: string, signal?: Signal) =>
      call('get', organizationLimits(orgUuid), { schema: OrganizationLimits, signal }),
    updateOrganizationLimits: (orgUuid: string, request: LimitsUpdate, signal?: Signal) =>
      call('put', organizationLimits(orgUuid), { json: request, schema: OrganizationLimits, signal }),
    requestIncrease: (orgUuid: string, request: LimitIncreaseRequest, signal?: Signal) =>
      call('post', `${organizationLimits(orgUuid)}increase/`, { json: request, schema: LimitIncrease, signal }),
    projectLimits: (projectUuid: string, signal?: Signal) =>
      call('get', projectLimits(projectUuid), { schema: ProjectLimits, signal }),
    updateProjectLimits: (projectUuid: string, request: LimitsUpdate, signal?: Signal) =>
      call('put', projectLimits(projectUuid), { json: request, schema: ProjectLimits, signal }),
    configureProjectLimit: (projectUuid: string, request: LimitConfiguration, signal?: Signal) =>
      call('post', `${projectLimits(projectUuid)}configure/`, { json: request, schema: ProjectLimits, signal }),
    organizationCost: (orgUuid: string, request: OrganizationUsageRequest, signal?: Signal) =>
      call('post', `${organization(orgUuid)}usage/cost/`, { json: request, schema: UsageCost, signal }),
    organizationActivity: (orgUuid: string, request: OrganizationUsageRequest, signal?: Signal) =>
      call('post', `${organization(orgUuid)}usage/activity/`, { json: request, schema: UsageActivity, signal }),
    billingOverview: (orgUuid: string, days: { start_date: string; end_date: string }, signal?: Signal) =>
      call('get', `${billing(orgUuid)}overview/`, { query: days, schema: BillingOverview, signal }),
    billingSettings: (orgUuid: string, signal?: Signal) =>
      call('get', billing(orgUuid), { schema: BillingSettings, signal }),
    updateBillingSettings: (orgUuid: string, request: BillingSettingsUpdate, signal?: Signal) =>
      call('put', billing(orgUuid), { json: request, schema: BillingSettings, signal }),
    createPayment: (orgUuid: string, request: PaymentRequest, signal?: Signal) =>
      call('post', payment(orgUuid), { json: request, schema: HostedPage, signal }),
    setUpPaymentMethod: (orgUuid: string, attempt: string, signal?: Signal) =>
      call('post', `${payment(orgUuid)}setup/`, { json: { attempt }, schema: HostedPage, signal }),
    /** Of one payment or setup, or of the newest. */
    paymentStatus: (orgUuid: string, attempt: string | null, signal?: Signal) =>
      call('get', `${payment(orgUuid)}status/`, {
        ...(attempt === null ? {} : { query: { attempt } }),
        schema: PaymentStatus,
        signal,
      }),
    removePaymentMethod: (orgUuid: string, signal?: Signal) =>
      call('post', `${payment(orgUuid)}remove/`, { json: {}, schema: PaymentStatus, signal }),
    resetPaymentError: (orgUuid: string, version: string, signal?: Signal) =>
      call('put', `${payment(orgUuid)}reset-error/`, { json: { version }, schema: PaymentStatus, signal }),
    members: (orgUuid: string, signal?: Signal) =>
      call('get', `${organization(orgUuid)}users/`, { schema: Members, signal }),
    member: (orgUuid: string, userUuid: string, signal?: Signal) =>
      call('get', member(orgUuid, userUuid), { schema: Member, signal }),
    updateMember: (orgUuid: string, userUuid: string, request: MemberUpdate, signal?: Signal) =>
      call('put', member(orgUuid, userUuid), { json: request, schema: Member, signal }),
    madeKeys: (orgUuid: string, userUuid: string, signal?: Signal) =>
      call('get', `${member(orgUuid, userUuid)}api-keys/`, { schema: MadeApiKeys, signal }),
    removeMember: (orgUuid: string, userUuid: string, revokesKeys: boolean, signal?: Signal) =>
      call('delete', member(orgUuid, userUuid), {
        ...(revokesKeys ? { query: { revoke_api_keys: 'true' } } : {}),
        schema: v.unknown(),
        signal,
      }),
    invitations: (orgUuid: string, signal?: Signal) =>
      call('get', `${organization(orgUuid)}invite/`, { schema: Invitations, signal }),
    invite: (orgUuid: string, request: InvitationCreate, signal?: Signal) =>
      call('post', `${organization(orgUuid)}invite/`, { json: request, schema: Invitation, signal }),
    revokeInvitation: (orgUuid: string, uuid: string, signal?: Signal) =>
      call('delete', `${organization(orgUuid)}invite/${segment(uuid)}/`, { schema: v.unknown(), signal }),
    projectHome: (projectUuid: string, signal?: Signal) =>
      call('get', `${project(projectUuid)}home/`, { schema: ProjectHome, signal }),
    apiKey: (projectUuid: string, keyUuid: string, signal?: Signal) =>
      call('get', `${keys(projectUuid)}${segment(keyUuid)}/`, { schema: ApiKey, signal }),
    apiKeys: (projectUuid: string, signal?: Signal) => call('get', keys(projectUuid), { schema: ApiKeys, signal }),
    createApiKey: (projectUuid: string, request: ApiKeyCreate, signal?: Signal) =>
      call('post', keys(projectUuid), { json: request, schema: ApiKeyCreated, signal }),
    revokeApiKey: (projectUuid: string, keyUuid: string, signal?: Signal) =>
      call('delete', `${keys(projectUuid)}${segment(keyUuid)}/`, { schema: v.unknown(), signal }),
    projects: (orgUuid: string, signal?: Signal) =>
      call('get', `${organization(orgUuid)}projects/`, { schema: Projects, signal }),
    createProject: (orgUuid: string, request: ProjectCreate, signal?: Signal) =>
      call('post', `${organization(orgUuid)}projects/`, { json: request, schema: ProjectCreated, signal }),
    project: (projectUuid: string, signal?: Signal) =>
      call('get', project(projectUuid), { schema: ProjectDetails, signal }),
    updateProject: (projectUuid: string, request: ProjectUpdate, signal?: Signal) =>
      call('put', project(projectUuid), { json: request, schema: ProjectDetails, signal }),
    deleteProject: (projectUuid: string, signal?: Signal) =>
      call('delete', project(projectUuid), { schema: v.unknown(), signal }),
    projectCost: (projectUuid: string, request: UsageRequest, signal?: Signal) =>
      call('post', `${project(projectUuid)}usage/cost/`, { json: request, schema: UsageCost, signal }),
    projectActivity: (projectUuid: string, request: UsageRequest, signal?: Signal) =>
      call('post', `${project(projectUuid)}usage/activity/`, { json: request, schema: UsageActivity, signal }),
    /** `cursor` null asks for the first page. */
    logs: (projectUuid: string, filter: LogFilter, cursor: string | null, signal?: Signal) =>
      call('get', logs(projectUuid), {
        query: { ...queryOf(filter), limit: String(PAGE_SIZE), ...(cursor === null ? {} : { cursor }) },
        schema: LogPage,
        signal,
      }),
    log: (projectUuid: string, id: string, signal?: Signal) =>
      call('get', `${logs(projectUuid)}${segment(id)}/`, { schema: LogDetails, signal }),
    /** `state` undefined asks for all, `cursor` null for the first page. */
    webhooks: (
      projectUuid: string,
      { state, limit, cursor }: { state: DeliveryState | undefined; limit: number; cursor: string | null },
      signal?: Signal,
    ) =>
      call('get', webhooks(projectUuid), {
        query: { ...(state && { state }), limit: String(limit), ...(cursor === null ? {} : { cursor }) },
        schema: WebhookDeliveries,
        signal,
      }),
    webhook: (projectUuid: string, id: string, signal?: Signal) =>
      call('get', `${webhooks(projectUuid)}${segment(id)}/`, { schema: WebhookDetails, signal }),
    sendWebhookAgain: (projectUuid: string, id: string, signal?: Signal) =>
      call('post', `${webhooks(projectUuid)}${segment(id)}/send-again/`, {
        json: {},
        schema: WebhookDelivery,
        signal,
      }),
    signingSecret: (projectUuid: string, signal?: Signal) =>
      call('get', `${webhooks(projectUuid)}secret/`, { schema: SigningSecret, signal }),
    /** The one that there is, which is shown once, or a new one in its place. */
    askSigningSecret: (projectUuid: string, wanted: 'show' | 'roll', signal?: Signal) =>
      call('post', `${webhooks(projectUuid)}secret/${wanted}/`, { json: {}, schema: ShownSecret, signal }),
    metrics: (projectUuid: string, query: MetricsQuery, signal?: Signal) =>
      call('get', `${project(projectUuid)}metrics/`, { query, schema: Metrics, signal }),
    projectMembers: (projectUuid: string, signal?: Signal) =>
      call('get', `${project(projectUuid)}users/`, { schema: ProjectMembers, signal }),
    addProjectMember: (projectUuid: string, userUuid: string, signal?: Signal) =>
      call('post', `${project(projectUuid)}users/`, { json: { user_uuid: userUuid }, schema: v.unknown(), signal }),
    madeProjectKeys: (projectUuid: string, userUuid: string, signal?: Signal) =>
      call('get', `${project(projectUuid)}users/${segment(userUuid)}/api-keys/`, { schema: MadeApiKeys, signal }),
    removeProjectMember: (projectUuid: string, userUuid: string, revokesKeys: boolean, signal?: Signal) =>
      call('delete', `${project(projectUuid)}users/`, {
        json: { user_uuid: userUuid, revoke_api_keys: revokesKeys },
        schema: v.unknown(),
        signal,
      }),
  };
}

const queryOf = (filter: LogFilter): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).filter((entry): entry is [keyof LogFilter, string] => entry[1] !== undefined),
  );

/** Everything that matches, as a file. */
export const downloadLogs = (
  download: Downloader,
  { projectUuid, filter, format }: { projectUuid: string; filter: LogFilter; format: LogFormat },
  signal?: AbortSignal,
): Promise<Blob> => download(`${logs(projectUuid)}export/`, { query: { ...queryOf(filter), format }, signal });

const segment = encodeURIComponent;
const organization = (orgUuid: string) => `organizations/${segment(orgUuid)}/`;
const billing = (orgUuid: string) => `${organization(orgUuid)}billing/`;
const payment = (orgUuid: string) => `${organization(orgUuid)}payment/`;
const member = (orgUuid: string, userUuid: string) => `${organization(orgUuid)}users/${segment(userUuid)}/`;
const organizationLimits = (orgUuid: string) => `limits/${organization(orgUuid)}`;
const projectLimits = (projectUuid: string) => `limits/${project(projectUuid)}`;
const project = (projectUuid: string) => `projects/${segment(projectUuid)}/`;
const logs = (projectUuid: string) => `${project(projectUuid)}logs/`;
const webhooks = (projectUuid: string) => `${project(projectUuid)}webhooks/`;
const keys = (projectUuid: string) => `${project(projectUuid)}api-keys/`;
