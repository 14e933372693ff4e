import { Badge, Button } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { Invitation } from '#contract/members.ts';
import type { MembersActor } from '#machines/workspace/members/machine.ts';
import { isRevocable } from '#machines/workspace/members/select.ts';
import { Age } from '../ui/Age.tsx';
import { formatDay } from '../ui/format.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { useZone } from '../ui/state.ts';
import { PersonRow, Rows } from '../ui/people/PersonRow.tsx';
import { ROLE_NAMES } from '#machines/shared/roleNames.ts';

/** Pending invitations, with buttons to copy the link and to revoke it. */
export function InvitationList({ actor }: { actor: MembersActor }) {
  const { invitations, role } = useSelector(actor, ({ context }) => context);
  return (
    <Rows label="Invitations" heading="Invitations" empty="No pending invitations.">
      {invitations.map((invitation) => (
        <InvitationRow
          key={invitation.uuid}
          invitation={invitation}
          isRevocable={isRevocable({ role }, invitation)}
          onRevoke={() =>
            actor.send({
              type: 'removal.requested',
              entry: { kind: 'invitation', uuid: invitation.uuid, name: invitation.email },
            })
          }
        />
      ))}
    </Rows>
  );
}

type RowProps = { invitation: Invitation; isRevocable: boolean; onRevoke: () => void };

function InvitationRow({
  invitation: { uuid, email, role, invited_by, created_at, expires_at, link },
  isRevocable: isOffered,
  onRevoke,
}: RowProps) {
  const zone = useZone();
  return (
    <PersonRow
      id={uuid}
      name={<bdi>{email}</bdi>}
      mark={<Badge>{ROLE_NAMES[role]}</Badge>}
      details={
        <span>
          Invited <Age at={created_at} />
          {invited_by ? (
            <span>
              {' '}
              by <bdi>{invited_by}</bdi>
            </span>
          ) : null}
          <span>{`, expires ${formatDay(expires_at, zone)}`}</span>
        </span>
      }
    >
      <CopyButton text={link} label={`Invitation link of ${email}`}>
        Copy invitation link
      </CopyButton>
      {isOffered ? (
        <Button
          size="sm"
          variant="ghost"
          colorPalette="red"
          aria-label={`Revoke invitation of ${email}`}
          onClick={onRevoke}
        >
          Revoke
        </Button>
      ) : null}
    </PersonRow>
  );
}
