export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The port to the outside post, or to the local outbox. */
export interface Mail {
  send(letter: Letter): Promise<void>;
  close(): Promise<void>;
}
