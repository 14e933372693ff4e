// Typed access from the root to the actors below. Actors that come and go are undefined while they are gone: views
// read them with `useSelector(root, workspaceOf)`, to render again when they change.
import type { Route } from '../shared/route.ts';
import type { SignInActor } from '../visitor/signIn/machine.ts';
import type { SingleSignOnActor } from '../visitor/singleSignOn/machine.ts';
import type { VisitorActor } from '../visitor/machine.ts';
import { homeOf as homeIn, membershipOf, projectOf } from '../workspace/select.ts';
import type { WorkspaceActor, WorkspaceSnapshot } from '../workspace/machine.ts';
import type { RootActor, RootSnapshot } from './machine.ts';

type Lasting = 'session' | 'toasts' | 'preferences' | 'clipboard' | 'switcher' | 'parts';

/** An actor that lives as long as the root. */
const lasting =
  <Name extends Lasting>(name: Name) =>
  (root: RootActor): NonNullable<RootSnapshot['children'][Name]> => {
    const actor = root.getSnapshot().children[name];
    if (actor === undefined) throw new Error(`The page has no '${name}'.`);
    return actor;
  };

export const sessionOf = lasting('session');
export const toastsOf = lasting('toasts');
export const preferencesOf = lasting('preferences');
export const clipboardOf = lasting('clipboard');
export const switcherOf = lasting('switcher');
export const partsOf = lasting('parts');

export const workspaceOf = (root: RootSnapshot): WorkspaceActor | undefined => root.children.workspace;
export const signInOf = (root: RootSnapshot): SignInActor | undefined => root.children.signIn;
/** Single sign-on beside the sign-in form. */
export const singleSignOnOf = (root: RootSnapshot): SingleSignOnActor | undefined => root.children.singleSignOn;
/** The public screens besides sign-in. */
export const visitorOf = (root: RootSnapshot): VisitorActor | undefined => root.children.visitor;

/** The selected organization, with its projects. */
export const currentMembership = ({ context }: WorkspaceSnapshot) =>
  membershipOf(context.memberships, context.selection.orgUuid);
/** The selected project. */
export const currentProject = ({ context }: WorkspaceSnapshot) => projectOf(context.memberships, context.selection);

/** Where `/` leads (NAV-01); null while loading and without an organization. */
export const homeOf = (workspace: WorkspaceSnapshot): Route | null => homeIn(workspace.context.memberships);
