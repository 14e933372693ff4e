import type { InspectionMessage } from '../../inspector/protocol.ts';

/** An inspector, from the console's side. It is given messages without secrets only. */
export type InspectorPort = { send: (message: InspectionMessage) => void; stop: () => void };
