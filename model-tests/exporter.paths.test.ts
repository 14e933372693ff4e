import { describe } from 'vitest';
import { exporterMachine } from '#machines/playground/reader/exporter/machine.ts';
import { describeWalk } from './walk.ts';

describe('taking a transcript home', () => {
  describeWalk(exporterMachine, {
    tags: { saved: ['saved'], refused: ['refused'] },
    ignored: { 'Nothing was refused': 'refusal.forgotten in idle, saved, saving' },
    cases: {
      'format.selected': [{ format: 'srt' }],
      'speakers.chosen': [{ withSpeakers: false }],
      'download.requested': [{ name: 'talk.mp3', tokens: [], side: 'everything' }],
    },
    distinguish: () => null,
  });
});
