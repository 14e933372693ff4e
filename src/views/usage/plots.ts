/** All that draws with the chart library: one file, which comes with the first chart. */
export { UsageBars } from './UsageBars.tsx';
export { UsageLines } from './UsageLines.tsx';
