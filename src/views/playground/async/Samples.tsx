import { Box, Button, Spinner } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Play } from 'lucide-react';
import { SAMPLES, type Sample } from '#machines/playground/sample/list.ts';
import type { SampleActor } from '#machines/playground/sample/machine.ts';
import { formatClock } from '../transcript/details.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { RefusalHelp } from '../RefusalHelp.tsx';
import { useSample } from '../state.ts';
import { FILE_CARD_ID } from './ids.ts';

/** Sample recordings; one click transcribes a sample (ONB-05). */
export function Samples() {
  const actor = useSample();
  const { name, failure } = useSelector(actor, ({ context }) => context);
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  return (
    <section className="samples" aria-labelledby="samples-heading">
      <h2 id="samples-heading">No recording at hand? Try a sample</h2>
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
      <ul data-next={FILE_CARD_ID}>
        {SAMPLES.map((sample) => (
          <Card key={sample.name} actor={actor} sample={sample} />
        ))}
      </ul>
    </section>
  );
}

function Card({ actor, sample: { name, title, text, seconds } }: { actor: SampleActor; sample: Sample }) {
  const mayChoose = useSelector(actor, (snapshot) => snapshot.can({ type: 'sample.chosen', name }));
  const isAdding = useSelector(actor, (snapshot) => snapshot.hasTag('busy') && snapshot.context.name === name);
  return (
    <li>
      <button
        type="button"
        className="sample"
        aria-label={`Transcribe the sample: ${title}`}
        aria-describedby={`sample-${name}`}
        aria-disabled={!mayChoose}
        onClick={() => actor.send({ type: 'sample.chosen', name })}
      >
        <span>
          <span aria-hidden>{isAdding ? <Spinner size="xs" /> : <Play size={15} />}</span>
          <span>{title}</span>
          <span>{formatClock(seconds * 1000)}</span>
        </span>
        <span id={`sample-${name}`}>{text}</span>
      </button>
    </li>
  );
}
