import { type HTMLChakraProps, chakra } from '@chakra-ui/react';
import { Link } from '@tanstack/react-router';
import type { Route } from '#machines/route.ts';
import { addressOf } from '../../locations.ts';

type Props = Omit<HTMLChakraProps<'a'>, 'href' | 'asChild' | 'as'> & { to: Route };

/** A link to a screen of the console; without style of its own. It is `aria-current` on the very screen it leads to. */
export function ScreenLink({ to, children, ...style }: Props) {
  return (
    <chakra.a borderRadius="l1" focusRing="outside" {...style} asChild>
      <Link {...addressOf(to)} activeOptions={{ exact: true, includeSearch: false }}>
        {children}
      </Link>
    </chakra.a>
  );
}
