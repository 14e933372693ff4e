import { Button, chakra, SimpleGrid, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReportsActor } from '#machines/workspace/billing/reports/machine.ts';
import { CheckBox } from '../ui/CheckBox.tsx';
import { Disclosure } from '../ui/Disclosure.tsx';
import { Panel } from '../ui/Panel.tsx';
import { projectNames } from './projectNames.ts';

/** Chooses the report's projects; the address keeps the choice. There is only one service so far. */
export function ReportFilters({ actor }: { actor: ReportsActor }) {
  const projects = useSelector(actor, ({ context }) => context.report?.projects);
  const asked = useSelector(actor, ({ context }) => context.asked);
  const canClear = useSelector(actor, (snapshot) => snapshot.can({ type: 'projects.cleared' }));
  const names = projectNames(projects ?? []);
  const chosen = asked.filter((uuid) => names.has(uuid)).length;
  return (
    <Panel as="section" aria-label="Filters" p={{ base: '4', md: '5' }}>
      <Disclosure
        summary={
          <>
            <chakra.span fontWeight="medium">Projects:</chakra.span>{' '}
            <span>{chosen === 0 ? 'All' : `${chosen} of ${names.size}`}</span>
            <chakra.span color="fg.muted"> · Service: Transcription</chakra.span>
          </>
        }
        summaryProps={{ borderRadius: 'l1' }}
      >
        <chakra.fieldset mt="4" minW="0">
          <chakra.legend fontSize="sm" color="fg.muted" mb="3">
            Choose projects to see only those.
          </chakra.legend>
          {projects?.length === 0 ? <Text fontSize="sm">This organization has no projects yet.</Text> : null}
          <SimpleGrid columns={{ base: 1, sm: 2, lg: 3 }} gap="2.5" maxH="260px" overflowY="auto" p="1">
            {(projects ?? []).map(({ uuid }) => (
              <CheckBox
                key={uuid}
                id={`report-project-${uuid}`}
                checked={asked.includes(uuid)}
                onToggle={() => actor.send({ type: 'project.toggled', project: uuid })}
              >
                <bdi>{names.get(uuid)}</bdi>
              </CheckBox>
            ))}
          </SimpleGrid>
          {canClear ? (
            <Button mt="3" size="sm" variant="outline" onClick={() => actor.send({ type: 'projects.cleared' })}>
              Show all projects
            </Button>
          ) : null}
        </chakra.fieldset>
      </Disclosure>
    </Panel>
  );
}
