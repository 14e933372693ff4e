import { useSelector } from '@xstate/react';
import type { SettingsActor } from '#machines/workspace/settings/place/machine.ts';
import { PROJECT_FAILED } from '#machines/workspace/texts.ts';
import { Page } from '../ui/Page.tsx';
import { PlaceSettings, type PlaceSettingsLook } from '../ui/PlaceSettings.tsx';
import { useWorkspace } from '../ui/state.ts';
import { ProjectPeople } from './ProjectPeople.tsx';

const LOOK: PlaceSettingsLook = {
  idLabel: 'Project UUID',
  fields: [
    { field: 'name', id: 'settings-name', label: 'Name', autoComplete: 'off', required: true },
    {
      field: 'description',
      id: 'settings-description',
      label: 'Description (optional)',
      autoComplete: 'off',
      rows: 3,
    },
  ],
  deletion: {
    what: 'project',
    contents: 'Its recordings, transcriptions and API keys',
    warning: 'Programs that use its keys stop working.',
  },
  failed: (failure) => ({ failure: { kind: 'OTHER', ...failure, message: PROJECT_FAILED } }),
};

/** A project's name, description and members, and its deletion (PRJ-02). */
export function ProjectSettingsPage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.projectSettings);
  return <Page heading="Project settings">{actor ? <Settings actor={actor} /> : null}</Page>;
}

function Settings({ actor }: { actor: SettingsActor }) {
  const people = useSelector(actor, (snapshot) => snapshot.children.projectPeople);
  return (
    <PlaceSettings actor={actor} {...LOOK}>
      {people ? <ProjectPeople actor={people} /> : null}
    </PlaceSettings>
  );
}
