import { type HTMLChakraProps, chakra } from '@chakra-ui/react';

type Props = Omit<HTMLChakraProps<'a'>, 'href' | 'target' | 'rel'> & { href: string };

/** A link that leaves the console; opens in a new tab. */
export function ExternalLink({ href, ...rest }: Props) {
  return <chakra.a href={href} target="_blank" rel="noreferrer" borderRadius="l1" focusRing="outside" {...rest} />;
}
