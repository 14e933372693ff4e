import { Box, Heading, Text } from '@chakra-ui/react';
import type { Membership } from '#contract/organizations.ts';
import type { Route } from '#machines/shared/route.ts';
import { Panel } from '../ui/Panel.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { TextLink } from '../ui/TextLink.tsx';

type Step = { text: string; link: string; to: Route };

/** The first steps that the role allows; shown until something is transcribed (ORG-04). */
export function FirstSteps({ membership, members }: { membership: Membership; members: number }) {
  const mayTranscribe = useMayOpen('playground');
  const mayInvite = useMayOpen('invitation');
  const steps = stepsOf(membership, mayTranscribe, mayInvite && members === 1);
  if (steps.length === 0) return null;
  return (
    <Panel as="section" aria-labelledby="first-steps">
      <Heading as="h2" id="first-steps" mb="3" fontSize="lg" fontWeight="semibold">
        First steps
      </Heading>
      <Box as="ol" ps="5" listStyleType="decimal">
        {steps.map(({ text, link, to }) => (
          <Text as="li" key={link} py="1">
            <TextLink to={to}>{link}</TextLink> <span>{text}</span>
          </Text>
        ))}
      </Box>
    </Panel>
  );
}

function stepsOf({ organization, projects }: Membership, transcribes: boolean, invites: boolean): Step[] {
  const { uuid: orgUuid } = organization;
  const project = projects[0];
  const steps: Step[] = [];
  if (project && transcribes) {
    const place = { orgUuid, projectUuid: project.uuid };
    steps.push({
      link: 'Transcribe a file',
      text: 'in the playground, or try a sample.',
      to: { screen: 'playground', ...place, mode: 'async' },
    });
    steps.push({
      link: 'Speak into the microphone',
      text: 'and read along.',
      to: { screen: 'playground', ...place, mode: 'real-time' },
    });
    steps.push({
      link: 'Create an API key',
      text: 'to call the API from your code.',
      to: { screen: 'apiKeys', ...place },
    });
  }
  if (invites)
    steps.push({ link: 'Invite others', text: 'to work here with you.', to: { screen: 'invitation', orgUuid } });
  return steps;
}
