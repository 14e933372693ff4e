import { chakra, type HTMLChakraProps } from '@chakra-ui/react';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';

type Props = HTMLChakraProps<'details'> & {
  summary: ReactNode;
  /** Properties of the summary element. */
  summaryProps?: HTMLChakraProps<'summary'>;
};

/** A native `details` element with the console's chevron. */
export function Disclosure({ summary, summaryProps, children, ...props }: Props) {
  return (
    <chakra.details css={{ '&[open] > summary > svg': { transform: 'rotate(180deg)' } }} {...props}>
      <chakra.summary
        display="flex"
        alignItems="center"
        gap="2"
        fontSize="sm"
        cursor="pointer"
        focusRing="outside"
        listStyleType="none"
        css={{ '&::-webkit-details-marker': { display: 'none' }, '& > svg': { transition: 'transform 150ms' } }}
        {...summaryProps}
      >
        <chakra.span flex="1" minWidth="0" overflowWrap="anywhere">
          {summary}
        </chakra.span>
        <ChevronDown size={16} aria-hidden style={{ flexShrink: 0 }} />
      </chakra.summary>
      {children}
    </chakra.details>
  );
}
