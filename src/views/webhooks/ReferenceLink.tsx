import { chakra } from '@chakra-ui/react';
import { useSettings } from '../ui/state.ts';

/** A link to the webhooks chapter of the API reference. */
export function ReferenceLink() {
  const { apiReference } = useSettings().links;
  return (
    <chakra.a
      href={`${apiReference}#webhooks`}
      fontSize="sm"
      color="brand.fg"
      textDecoration="underline"
      textUnderlineOffset="3px"
      borderRadius="l1"
      focusRing="outside"
    >
      Webhooks in the API reference
    </chakra.a>
  );
}
