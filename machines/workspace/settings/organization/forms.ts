import * as v from 'valibot';
import { OrganizationUpdate } from '#contract/organizations.ts';
import { createForm } from '../../../shared/form/machine.ts';
import { deleteOrganization, saveOrganization } from './actors.ts';

/** Name and contact e-mail, by the rules of making one. */
export const detailsForm = createForm({
  id: 'detailsForm',
  schema: v.object({ ...OrganizationUpdate.entries, orgUuid: v.string() }),
  initial: { name: '', contact_email: '', orgUuid: '' },
  submit: saveOrganization,
  keeps: ['name', 'contact_email', 'orgUuid'],
});

const Deletion = v.pipe(
  v.object({ orgUuid: v.string(), name: v.string(), typed: v.pipe(v.string(), v.trim()) }),
  v.forward(
    v.check(({ name, typed }) => typed === name.trim(), 'Type the name of the organization exactly as it is.'),
    ['typed'],
  ),
);

/** Asks for the organization's name, typed, before it goes. */
export const deletionForm = createForm({
  id: 'deletionForm',
  schema: Deletion,
  initial: { orgUuid: '', name: '', typed: '' },
  submit: deleteOrganization,
  dismissible: true,
  losesWith: null,
});
