import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import * as v from 'valibot';
import { Role } from '#contract/roles.ts';
import { chosenProjects } from '#machines/workspace/invitation/form.ts';
import type { InvitationActor } from '#machines/workspace/invitation/machine.ts';
import { FORM_WIDTH } from '../../theme/measures.ts';
import { CheckBox } from '../ui/CheckBox.tsx';
import { SelectField } from '../ui/SelectField.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useMembership, useSettings, useWorkspace } from '../ui/state.ts';
import { TextField } from '../ui/TextField.tsx';
import { EMAIL_FIELD, PendingInvitation } from './PendingInvitation.tsx';
import { ROLE_NAMES } from '#machines/shared/roleNames.ts';
import { ROLE_TEXTS } from './roles.ts';

/** Invites a person by e-mail, with a role and, for a member, projects (ORG-05). */
export function InvitePage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.invitation);
  const form = useSelector(actor, (snapshot) => snapshot?.children.form);
  const organization = useMembership()?.organization;
  const { mails } = useSettings();
  return (
    <Page
      heading="Invite a member"
      intro={
        organization ? (
          mails === 'sent' ? (
            <span>
              They'll get an email with a link to join <bdi>{organization.name}</bdi>.
            </span>
          ) : (
            <span>
              This server can't e-mail an invitation to <bdi>{organization.name}</bdi>. Create it, then copy its link
              under Members and give it to the person.
            </span>
          )
        ) : null
      }
    >
      {actor && form ? (
        <Panel maxW={FORM_WIDTH}>
          <InvitationForm actor={actor} form={form} />
        </Panel>
      ) : null}
      {actor && !form ? <Submitted actor={actor} /> : null}
      {actor ? <PendingInvitation actor={actor} /> : null}
    </Page>
  );
}

const ignore = () => {};

/** The submitted invitation, read-only, while the dialog asks about it and until it is sent. */
export function Submitted({ actor }: { actor: InvitationActor }) {
  const wanted = useSelector(actor, ({ context }) => context.wanted);
  if (!wanted) return null;
  const { email, role } = wanted;
  return (
    <Panel maxW={FORM_WIDTH} display="flex" flexDirection="column" gap="5">
      <TextField id="invitation-wanted-email" label="E-mail" type="email" value={email} onChange={ignore} readOnly />
      <SelectField
        id="invitation-wanted-role"
        label="Role"
        value={role}
        choices={[{ code: role, name: ROLE_NAMES[role] }]}
        hint={ROLE_TEXTS[role]}
        isDisabled
        onChange={ignore}
      />
    </Panel>
  );
}

type InvitationValues = { email: string; role: string; scope: string; projects: string };

function InvitationForm({ actor, form }: { actor: InvitationActor; form: FormActor<InvitationValues> }) {
  const {
    roles,
    about: { orgUuid },
  } = useSelector(actor, ({ context }) => context);
  const { role, scope } = useSelector(form, ({ context }) => context.values);
  const isSubmitting = useSubmitting(form);
  const isSent = useSettings().mails === 'sent';
  const change = (field: keyof InvitationValues) => (value: string | null) =>
    form.send({ type: 'field.changed', field, value: value ?? '' });
  return (
    <Form actor={form}>
      <FormField
        actor={form}
        field="email"
        id={EMAIL_FIELD}
        label="E-mail"
        type="email"
        autoComplete="off"
        required
        takesFocus
      />
      <SelectField
        id="invitation-role"
        label="Role"
        value={role}
        choices={roles.map((offered) => ({ code: offered, name: ROLE_NAMES[offered] }))}
        hint={v.is(Role, role) ? ROLE_TEXTS[role] : null}
        onChange={change('role')}
      />
      {role === 'member' ? (
        <>
          <SelectField
            id="invitation-scope"
            label="Projects"
            value={scope}
            choices={[
              { code: 'all', name: 'All current projects' },
              { code: 'chosen', name: 'Only some' },
            ]}
            onChange={change('scope')}
          />
          {scope === 'chosen' ? <ProjectChoice form={form} /> : null}
        </>
      ) : null}
      <Flex wrap="wrap" gap="3">
        {isSent ? (
          <SubmitButton busy={isSubmitting} busyLabel="Sending…">
            Send invitation
          </SubmitButton>
        ) : (
          <SubmitButton busy={isSubmitting} busyLabel="Creating…">
            Create invitation
          </SubmitButton>
        )}
        <Button asChild variant="outline">
          <ScreenLink to={{ screen: 'members', orgUuid }} borderRadius="l2">
            Cancel
          </ScreenLink>
        </Button>
      </Flex>
    </Form>
  );
}

function ProjectChoice({ form }: { form: FormActor<InvitationValues> }) {
  const projects = useMembership()?.projects ?? [];
  const chosen = chosenProjects(useSelector(form, ({ context }) => context.values.projects));
  const error = useSelector(form, ({ context }) => context.errors.projects);
  const toggle = (uuid: string) =>
    chosen.includes(uuid) ? chosen.filter((other) => other !== uuid) : [...chosen, uuid];
  return (
    <Box role="group" aria-label="Projects to add them to" aria-describedby="invitation-projects-error">
      {projects.map(({ uuid, name }) => (
        <Flex key={uuid} py="1.5">
          <CheckBox
            id={`invitation-project-${uuid}`}
            checked={chosen.includes(uuid)}
            isInvalid={error !== undefined}
            onToggle={() => form.send({ type: 'field.changed', field: 'projects', value: toggle(uuid).join(',') })}
          >
            <bdi>{name}</bdi>
          </CheckBox>
        </Flex>
      ))}
      {projects.length === 0 ? (
        <Text fontSize="sm" color="fg.muted">
          There are no projects yet.
        </Text>
      ) : null}
      <Box id="invitation-projects-error" aria-live="polite" fontSize="sm" color="fg.error">
        {error}
      </Box>
    </Box>
  );
}
