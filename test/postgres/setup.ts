/** Starts the cluster for the tests that run on PostgreSQL, and tells their workers where it is. */
import { CLUSTER_VARIABLE, startCluster } from './cluster.ts';

export default async function startForRun(): Promise<(() => Promise<void>) | undefined> {
  // Two projects of a run come here.
  if (process.env[CLUSTER_VARIABLE] !== undefined) return undefined;
  const cluster = await startCluster();
  process.env[CLUSTER_VARIABLE] = cluster.urlOf('');
  return async () => {
    delete process.env[CLUSTER_VARIABLE];
    await cluster.stop();
  };
}
