import { Button } from '@chakra-ui/react';

/** Has read again what could not be read. */
export const RetryButton = ({ actor }: { actor: { send: (event: { type: 'retry.requested' }) => void } }) => (
  <Button size="sm" variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
    Retry
  </Button>
);
