import type { StoredFile } from '#contract/files.ts';
import type { SampleName } from '#contract/samples.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /v1/samples/{name}: the file of the project that the sample is. */
export const addSample = promisePlaceholder<StoredFile, { name: SampleName }>('addSample');
