import { Building2, ChevronRight, Folder, type LucideIcon } from 'lucide-react';
import type { Route } from '#machines/shared/route.ts';
import { crumbOf } from '../../screens/titles.ts';
import { PlainLink } from '../ui/PlainLink.tsx';
import { useEmail, useMembership, useProject, useRoute } from '../ui/state.ts';

/** Whether the screen is the home of an organization or a project, which has no crumb of its own. */
const isHome = ({ screen }: Route) => screen === 'organization' || screen === 'project';

/**
 * The organization and the project, or the e-mail on the user's own pages; then the page itself (SHL-03, UXP-42). On
 * phones, organization and project are icons, so that the page's name has room (UXP-69).
 */
export function Breadcrumb() {
  const route = useRoute();
  const email = useEmail();
  const organization = useMembership()?.organization;
  const project = useProject();
  const isOwn = route.screen === 'user' || !organization;
  const within = !isOwn && 'projectUuid' in route && project ? project : null;
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      <ol>
        {isOwn ? (
          <Crumb>{email}</Crumb>
        ) : (
          <Crumb
            to={{ screen: 'organization', orgUuid: organization.uuid }}
            icon={route.screen === 'organization' ? undefined : Building2}
          >
            {organization.name}
          </Crumb>
        )}
        {within && 'orgUuid' in route ? (
          <Crumb
            to={{ screen: 'project', orgUuid: route.orgUuid, projectUuid: within.uuid }}
            icon={isHome(route) ? undefined : Folder}
            follows
          >
            {within.name}
          </Crumb>
        ) : null}
        {isHome(route) ? null : (
          <Crumb isCurrent follows>
            {crumbOf(route)}
          </Crumb>
        )}
      </ol>
    </nav>
  );
}

type CrumbProps = {
  to?: Route;
  /** Replaces the name on phones. */
  icon?: LucideIcon | undefined;
  isCurrent?: boolean;
  follows?: boolean;
  children: string;
};

/** One step. Names of organization and project are truncated before the page's name. */
function Crumb({ to, icon: Icon, isCurrent = false, follows = false, children }: CrumbProps) {
  return (
    <li data-current={isCurrent || undefined}>
      {follows ? <ChevronRight size={14} aria-hidden /> : null}
      {to ? (
        <PlainLink to={to} title={children} aria-label={children}>
          {Icon ? (
            <span aria-hidden>
              <Icon size={16} />
            </span>
          ) : null}
          <bdi>{children}</bdi>
        </PlainLink>
      ) : (
        <span title={children} aria-current={isCurrent ? 'page' : undefined}>
          <bdi>{children}</bdi>
        </span>
      )}
    </li>
  );
}
