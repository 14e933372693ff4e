import { Box, Text } from '@chakra-ui/react';
import type { PaymentError } from '#contract/billing.ts';
import { formatUtcMoment } from './days.ts';
import { wordsOf } from './paymentErrors.ts';

/** Why autopay waits, what to do about it, and further reasons. */
export function PaymentErrorText({ error }: { error: PaymentError }) {
  const { text, also } = wordsOf(error);
  return (
    <>
      <span>{text}</span>
      {also.length > 0 ? (
        <>
          <Text mt="2">Autopay also waits because of this:</Text>
          <Box as="ul" ps="5" listStyleType="disc">
            {also.map(({ key, at, message }) => (
              <li key={key}>{`${formatUtcMoment(at)} UTC: ${message}`}</li>
            ))}
          </Box>
        </>
      ) : null}
    </>
  );
}
