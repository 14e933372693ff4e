import { type HTMLChakraProps, chakra } from '@chakra-ui/react';
import { Link } from '@tanstack/react-router';
import type { Route } from '#machines/shared/route.ts';
import { addressOf } from '../../locations.ts';

type Props = Omit<HTMLChakraProps<'a'>, 'href' | 'asChild' | 'as'> & {
  to: Route;
  /** Whether the link is current on the screens below its own, too. */
  isBranch?: boolean;
  /** Whether the link is current only if the address also has its query. */
  isOfQuery?: boolean;
};

/** An unstyled link to a screen of the console; `aria-current` on that screen. */
export function ScreenLink({ to, isBranch = false, isOfQuery = false, children, ...style }: Props) {
  return (
    <chakra.a borderRadius="l1" focusRing="outside" {...style} asChild>
      <Link {...addressOf(to)} activeOptions={{ exact: !isBranch, includeSearch: isOfQuery }}>
        {children}
      </Link>
    </chakra.a>
  );
}
