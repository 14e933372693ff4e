import { Box, Button, Flex, Heading, SimpleGrid, Spinner, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Play } from 'lucide-react';
import { SAMPLES, type Sample } from '#machines/playground/sample/list.ts';
import type { SampleActor } from '#machines/playground/sample/machine.ts';
import { formatClock } from '../../transcript/details.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { RefusalHelp } from '../RefusalHelp.tsx';
import { useSample } from '../state.ts';

/** Sample recordings; one click transcribes a sample (ONB-05). */
export function Samples() {
  const actor = useSample();
  const { name, failure } = useSelector(actor, ({ context }) => context);
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  return (
    <Box as="section" aria-labelledby="samples-heading">
      <Heading as="h2" id="samples-heading" size="sm" px="1" pb="2">
        No recording at hand? Try a sample
      </Heading>
      {hasFailed && name !== null ? (
        <Box mb="3">
          <FailureAlert failure={failure} title="The sample could not be added.">
            <RefusalHelp limit={failure?.limit} />
            <Button size="sm" variant="outline" onClick={() => actor.send({ type: 'sample.chosen', name })}>
              Retry
            </Button>
          </FailureAlert>
        </Box>
      ) : null}
      <SimpleGrid as="ul" listStyleType="none" minChildWidth="180px" gap="3">
        {SAMPLES.map((sample) => (
          <Card key={sample.name} actor={actor} sample={sample} />
        ))}
      </SimpleGrid>
    </Box>
  );
}

function Card({ actor, sample: { name, title, text, seconds } }: { actor: SampleActor; sample: Sample }) {
  const mayChoose = useSelector(actor, (snapshot) => snapshot.can({ type: 'sample.chosen', name }));
  const isAdding = useSelector(actor, (snapshot) => snapshot.hasTag('busy') && snapshot.context.name === name);
  return (
    <Box as="li" display="flex">
      <chakra.button
        type="button"
        aria-label={`Transcribe the sample: ${title}`}
        aria-describedby={`sample-${name}`}
        aria-disabled={!mayChoose}
        onClick={() => actor.send({ type: 'sample.chosen', name })}
        display="flex"
        flexDirection="column"
        gap="1"
        w="full"
        p="4"
        textAlign="start"
        borderWidth="1px"
        borderColor="border.control"
        borderRadius="l3"
        bg="bg.panel"
        cursor="pointer"
        focusRing="outside"
        transition="background 150ms"
        _hover={{ bg: 'bg.subtle' }}
        css={{ '&[aria-disabled=true]': { cursor: 'default' } }}
      >
        <Flex as="span" align="center" gap="2" fontWeight="semibold">
          <Box as="span" color="brand.fg" aria-hidden>
            {isAdding ? <Spinner size="xs" /> : <Play size={15} />}
          </Box>
          <span>{title}</span>
          <Text
            as="span"
            ms="auto"
            fontSize="xs"
            fontWeight="normal"
            color="fg.muted"
            fontVariantNumeric="tabular-nums"
          >
            {formatClock(seconds * 1000)}
          </Text>
        </Flex>
        <Text as="span" id={`sample-${name}`} fontSize="sm" color="fg.muted">
          {text}
        </Text>
      </chakra.button>
    </Box>
  );
}
