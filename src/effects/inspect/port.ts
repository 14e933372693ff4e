import type { InspectionMessage } from '../../inspector/protocol.ts';

/** An inspector. It gets only messages without secrets. */
export type InspectorPort = {
  send: (message: InspectionMessage) => void;
  stop: () => void;
  /** Has `sendRest` called before an inspector that asks is told what is known. */
  onAsked?: (sendRest: () => void) => void;
};
