import { fromPromise } from 'xstate';
import type { PickedFile } from '#machines/playground/upload/actors.ts';
import { mediaProblem } from './mediaProblem.ts';

type Port = {
  createElement: () => HTMLAudioElement;
  createObjectURL: (file: File) => string;
  revokeObjectURL: (url: string) => void;
};

const browser = (): Port => ({
  createElement: () => new Audio(),
  createObjectURL: (file) => URL.createObjectURL(file),
  revokeObjectURL: (url) => URL.revokeObjectURL(url),
});

/** The `probeFile` actor: loads the file into a silent audio element. Rejects if the browser cannot play it. */
export const createProbeFile = (port: Port = browser()) =>
  fromPromise<void, { file: PickedFile }>(({ input: { file }, signal }) => {
    if (!(file instanceof File)) return Promise.reject(new Error(mediaProblem(null)));
    const element = port.createElement();
    const url = port.createObjectURL(file);
    return new Promise<void>((resolve, reject) => {
      element.addEventListener('canplay', () => resolve(), { once: true });
      element.addEventListener('error', () => reject(new Error(mediaProblem(element.error))), { once: true });
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      element.preload = 'auto';
      element.src = url;
    }).finally(() => {
      element.removeAttribute('src');
      element.load();
      port.revokeObjectURL(url);
    });
  });
