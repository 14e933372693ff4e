import * as v from 'valibot';
import { ProjectUpdate } from '#contract/organizations.ts';
import { createForm } from '../../../shared/form/machine.ts';
import { deleteProject, saveProject } from './actors.ts';

/** Name and description, by the rules of making one. */
export const projectDetailsForm = createForm({
  id: 'projectDetailsForm',
  schema: v.object({ ...ProjectUpdate.entries, projectUuid: v.string() }),
  initial: { name: '', description: '', projectUuid: '' },
  submit: saveProject,
  keeps: ['name', 'description', 'projectUuid'],
});

const Deletion = v.pipe(
  v.object({ projectUuid: v.string(), name: v.string(), typed: v.pipe(v.string(), v.trim()) }),
  v.forward(
    v.check(({ name, typed }) => typed === name.trim(), 'Type the name of the project exactly as it is.'),
    ['typed'],
  ),
);

/** Asks for the project's name, typed, before it goes. */
export const projectDeletionForm = createForm({
  id: 'projectDeletionForm',
  schema: Deletion,
  initial: { projectUuid: '', name: '', typed: '' },
  submit: deleteProject,
  dismissible: true,
  losesWith: null,
});
