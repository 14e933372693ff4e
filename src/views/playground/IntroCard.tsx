import { Heading, Stack, Text } from '@chakra-ui/react';
import { ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { ExternalLink } from '../ui/ExternalLink.tsx';
import { Panel } from '../ui/Panel.tsx';

type Props = {
  title: string;
  apiReference: string;
  /** A button to start with. */
  action?: ReactNode;
  children: ReactNode;
};

/** Says what an API is for, while there are no results. */
export function IntroCard({ title, apiReference, action, children }: Props) {
  return (
    <Panel as="section" aria-label={title}>
      <Stack gap="2" align="flex-start">
        <Heading as="h2" size="md">
          {title}
        </Heading>
        <Text color="fg.muted" fontSize="sm">
          {children}
        </Text>
        <ExternalLink
          href={apiReference}
          display="inline-flex"
          alignItems="center"
          gap="1"
          mt="1"
          fontSize="sm"
          fontWeight="medium"
          color="brand.fg"
          textDecoration="underline"
          textUnderlineOffset="3px"
        >
          API reference <ArrowUpRight size={14} aria-hidden />
        </ExternalLink>
        {action}
      </Stack>
    </Panel>
  );
}
