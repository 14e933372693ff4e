import { Box, Text } from '@chakra-ui/react';
import type { PaymentError } from '#contract/payment-errors.ts';
import { formatUtcMoment } from './days.ts';
import { type ErrorPlace, wordsOf } from './paymentErrors.ts';

/** Why autopay waits, what to do about it, and further reasons. */
export function PaymentErrorText({ error, ...place }: { error: PaymentError } & ErrorPlace) {
  const { text, also } = wordsOf(error, place);
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
