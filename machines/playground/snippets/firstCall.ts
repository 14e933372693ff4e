import { shellWord } from './literals.ts';
import { FILE_ID, restCurl } from './rest.ts';

/** A recording that comes with the server, and the file that the command makes of it. */
const SAMPLE = 'dictation';
const FILENAME = `${SAMPLE}.wav`;
/** The model of the reference's quickstart. */
const MODEL = 'parlance-async-1';

type FirstCall = {
  /** Base URL of the speech API, without `/v1`. */
  baseUrl: string;
  /** Environment variable that gets the key. */
  keyVariable: string;
  key: string;
};

/** A first transcription to paste into a shell, of a recording that comes with the server (ONB-22). */
export const firstCallCurl = ({ baseUrl, keyVariable, key }: FirstCall): string =>
  `export ${keyVariable}=${shellWord(key)}

# Download a sample, or use a recording of your own.
curl -sSf ${shellWord(`${baseUrl}/v1/samples/${SAMPLE}`)} \\
  -H "Authorization: Bearer $${keyVariable}" -o ${FILENAME}

${restCurl({ baseUrl, keyVariable, filename: FILENAME, payload: { model: MODEL, file_id: FILE_ID } })}`;
