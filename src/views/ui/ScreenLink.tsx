import { type HTMLChakraProps, chakra } from '@chakra-ui/react';
import { Link } from '@tanstack/react-router';
import type { Route } from '#machines/shared/route.ts';
import { addressOf } from '../../locations.ts';

type Props = Omit<HTMLChakraProps<'a'>, 'href' | 'asChild' | 'as'> & {
  to: Route;
  /** Whether it is current on the screens below its own, too. */
  isBranch?: boolean;
  /** Whether it is current only where its query is in the address, too. */
  isOfQuery?: boolean;
};

/** A link to a screen of the console; without style of its own. It is `aria-current` on the screen it leads to. */
export function ScreenLink({ to, isBranch = false, isOfQuery = false, children, ...style }: Props) {
  return (
    <chakra.a borderRadius="l1" focusRing="outside" {...style} asChild>
      <Link {...addressOf(to)} activeOptions={{ exact: !isBranch, includeSearch: isOfQuery }}>
        {children}
      </Link>
    </chakra.a>
  );
}
