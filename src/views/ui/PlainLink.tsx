import { Link } from '@tanstack/react-router';
import type { AriaAttributes, ReactNode } from 'react';
import type { Route } from '#machines/shared/route.ts';
import { addressOf } from '../../locations.ts';

type Props = Pick<AriaAttributes, 'aria-label'> & {
  to: Route;
  /** Whether the link is current on the screens below its own, too. */
  isBranch?: boolean;
  title?: string;
  onClick?: () => void;
  children: ReactNode;
};

/** A link to a screen that its parent's class styles; `aria-current` on that screen. */
export const PlainLink = ({ to, isBranch = false, ...rest }: Props) => (
  <Link {...addressOf(to)} activeOptions={{ exact: !isBranch, includeSearch: false }} {...rest} />
);
