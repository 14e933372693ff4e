import { Badge, Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ProjectMember } from '#contract/members.ts';
import type { ProjectPeopleActor } from '#machines/workspace/settings/projectPeople/machine.ts';
import { listElement } from '../../behaviours/rowFocus.ts';
import { MemberKeys } from '../ui/people/MemberKeys.tsx';
import { PersonRow, Rows } from '../ui/people/PersonRow.tsx';
import { ROLE_NAMES } from '#machines/shared/roleNames.ts';
import { SelectField } from '../ui/SelectField.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { Waiting } from '../ui/Waiting.tsx';

const LIST = 'Members of the project';
const nameOf = ({ name, email }: { name: string; email: string }): string => (name ? `${name} (${email})` : email);

/** The people with access to the project: by a role that sees all projects, or added to this one (PRJ-02). */
export function ProjectPeople({ actor }: { actor: ProjectPeopleActor }) {
  return (
    <Box as="section" aria-labelledby="people">
      <Heading as="h2" id="people" fontSize="lg" fontWeight="semibold">
        Members
      </Heading>
      <Text mt="1" mb="4" fontSize="sm" color="fg.muted">
        Owners, admins and billing see every project of the organization. Members see only their projects.
      </Text>
      <People actor={actor} />
      <RemovalDialog actor={actor} />
    </Box>
  );
}

function People({ actor }: { actor: ProjectPeopleActor }) {
  const people = useSelector(actor, ({ context }) => context.people);
  const failure = useSelector(actor, ({ context }) => context.failure);
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  if (hasFailed)
    return (
      <FailureAlert failure={failure} title="Members could not be loaded.">
        <RetryButton actor={actor} />
      </FailureAlert>
    );
  if (people.length === 0) return <Waiting height="120px" label="Loading the members" />;
  return (
    <>
      <Rows label={LIST}>
        {people.map((person) => (
          <Person key={person.uuid} actor={actor} person={person} />
        ))}
      </Rows>
      <Addition actor={actor} />
    </>
  );
}

function Person({ actor, person }: { actor: ProjectPeopleActor; person: ProjectMember }) {
  return (
    <PersonRow
      id={person.uuid}
      name={<bdi>{person.name || person.email}</bdi>}
      details={
        person.name ? <bdi>{person.email}</bdi> : person.is_added ? 'Added to this project' : 'Reaches every project'
      }
      mark={<Badge>{ROLE_NAMES[person.role]}</Badge>}
    >
      {person.is_added ? (
        <Button
          size="sm"
          variant="ghost"
          colorPalette="red"
          aria-label={`Remove ${person.email}`}
          onClick={() => actor.send({ type: 'person.remove.requested', person })}
        >
          Remove
        </Button>
      ) : null}
    </PersonRow>
  );
}

function Addition({ actor }: { actor: ProjectPeopleActor }) {
  const others = useSelector(actor, ({ context }) => context.others);
  const chosen = useSelector(actor, ({ context }) => context.chosen);
  const canAdd = useSelector(actor, (snapshot) => snapshot.can({ type: 'person.add.requested' }));
  if (others.length === 0)
    return (
      <Text mt="3" fontSize="sm" color="fg.muted">
        Everyone in the organization has access.
      </Text>
    );
  return (
    <Flex mt="4" gap="3" wrap="wrap" align="flex-end">
      <Box flex="1 1 220px" minW="0">
        <SelectField
          id="project-person"
          label="Add a member of the organization"
          none="Choose a member"
          value={chosen}
          choices={others.map((other) => ({ code: other.uuid, name: nameOf(other) }))}
          onChange={(userUuid) => actor.send({ type: 'person.chosen', userUuid })}
        />
      </Box>
      {/* Not `disabled`: the button keeps the focus while somebody is added. */}
      <Button variant="outline" aria-disabled={!canAdd} onClick={() => actor.send({ type: 'person.add.requested' })}>
        Add
      </Button>
    </Flex>
  );
}

function RemovalDialog({ actor }: { actor: ProjectPeopleActor }) {
  const isOpen = useSelector(actor, (snapshot) => snapshot.hasTag('confirming'));
  const person = useSelector(actor, ({ context }) => context.removing);
  const removal = useSelector(actor, (snapshot) => snapshot.children.memberRemoval);
  const canConfirm = useSelector(removal, (snapshot) => snapshot?.can({ type: 'removal.confirmed' }) ?? true);
  return (
    <ConfirmDialog
      open={isOpen}
      title="Remove from this project?"
      confirmLabel="Remove"
      canConfirm={canConfirm}
      onConfirm={() => removal?.send({ type: 'removal.confirmed' })}
      onCancel={() => removal?.send({ type: 'removal.dismissed' })}
      finalFocus={() => (actor.getSnapshot().hasTag('removing') ? listElement(LIST) : null)}
    >
      <Text fontWeight="medium" color="fg">
        <bdi>{person?.email}</bdi>
      </Text>
      <Text fontSize="sm" mt="1">
        They lose access to this project at once, and stay in the organization.
      </Text>
      {removal ? <MemberKeys actor={removal} /> : null}
    </ConfirmDialog>
  );
}
