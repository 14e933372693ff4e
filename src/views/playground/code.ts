/** The contents of the code dialog, as one file of the build that is fetched after the first paint. */
export { FileCode } from './async/FileCode.tsx';
export { LiveCode } from './live/LiveCode.tsx';
