import type { StoredFile } from '#contract/files.ts';
import type { SampleName } from '#contract/samples.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /v1/samples/{name}: adds the sample to the project as a file. */
export const addSample = promisePlaceholder<StoredFile, { name: SampleName }>('addSample');
