/**
 * A screen as somebody would add it by the table in docs/architecture.md: how many people an organization has, with a
 * chart and a call of its own. The new files are whole; of those that exist, what is written into them.
 */

/** Writes `text` before the one line that begins with `before`, spaces aside. */
export type Edit = { step: string; file: string; before: string; text: string };

export const CONSOLE_FILES: Readonly<Record<string, string>> = {
  'machines/workspace/headcount/actors.ts': `
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** GET /organizations/{orgUuid}/headcount/. */
export const readHeadcount = promisePlaceholder<number, { orgUuid: string }>('readHeadcount');
`,
  'machines/workspace/headcount/machine.ts': `
import { assign, setup } from 'xstate';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { given, givenOutput } from '../../shared/given.ts';
import { readHeadcount } from './actors.ts';

export const headcountMachine = setup({
  types: {} as {
    context: { orgUuid: string; people: number | null; failure: Failure | null };
    input: { orgUuid: string };
    events: { type: 'retry.requested' };
    tags: 'loading' | 'failed';
    children: { readHeadcount: 'readHeadcount' };
  },
  actors: { readHeadcount },
  actions: {
    keepPeople: assign({ people: (_, people: number) => people }),
    keepFailure: assign(failureOf),
  },
}).createMachine({
  id: 'headcount',
  context: ({ input }) => ({ orgUuid: input.orgUuid, people: null, failure: null }),
  initial: 'loading',
  states: {
    loading: {
      tags: 'loading',
      invoke: {
        id: 'readHeadcount',
        src: 'readHeadcount',
        input: ({ context }) => ({ orgUuid: context.orgUuid }),
        onDone: { target: 'ready', actions: givenOutput('keepPeople') },
        onError: { target: 'failed', actions: given('keepFailure') },
      },
    },
    failed: { tags: 'failed', on: { 'retry.requested': 'loading' } },
    ready: {},
  },
});
`,
  'src/views/organization/HeadcountPage.tsx': `
import { Button, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Page } from '../ui/Page.tsx';
import { useWorkspace } from '../ui/state.ts';

/** How many people an organization has. */
export function HeadcountPage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.headcount);
  const people = useSelector(actor, (snapshot) => snapshot?.context.people ?? null);
  const hasFailed = useSelector(actor, (snapshot) => snapshot?.hasTag('failed') ?? false);
  return (
    <Page heading="Headcount">
      {hasFailed ? <Button onClick={() => actor?.send({ type: 'retry.requested' })}>Try again</Button> : null}
      {people === null ? null : <Text>{people}</Text>}
    </Page>
  );
}
`,
};

export const CONSOLE_EDITS: readonly Edit[] = [
  {
    step: 'its name, its place and what a role needs',
    file: 'machines/shared/screens.ts',
    before: 'project: {',
    text: `headcount: { of: 'organization', needs: 'members.read' },`,
  },
  {
    step: 'the import of its chart',
    file: 'machines/workspace/screens.ts',
    before: `import { invitationMachine }`,
    text: `import { headcountMachine } from './headcount/machine.ts';`,
  },
  {
    step: 'its chart',
    file: 'machines/workspace/screens.ts',
    before: 'apiKeys: row({',
    text: `headcount: row({ chart: headcountMachine, input: placeOf }),`,
  },
  {
    step: 'the import of its chart, beside what it calls',
    file: 'src/effects/provide/organization.ts',
    before: 'import { invitationForm }',
    text: `import { headcountMachine } from '#machines/workspace/headcount/machine.ts';`,
  },
  {
    step: 'what that chart calls',
    file: 'src/effects/provide/organization.ts',
    before: 'organizationSettings: organizationSettingsOf(api),',
    text: `headcount: headcountMachine.provide({
    actors: {
      readHeadcount: fromPromise<number, OfOrganization>(
        async ({ input, signal }) => (await api.headcount(input.orgUuid, signal)).people,
      ),
    },
  }),`,
  },
  {
    step: 'its row',
    file: 'src/screens/rows.ts',
    before: 'project: {',
    text: `headcount: { paths: ['/headcount/'], title: 'Headcount', links: [{ label: 'Headcount', icon: 'people' }] },`,
  },
  {
    step: 'its view',
    file: 'src/routes/views.ts',
    before: 'project: async',
    text: `headcount: async () => (await import('../views/organization/HeadcountPage.tsx')).HeadcountPage,`,
  },
];

export const SERVER_FILES: Readonly<Record<string, string>> = {
  'contract/headcount.ts': `
import * as v from 'valibot';

/** GET /api/v2/organizations/{orgUuid}/headcount/. */
export const Headcount = v.object({ people: v.pipe(v.number(), v.integer()) });
export type Headcount = v.InferOutput<typeof Headcount>;
`,
  'server/tenancy/headcount/routes.ts': `
import { Hono } from 'hono';
import type { Headcount } from '#contract/headcount.ts';
import type { AppEnv } from '../../http/env.ts';
import type { Services } from '../../platform/context.ts';
import { inOrganization, requireMember } from '../access/guard.ts';

/** How many people an organization has. */
export function headcountRoutes(services: Services): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/api/v2/organizations/:organization/headcount', requireMember(services), async (c) => {
    const { organizationId } = inOrganization(c, 'members.read');
    const { people } = await services.db
      .selectFrom('memberships')
      .where('organization_id', '=', organizationId)
      .select(({ fn }) => fn.countAll<number>().as('people'))
      .executeTakeFirstOrThrow();
    return c.json({ people: Number(people) } satisfies Headcount);
  });
}
`,
};

export const SERVER_EDITS: readonly Edit[] = [
  {
    step: 'the import of its schema, beside the reference of the API',
    file: 'contract/api/organizations.ts',
    before: 'import { OrganizationCreate,',
    text: `import { Headcount } from '../headcount.ts';`,
  },
  {
    step: 'its call in the reference of the API',
    file: 'contract/api/organizations.ts',
    before: '];',
    text: `{
  method: 'get',
  path: \`\${ORGANIZATION}headcount/\`,
  id: 'readHeadcount',
  tag: 'Organizations',
  summary: 'How many people it has',
  access: 'bearer',
  action: 'members.read',
  answers: { 200: Headcount },
  errors: managed,
  names: { Headcount },
},`,
  },
  {
    step: 'the import of its routes',
    file: 'server/app/app.ts',
    before: `import { invitationRoutes }`,
    text: `import { headcountRoutes } from '../tenancy/headcount/routes.ts';`,
  },
  {
    step: 'its routes',
    file: 'server/app/app.ts',
    before: `app.route('/', memberRoutes(services));`,
    text: `app.route('/', headcountRoutes(services));`,
  },
  {
    step: 'the import of its schema, beside the calls of the console',
    file: 'src/effects/http/mainApi.ts',
    before: 'import { PAGE_SIZE }',
    text: `import { Headcount } from '#contract/headcount.ts';`,
  },
  {
    step: 'its call',
    file: 'src/effects/http/mainApi.ts',
    before: 'members: (orgUuid: string, signal?: Signal) =>',
    text: `headcount: (orgUuid: string, signal?: Signal) =>
  call('get', \`\${organization(orgUuid)}headcount/\`, { schema: Headcount, signal }),`,
  },
];
