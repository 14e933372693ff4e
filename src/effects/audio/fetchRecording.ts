import { CallError } from '#machines/shared/failure.ts';

/** Downloads a recording of the speech API as a File. @param url works without a key @throws CallError */
export async function fetchRecording(url: string, filename: string, signal: AbortSignal): Promise<File> {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new CallError({ message: 'The sample could not be fetched. Try again.', kind: 'OTHER' });
  return new File([await answer.blob()], filename, { type: answer.headers.get('content-type') ?? '' });
}
