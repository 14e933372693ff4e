import { Flex, Spinner } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { lazy, Suspense } from 'react';
import { visitorOf } from '#machines/root/select.ts';
import { useRoot } from '../../actors.ts';
import { headingOf } from '../../screens/titles.ts';
import { useRoute } from '../ui/state.ts';
import { PublicLayout } from './PublicLayout.tsx';
import { fetchVisitorScreens } from './visitorScreens.ts';

// The root has fetched it by the time that it shows.
const Screens = lazy(async () => ({ default: (await fetchVisitorScreens()).VisitorScreens }));

/** What a public screen shows before its own part is there. */
export function VisitorPage() {
  const visitor = useSelector(useRoot(), visitorOf);
  if (!visitor) return <Loading />;
  return (
    <Suspense fallback={<Loading />}>
      <Screens visitor={visitor} />
    </Suspense>
  );
}

function Loading() {
  return (
    <PublicLayout heading={headingOf(useRoute())} intro="Loading…">
      <Flex justify="center" py="4">
        <Spinner color="brand.solid" aria-hidden />
      </Flex>
    </PublicLayout>
  );
}
