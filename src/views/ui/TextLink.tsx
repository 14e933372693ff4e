import type { ComponentProps } from 'react';
import { ScreenLink } from './ScreenLink.tsx';

/** A link to a screen within text. */
export function TextLink(props: ComponentProps<typeof ScreenLink>) {
  return (
    <ScreenLink
      color="brand.fg"
      fontWeight="medium"
      textDecoration="underline"
      textUnderlineOffset="3px"
      textDecorationColor="brand.emphasized"
      _hover={{ textDecorationColor: 'currentColor' }}
      {...props}
    />
  );
}
