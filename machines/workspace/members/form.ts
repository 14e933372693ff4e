import * as v from 'valibot';
import { Role } from '#contract/roles.ts';
import { createForm } from '../../shared/form/machine.ts';
import { changeRole } from './actors.ts';

export const roleForm = createForm({
  id: 'roleForm',
  schema: v.object({ role: Role }),
  initial: { role: '' },
  submit: changeRole,
  dismissible: true,
});
