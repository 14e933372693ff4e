/** The messages between the main thread and the database's thread. */
export interface WorkerSetup {
  /** Directory of the database; undefined for one in memory. */
  directory: string | undefined;
}

export type WorkerRequest =
  | { id: number; kind: 'query'; sql: string; parameters: readonly unknown[] }
  | { id: number; kind: 'listen'; channel: string }
  | { id: number; kind: 'close' };

export interface TransferredError {
  message: string;
  code?: string | undefined;
  detail?: string | undefined;
  constraint?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
}

export type WorkerMessage =
  | { kind: 'ready' }
  | { kind: 'failed'; error: TransferredError }
  | { kind: 'done'; id: number; rows: unknown[]; affected: number }
  | { kind: 'refused'; id: number; error: TransferredError }
  | { kind: 'notification'; channel: string; payload: string };
