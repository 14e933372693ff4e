/** Everything that uses the chart library, as one file of the build that is fetched with the first chart. */
export { UsageBars } from './UsageBars.tsx';
export { UsageLines } from './UsageLines.tsx';
