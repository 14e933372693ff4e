import { Box, chakra, Flex, Text } from '@chakra-ui/react';
import { Building2, ChevronRight, Folder, type LucideIcon } from 'lucide-react';
import type { Route } from '#machines/shared/route.ts';
import { crumbOf } from '../../screens/titles.ts';
import { ScreenLink } from '../ui/ScreenLink.tsx';
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
    <Box as="nav" aria-label="Breadcrumb" flex="1" minW="0" fontSize={{ base: 'xs', sm: 'sm' }} color="fg.muted">
      <Flex as="ol" align="center" gap={{ base: '0.5', sm: '1.5' }} listStyleType="none" minW="0">
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
      </Flex>
    </Box>
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

/** The width of two icons and their separators. */
const ICONS = '66px';

/** One step. Names of organization and project are truncated before the page's name. */
function Crumb({ to, icon: Icon, isCurrent = false, follows = false, children }: CrumbProps) {
  return (
    <Flex
      as="li"
      align="center"
      gap={{ base: '0', sm: '1.5' }}
      minW={follows ? { base: '9', sm: '11' } : '6'}
      maxW={isCurrent ? { base: `calc(100% - ${ICONS})`, sm: '55%' } : undefined}
      flexShrink={isCurrent ? 0 : 1}
    >
      {follows ? (
        <Box as="span" aria-hidden flexShrink="0">
          <ChevronRight size={14} />
        </Box>
      ) : null}
      {to ? (
        <ScreenLink
          to={to}
          display="block"
          minW="6"
          truncate
          title={children}
          aria-label={children}
          _hover={{ color: 'fg' }}
        >
          {Icon ? (
            <Flex as="span" hideFrom="sm" justify="center" align="center" boxSize="6" aria-hidden>
              <Icon size={16} />
            </Flex>
          ) : null}
          <chakra.bdi hideBelow={Icon ? 'sm' : undefined}>{children}</chakra.bdi>
        </ScreenLink>
      ) : (
        <Text
          as="span"
          minW="0"
          truncate
          title={children}
          aria-current={isCurrent ? 'page' : undefined}
          color={isCurrent ? 'fg' : undefined}
        >
          <bdi>{children}</bdi>
        </Text>
      )}
    </Flex>
  );
}
