import { type EventObject, fromCallback } from 'xstate';
import { uploadFile } from '#contract/api/speech.ts';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { StoredFile, UPLOAD_FIELD } from '#contract/files.ts';
import { type Failure, toFailure } from '#machines/shared/failure.ts';
import type { PickedFile, UploadEvent } from '#machines/playground/upload/actors.ts';
import { earlyCalls } from '../../early/calls.ts';
import { readAnswer } from './answers.ts';
import type { Authorization } from './caller.ts';
import { isUnauthorized, unanswered } from './unanswered.ts';

const NOT_FOUND = 404;

export type UploadOptions = {
  /** The address of the speech API, without `/v1`. */
  baseUrl: string;
  supportEmail: string;
  authorize: (signal: AbortSignal, projectUuid: string) => Promise<Authorization>;
  onUnauthorized: (access: string, status: number) => void;
  /** The upload was answered 404: the project does not exist for the signed-in person. */
  onMissing?: () => void;
  createRequest?: () => XMLHttpRequest;
};

/**
 * POST /v1/files as multipart with progress (API-03). An XMLHttpRequest, because fetch reports no upload progress over
 * HTTP/1.1. Ending the actor aborts the request and says nothing more.
 */
export const createUploadFile = ({
  baseUrl,
  supportEmail,
  authorize,
  onUnauthorized,
  onMissing,
  createRequest = () => new XMLHttpRequest(),
}: UploadOptions) =>
  fromCallback<EventObject, { file: PickedFile; projectUuid: string }>(({ input, sendBack }) => {
    const ended = new AbortController();
    const report = (event: UploadEvent) => {
      if (!ended.signal.aborted) sendBack(event);
    };
    const fail = (failure: Failure) => report({ type: 'upload.failed', failure });

    function send(file: File, { headers, access }: Authorization) {
      // An upload makes the early answers stale.
      earlyCalls.drop();
      const request = createRequest();
      ended.signal.addEventListener('abort', () => request.abort(), { once: true });
      request.open('POST', `${baseUrl}${uploadFile.path}`);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total, lengthComputable }) =>
        // `total` counts the multipart envelope too; before it is known, the file's own size is near enough.
        report({ type: 'upload.progressed', sentBytes: loaded, totalBytes: lengthComputable ? total : file.size });
      request.onerror = () => fail(unanswered('FETCH_ERROR', supportEmail).failure);
      request.ontimeout = () => fail(unanswered('TIMEOUT_ERROR', supportEmail).failure);
      request.onload = () => {
        if (access !== null && isUnauthorized(request.status)) onUnauthorized(access, request.status);
        if (access !== null && request.status === NOT_FOUND) onMissing?.();
        try {
          const answer = {
            status: request.status,
            text: request.responseText,
            requestId: request.getResponseHeader(REQUEST_ID_HEADER),
          };
          report({ type: 'upload.succeeded', file: readAnswer(answer, StoredFile, supportEmail) });
        } catch (error) {
          fail(toFailure(error));
        }
      };
      const form = new FormData();
      form.append(UPLOAD_FIELD, file, file.name);
      request.send(form);
    }

    const { file, projectUuid } = input;
    if (!(file instanceof File)) {
      fail({ message: 'This is not a file of this computer.', kind: 'OTHER' });
      return undefined;
    }
    authorize(ended.signal, projectUuid)
      .then((authorization) => {
        if (!ended.signal.aborted) send(file, authorization);
      })
      // The request may throw, too, for example if its address is invalid.
      .catch((error: unknown) => fail(toFailure(error)));
    return () => ended.abort();
  });
