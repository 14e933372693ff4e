/**
 * Options of Node for servers that live for seconds: WebAssembly (the embedded database) stays as it is compiled at first,
 * since the faster code, made beside it, would cost more than it saves. A start takes 3 of 5 seconds of processor time.
 */
export const SHORT_LIVED = ['--liftoff-only'];
