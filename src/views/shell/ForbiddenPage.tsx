import { Button } from '@chakra-ui/react';
import { Lock } from 'lucide-react';
import { headingOf } from '../../screens/titles.ts';
import { isScreen } from '#machines/shared/screens.ts';
import { ROLE_NAMES } from '#machines/shared/roleNames.ts';
import { wayIn } from '#machines/workspace/wayIn.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page } from '../ui/Page.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMembership, useRoute } from '../ui/state.ts';

/** In place of a screen that the person's role may not open (ORG-08). */
export function ForbiddenPage() {
  const route = useRoute();
  const membership = useMembership();
  if (!membership) return null;
  const { organization, role } = membership;
  return (
    <Page heading={headingOf(route)} takesFocus>
      <EmptyState
        icon={<Lock size={22} />}
        title="Your role can't open this screen."
        action={
          <Button asChild variant="outline">
            <ScreenLink to={{ screen: 'organization', orgUuid: organization.uuid }} borderRadius="l2">
              Go to the organization dashboard
            </ScreenLink>
          </Button>
        }
      >
        Your role in <bdi>{organization.name}</bdi>: <span>{ROLE_NAMES[role]}</span>.{' '}
        <span>{isScreen(route.screen) ? wayIn(route.screen) : ''}</span>
      </EmptyState>
    </Page>
  );
}
