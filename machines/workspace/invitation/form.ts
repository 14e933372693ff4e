import * as v from 'valibot';
import { Email } from '#contract/emails.ts';
import type { InvitationCreate } from '#contract/members.ts';
import { Role } from '#contract/roles.ts';
import type { Failure } from '../../shared/failure.ts';
import { createForm } from '../../shared/form/machine.ts';
import type { FormValues } from '../../shared/form/types.ts';
import { sendInvitation } from './actors.ts';

const Values = v.object({
  email: Email,
  role: Role,
  /** Which projects one who joins as a member is added to: all there are then, or those of `projects`. */
  scope: v.picklist(['all', 'chosen']),
  /** UUIDs, parted by commas. */
  projects: v.string(),
});

/** The projects that a form's text names. */
export const chosenProjects = (projects: string): string[] => projects.split(',').filter((uuid) => uuid !== '');

const Invited = v.pipe(
  Values,
  v.forward(
    v.check(
      ({ role, scope, projects }) => role !== 'member' || scope === 'all' || chosenProjects(projects).length > 0,
      'Choose at least one project.',
    ),
    ['projects'],
  ),
  v.transform(({ email, role, scope, projects }): InvitationCreate => ({
    email,
    role,
    ...(role === 'member' && scope === 'chosen' ? { project_uuids: chosenProjects(projects) } : {}),
  })),
);

/** What values of the form, once they were accepted, ask for. */
export const requestOf = (typed: FormValues): InvitationCreate => v.parse(Invited, typed);

export const isPending = ({ errorType }: Failure): boolean => errorType === 'invitation_pending';

/** Who is invited, as what, and to what. Somebody with an open invitation is a question of its own. */
export const invitationForm = createForm({
  id: 'invitationForm',
  schema: Invited,
  initial: { email: '', role: 'member', scope: 'all', projects: '' },
  submit: sendInvitation,
  endsOn: isPending,
  keeps: ['email', 'role', 'scope', 'projects'],
});
