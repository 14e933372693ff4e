import { Flex, Heading, Text } from '@chakra-ui/react';
import type { Dashboard } from '#contract/dashboard.ts';
import type { Membership } from '#contract/organizations.ts';
import type { Route } from '#machines/shared/route.ts';
import { Panel } from '../ui/Panel.tsx';
import { StepMark } from '../ui/StepMark.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { TextLink } from '../ui/TextLink.tsx';

type Step = { text: string; link: string; to: Route; isDone: boolean };
type Rights = { transcribes: boolean; invites: boolean };

/** The first steps that the role allows, each done or to do, until it has transcribed and has a key (ORG-04, ONB-23). */
export function FirstSteps({ membership, figures }: { membership: Membership; figures: Dashboard }) {
  const rights = { transcribes: useMayOpen('playground'), invites: useMayOpen('invitation') };
  const { transcribed, spoken, key_created } = figures.steps;
  const steps = stepsOf(membership, figures, rights);
  if (((transcribed || spoken) && key_created) || steps.every(({ isDone }) => isDone)) return null;
  return (
    <Panel as="section" aria-labelledby="first-steps">
      <Heading as="h2" id="first-steps" mb="3" fontSize="lg" fontWeight="semibold">
        First steps
      </Heading>
      <Flex as="ol" direction="column" gap="2" listStyleType="none">
        {steps.map(({ text, link, to, isDone }) => (
          <Flex as="li" key={link} gap="3">
            <StepMark isDone={isDone} />
            <Text as="div">
              <TextLink to={to}>{link}</TextLink> <span>{text}</span>
            </Text>
          </Flex>
        ))}
      </Flex>
    </Panel>
  );
}

function stepsOf({ organization, projects }: Membership, { steps, members }: Dashboard, may: Rights): Step[] {
  const { uuid: orgUuid } = organization;
  const project = projects[0];
  const found: Step[] = [];
  if (project && may.transcribes) {
    const place = { orgUuid, projectUuid: project.uuid };
    found.push({
      link: 'Transcribe a file',
      text: 'in the playground, or try a sample.',
      to: { screen: 'playground', ...place, mode: 'async' },
      isDone: steps.transcribed,
    });
    found.push({
      link: 'Speak into the microphone',
      text: 'and read along.',
      to: { screen: 'playground', ...place, mode: 'real-time' },
      isDone: steps.spoken,
    });
    found.push({
      link: 'Create an API key',
      text: 'to call the API from your code.',
      to: { screen: 'apiKeys', ...place },
      isDone: steps.key_created,
    });
  }
  if (may.invites)
    found.push({
      link: 'Invite others',
      text: 'to work here with you.',
      to: { screen: 'invitation', orgUuid },
      isDone: members > 1,
    });
  return found;
}
