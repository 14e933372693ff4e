import { Button, Dialog, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { Member } from '#contract/members.ts';
import { Role } from '#contract/roles.ts';
import * as v from 'valibot';
import type { Entry, MembersActor } from '#machines/workspace/members/machine.ts';
import { rolesFor } from '#machines/workspace/members/select.ts';
import { rowButton } from '../../behaviours/rowFocus.ts';
import { SelectField } from '../ui/SelectField.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { Form, type FormActor, useSubmitting } from '../ui/Form.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { MemberKeys } from '../ui/people/MemberKeys.tsx';
import { ROLE_NAMES } from '#machines/shared/roleNames.ts';
import { ROLE_TEXTS } from './roles.ts';

/** Changes a member's role. */
export function RoleDialog({ actor }: { actor: MembersActor }) {
  const form = useSelector(actor, (snapshot) => snapshot.children.roleForm);
  const member = useSelector(actor, ({ context }) => context.changing);
  return (
    <ModalDialog
      title="Change role"
      open={form !== undefined}
      onClose={() => form?.send({ type: 'dismiss.requested' })}
    >
      {form && member && <RoleForm actor={actor} form={form} member={member} />}
    </ModalDialog>
  );
}

type RoleValues = { role: string };

type RoleFormProps = { actor: MembersActor; form: FormActor<RoleValues>; member: Member };

function RoleForm({ actor, form, member }: RoleFormProps) {
  const known = useSelector(actor, ({ context }) => context);
  const role = useSelector(form, ({ context }) => context.values.role);
  const isSubmitting = useSubmitting(form);
  return (
    <Form actor={form}>
      <Text color="fg.muted" fontSize="sm" overflowWrap="anywhere">
        <bdi>{member.email}</bdi>
        {member.uuid === known.userUuid ? (
          <span>: this is you. With another role, you may not be able to change it back.</span>
        ) : null}
      </Text>
      <SelectField
        id="member-role"
        label="Role"
        value={role}
        choices={rolesFor(known, member).map((offered) => ({ code: offered, name: ROLE_NAMES[offered] }))}
        hint={v.is(Role, role) ? ROLE_TEXTS[role] : null}
        onChange={(chosen) => form.send({ type: 'field.changed', field: 'role', value: chosen ?? '' })}
      />
      <Dialog.Footer p="0" pt="1">
        <Button variant="outline" onClick={() => form.send({ type: 'dismiss.requested' })}>
          Cancel
        </Button>
        <SubmitButton busy={isSubmitting} busyLabel="Saving…">
          Save
        </SubmitButton>
      </Dialog.Footer>
    </Form>
  );
}

const QUESTIONS = {
  member: {
    title: 'Remove this member?',
    confirm: 'Remove',
    text: 'They lose access to the organization and all of its projects at once. What they made stays.',
  },
  invitation: { title: 'Revoke this invitation?', confirm: 'Revoke', text: 'Its link no longer works.' },
  self: {
    title: 'Leave this organization?',
    confirm: 'Leave',
    text: 'You lose access to all of its projects at once. Someone has to invite you again.',
  },
};

/** Asks before a member is removed, an invitation is revoked, or the person leaves. */
export function RemovalDialog({ actor }: { actor: MembersActor }) {
  const isOpen = useSelector(actor, (snapshot) => snapshot.hasTag('confirming'));
  const { asked, userUuid } = useSelector(actor, ({ context }) => context);
  const removal = useSelector(actor, (snapshot) => snapshot.children.memberRemoval);
  const canConfirm = useSelector(removal, (snapshot) => snapshot?.can({ type: 'removal.confirmed' }) ?? true);
  // The removal of another member has its own chart.
  const asking = removal ?? actor;
  const { title, confirm, text } = QUESTIONS[asked?.uuid === userUuid ? 'self' : (asked?.kind ?? 'member')];
  return (
    <ConfirmDialog
      open={isOpen}
      title={title}
      confirmLabel={confirm}
      canConfirm={canConfirm}
      onConfirm={() => asking.send({ type: 'removal.confirmed' })}
      onCancel={() => asking.send({ type: 'removal.dismissed' })}
      finalFocus={() => nextRowButton(actor)}
    >
      {asked ? (
        <Text fontWeight="medium" color="fg">
          <bdi>{asked.name}</bdi>
        </Text>
      ) : null}
      <Text fontSize="sm" mt="1">
        {text}
      </Text>
      {removal ? <MemberKeys actor={removal} /> : null}
    </ConfirmDialog>
  );
}

const LIST_NAMES: Record<Entry['kind'], string> = { member: 'Members', invitation: 'Invitations' };

/** The button of the row after the removed one. Null if the row is still there: its own button then gets the focus. */
function nextRowButton(actor: MembersActor): HTMLElement | null {
  const { asked, members, invitations } = actor.getSnapshot().context;
  if (!asked) return null;
  const rows: readonly { uuid: string }[] = asked.kind === 'member' ? members : invitations;
  if (rows.some(({ uuid }) => uuid === asked.uuid)) return null;
  return rowButton(LIST_NAMES[asked.kind], (rows[asked.index] ?? rows[asked.index - 1])?.uuid ?? null);
}
