import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { LogDetails } from '#contract/logs.ts';
import { limitOf } from '#machines/playground/transcription/help.ts';
import { notTaken } from '#machines/playground/settings/reuse.ts';
import { ErrorLink } from '../ui/ErrorLink.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { RefusalHelp } from './RefusalHelp.tsx';
import { useLoggedRequest, usePlayground } from './state.ts';

const WITHOUT_MESSAGE = 'The message of this error was not kept.';

/** The request of the logs that the playground is open for: why it was refused or failed, and what of it the panel has. */
export function LoggedRequest() {
  const logged = useLoggedRequest();
  const isMissing = useSelector(logged, (snapshot) => snapshot.hasTag('missing'));
  const hasFailed = useSelector(logged, (snapshot) => snapshot.hasTag('failed'));
  const { details, failure } = useSelector(logged, ({ context }) => context);
  if (isMissing)
    return (
      <Banner message="This project has no such request." title="The request of the logs could not be opened.">
        <Dismiss />
      </Banner>
    );
  if (hasFailed)
    return (
      <Banner message={failure?.message ?? ''} title="The request of the logs could not be loaded.">
        <RetryButton actor={logged} />
        <Dismiss />
      </Banner>
    );
  return details ? <Told details={details} /> : null;
}

/** Only in the tab where it can be tried again. */
function Told({ details }: { details: LogDetails }) {
  const { orgUuid, projectUuid, models } = useSelector(usePlayground(), ({ context }) => context);
  const isOfFile = useSelector(usePlayground(), (snapshot) => snapshot.hasTag('async'));
  const { id, kind, error_type: type, error_message: message, refusal, request } = details;
  if (isOfFile !== (kind === 'async') || type === null) return null;
  const left = request ? notTaken(request, models, kind) : [];
  return (
    <Banner
      title={refusal ? `${type} (${refusal.code})` : type}
      message={refusal?.message ?? message ?? WITHOUT_MESSAGE}
      about={
        request === null
          ? 'The logs have no settings of this request.'
          : left.length === 0
            ? 'The panel has the settings of this request.'
            : `The panel has the settings of this request, but not: ${left.join(', ')}.`
      }
    >
      <RefusalHelp limit={limitOf(type)} />
      <ErrorLink type={type} />
      <TextLink to={{ screen: 'logs', orgUuid, projectUuid, log: id }} color="inherit">
        Open in the logs
      </TextLink>
      <Dismiss />
    </Banner>
  );
}

type BannerProps = { title: string; message: string; about?: string; children: ReactNode };

const Banner = ({ title, message, about, children }: BannerProps) => (
  <Box as="section" aria-label="Request of the logs" mb="4">
    <FailureAlert failure={{ message }} title={title}>
      {about ? (
        <Text mb="3" overflowWrap="anywhere">
          {about}
        </Text>
      ) : null}
      <Flex wrap="wrap" align="center" gap="4">
        {children}
      </Flex>
    </FailureAlert>
  </Box>
);

function Dismiss() {
  const playground = usePlayground();
  return (
    <Button size="sm" variant="outline" onClick={() => playground.send({ type: 'request.dismissed' })}>
      Dismiss
    </Button>
  );
}
