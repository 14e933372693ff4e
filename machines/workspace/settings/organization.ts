import { OrganizationUpdate } from '#contract/organizations.ts';
import { createSettings } from './place/machine.ts';

/** Name and contact e-mail of an organization, by the rules of making one, and its end (ORG-06, PAY-18). */
export const organizationSettings = createSettings({
  what: 'organization',
  schema: OrganizationUpdate,
  initial: { name: '', contact_email: '' },
  deletion: 'organization.delete',
  afterDeletion: () => ({ screen: 'home' }),
  hasBalance: true,
});
