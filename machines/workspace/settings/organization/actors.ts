import type { OrganizationDetails, OrganizationUpdate } from '#contract/organizations.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** GET /organizations/{orgUuid}/. */
export const loadOrganization = promisePlaceholder<OrganizationDetails, { orgUuid: string }>('loadOrganization');

export type OrganizationSaved = OrganizationUpdate & { orgUuid: string };
/** PUT /organizations/{orgUuid}/. */
export const saveOrganization = promisePlaceholder<OrganizationDetails, { values: OrganizationSaved }>(
  'saveOrganization',
);

/** DELETE /organizations/{orgUuid}/. */
export const deleteOrganization = promisePlaceholder<void, { values: { orgUuid: string } }>('deleteOrganization');
