import { Badge, Box, Button, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { Member } from '#contract/members.ts';
import type { MembersActor } from '#machines/workspace/members/machine.ts';
import { canLeave, isRemovable, rolesFor } from '#machines/workspace/members/select.ts';
import { Age } from '../ui/Age.tsx';
import { PersonRow, Rows } from '../ui/people/PersonRow.tsx';
import { ROLE_NAMES } from '#machines/shared/roleNames.ts';

/** The members, each with the buttons that the person may use. */
export function MemberList({ actor }: { actor: MembersActor }) {
  const members = useSelector(actor, ({ context }) => context.members);
  return (
    <Rows label="Members">
      {members.map((member) => (
        <MemberRow key={member.uuid} actor={actor} member={member} />
      ))}
    </Rows>
  );
}

function MemberRow({ actor, member }: { actor: MembersActor; member: Member }) {
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const isSelf = member.uuid === context.userUuid;
  const entry = { kind: 'member' as const, uuid: member.uuid, name: member.email };
  const remove = () => actor.send({ type: 'removal.requested', entry });
  return (
    <PersonRow
      id={member.uuid}
      name={
        <>
          <bdi>{member.name || member.email}</bdi>
          {isSelf ? (
            <Text as="span" color="fg.muted" fontWeight="normal">
              {' '}
              (you)
            </Text>
          ) : null}
        </>
      }
      details={
        <>
          {member.name ? (
            <Box overflowWrap="anywhere">
              <bdi>{member.email}</bdi>
            </Box>
          ) : null}
          <span>Joined</span> <Age at={member.joined_at} />
        </>
      }
      mark={<Badge>{ROLE_NAMES[member.role]}</Badge>}
    >
      {rolesFor(context, member).length > 0 ? (
        <Button
          size="sm"
          variant="outline"
          aria-label={`Change role of ${member.email}`}
          onClick={() => actor.send({ type: 'role.change.requested', member })}
        >
          Change role
        </Button>
      ) : null}
      {isRemovable(context, member) ? (
        <Button size="sm" variant="ghost" colorPalette="red" aria-label={`Remove ${member.email}`} onClick={remove}>
          Remove
        </Button>
      ) : null}
      {isSelf && canLeave(context) ? (
        <Button size="sm" variant="ghost" colorPalette="red" aria-label="Leave the organization" onClick={remove}>
          Leave
        </Button>
      ) : null}
      {isSelf && !canLeave(context) ? (
        <Text fontSize="xs" color="fg.muted" maxW="240px">
          Add another owner before you leave or change your role.
        </Text>
      ) : null}
    </PersonRow>
  );
}
