import { Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { Route } from '#machines/shared/route.ts';
import { type ProjectHomeActor, STEPS } from '#machines/workspace/projectHome/machine.ts';
import { Panel } from '../ui/Panel.tsx';
import { StepMark } from '../ui/StepMark.tsx';
import { TextLink } from '../ui/TextLink.tsx';

type Place = { orgUuid: string; projectUuid: string };
type Step = (typeof STEPS)[number];

const TEXTS: Record<Step, { link: string; text: string; to: (place: Place) => Route }> = {
  transcribed: {
    link: 'Transcribe a recording',
    text: 'Use your own, or one of the samples.',
    to: (place) => ({ screen: 'playground', ...place, mode: 'async' }),
  },
  key_created: {
    link: 'Create an API key',
    text: 'To call the API from your code.',
    to: (place) => ({ screen: 'apiKeys', ...place, isCreating: true }),
  },
  key_used: {
    link: 'Make your first request',
    text: "Use the playground's code, or the command shown with a new key.",
    to: (place) => ({ screen: 'apiKeys', ...place }),
  },
};

/** The first steps in a project, each done or to do; hidden once all are done (ONB-21). */
export function FirstSteps({ home, place }: { home: ProjectHomeActor; place: Place }) {
  const isBeginning = useSelector(home, (snapshot) => snapshot.hasTag('beginning'));
  const steps = useSelector(home, ({ context }) => context.home?.steps);
  if (!isBeginning || !steps) return null;
  return (
    <Panel as="section" aria-labelledby="first-steps">
      <Heading as="h2" id="first-steps" mb="3" fontSize="lg" fontWeight="semibold">
        First steps
      </Heading>
      <Flex as="ol" direction="column" gap="3" listStyleType="none">
        {STEPS.map((step) => {
          const { link, text, to } = TEXTS[step];
          return (
            <Flex as="li" key={step} gap="3">
              <StepMark isDone={steps[step]} />
              <Text as="div">
                <TextLink to={to(place)}>{link}</TextLink>
                <Text fontSize="sm" color="fg.muted">
                  {text}
                </Text>
              </Text>
            </Flex>
          );
        })}
      </Flex>
    </Panel>
  );
}
