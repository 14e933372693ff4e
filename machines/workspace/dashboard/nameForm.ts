import * as v from 'valibot';
import { OrganizationUpdate, type OrganizationDetails } from '#contract/organizations.ts';
import { createForm } from '../../shared/form/machine.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

type Renamed = Submitted<{ name: string }, { orgUuid: string }>;

/** PUT /organizations/{orgUuid}/ with the new name and the present contact. */
const renameOrganization = promisePlaceholder<OrganizationDetails, Renamed>('renameOrganization');

/** Renames an organization in its heading (ONB-08). */
export const nameForm = createForm({
  id: 'nameForm',
  schema: v.pick(OrganizationUpdate, ['name']),
  initial: { name: '' },
  submit: renameOrganization,
  dismissible: true,
  discardedWith: null,
});
