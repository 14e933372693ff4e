import { Button, chakra, SimpleGrid, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReportsActor } from '#machines/workspace/billing/reports/machine.ts';
import { CheckBox } from '../ui/CheckBox.tsx';
import type { FilterPlace } from '../ui/FilterBar.tsx';
import { FilterPopover } from '../ui/FilterPopover.tsx';
import { PeriodPicker } from '../ui/usage/PeriodPicker.tsx';
import { projectNames } from './projectNames.ts';

/** Chooses the report's period and projects; the address keeps both. There is only one service so far. */
export function ReportFilters({ actor }: { actor: ReportsActor }) {
  const projects = useSelector(actor, ({ context }) => context.report?.projects) ?? [];
  const asked = useSelector(actor, ({ context }) => context.asked);
  const chosen = projects.filter(({ uuid }) => asked.includes(uuid)).length;
  return (
    <PeriodPicker actor={actor} count={chosen === 0 ? 0 : 1}>
      {(place) =>
        place === 'row' ? (
          <FilterPopover
            label="Projects of the report"
            shown={chosen === 0 ? 'All projects' : `${chosen} of ${projects.length} projects`}
          >
            {() => <Projects actor={actor} place={place} />}
          </FilterPopover>
        ) : (
          <Projects actor={actor} place={place} />
        )
      }
    </PeriodPicker>
  );
}

function Projects({ actor, place }: { actor: ReportsActor; place: FilterPlace }) {
  const projects = useSelector(actor, ({ context }) => context.report?.projects) ?? [];
  const asked = useSelector(actor, ({ context }) => context.asked);
  const canClear = useSelector(actor, (snapshot) => snapshot.can({ type: 'projects.cleared' }));
  const names = projectNames(projects);
  return (
    <chakra.fieldset minW="0">
      <chakra.legend fontSize="sm" color="fg.muted" mb="3">
        Choose projects to see only those.
      </chakra.legend>
      {projects.length === 0 ? <Text fontSize="sm">This organization has no projects yet.</Text> : null}
      <SimpleGrid columns={{ base: 1, sm: 2 }} gap="2.5" maxH="260px" overflowY="auto" p="1">
        {projects.map(({ uuid }) => (
          <CheckBox
            key={uuid}
            id={`${place}-project-${uuid}`}
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
  );
}
