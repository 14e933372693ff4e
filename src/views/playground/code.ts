/** What shows the settings as code: one file of the build, fetched with the first paint and not before it. */
export { FileCode } from './async/FileCode.tsx';
export { LiveCode } from './live/LiveCode.tsx';
