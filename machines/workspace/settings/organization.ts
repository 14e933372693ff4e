import { OrganizationUpdate } from '#contract/organizations.ts';
import { createSettings } from './place/machine.ts';

/** Settings of an organization: name, contact e-mail, and deletion (ORG-06, PAY-18). */
export const organizationSettings = createSettings({
  what: 'organization',
  schema: OrganizationUpdate,
  initial: { name: '', contact_email: '' },
  deletion: 'organization.delete',
  afterDeletion: () => ({ screen: 'welcome' }),
  hasBalance: true,
});
