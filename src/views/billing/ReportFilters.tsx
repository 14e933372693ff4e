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
  const projects = useSelector(actor, ({ context }) => context.report?.projects);
  const asked = useSelector(actor, ({ context }) => context.asked);
  // The names in the address count until the report tells which projects there are.
  const chosen = projects ? projects.filter(({ uuid }) => asked.includes(uuid)).length : asked.length;
  return (
    <PeriodPicker actor={actor} count={chosen === 0 ? 0 : 1}>
      {(place) =>
        place === 'row' ? (
          <FilterPopover
            label="Projects of the report"
            shown={chosen === 0 ? 'All projects' : ofProjects(chosen, projects?.length)}
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

/** '2 of 5 projects'; '2 projects' if it is unknown how many there are. */
function ofProjects(chosen: number, all: number | undefined): string {
  if (all !== undefined) return `${chosen} of ${all} projects`;
  return chosen === 1 ? '1 project' : `${chosen} projects`;
}

/** What is said in place of the projects, if there are none to choose. */
function absenceOf(projects: readonly unknown[] | undefined, isLoading: boolean): string | null {
  if (projects === undefined) return isLoading ? 'Loading the projects…' : 'The projects could not be loaded.';
  return projects.length === 0 ? 'This organization has no projects yet.' : null;
}

/** The projects of the organization, which the report tells. */
export function Projects({ actor, place }: { actor: ReportsActor; place: FilterPlace }) {
  const projects = useSelector(actor, ({ context }) => context.report?.projects);
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const asked = useSelector(actor, ({ context }) => context.asked);
  const canClear = useSelector(actor, (snapshot) => snapshot.can({ type: 'projects.cleared' }));
  const absence = absenceOf(projects, isLoading);
  const names = projectNames(projects ?? []);
  return (
    <chakra.fieldset minW="0">
      <chakra.legend fontSize="sm" color="fg.muted" mb="3">
        Choose projects to see only those.
      </chakra.legend>
      {absence ? <Text fontSize="sm">{absence}</Text> : null}
      <SimpleGrid columns={{ base: 1, sm: 2 }} gap="2.5" maxH="260px" overflowY="auto" p="1">
        {projects?.map(({ uuid }) => (
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
