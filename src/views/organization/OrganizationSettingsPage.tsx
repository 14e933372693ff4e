import { useSelector } from '@xstate/react';
import { Page } from '../ui/Page.tsx';
import { PlaceSettings, type PlaceSettingsLook } from '../ui/PlaceSettings.tsx';
import { useWorkspace } from '../ui/state.ts';
import { DeletionBalance } from './DeletionBalance.tsx';

const LOOK: PlaceSettingsLook = {
  idLabel: 'Organization UUID',
  fields: [
    { field: 'name', id: 'settings-name', label: 'Name', autoComplete: 'organization', required: true },
    {
      field: 'contact_email',
      id: 'settings-email',
      label: 'Contact e-mail',
      type: 'email',
      autoComplete: 'email',
      required: true,
    },
  ],
  deletion: {
    what: 'organization',
    contents: 'All of its projects, recordings, transcriptions and API keys',
    warning: 'Programs that use its keys stop working.',
    Around: DeletionBalance,
  },
  failed: (failure) => ({ failure, title: 'The settings could not be loaded.' }),
};

/** An organization's name and contact e-mail, and its deletion (ORG-06). */
export function OrganizationSettingsPage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.organizationSettings);
  return <Page heading="Organization settings">{actor ? <PlaceSettings actor={actor} {...LOOK} /> : null}</Page>;
}
