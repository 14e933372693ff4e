/** `npm run reference`: writes the tree of actors, docs/machines.md and the table of metrics. */
import { readPage, withTree, writePage } from './actor-tree.ts';
import { machineReference, writeReference } from './machine-reference.ts';
import { readMetricsPage, withMetrics, writeMetricsPage } from './metrics-reference.ts';

writePage(withTree(readPage()));
writeReference(machineReference());
writeMetricsPage(withMetrics(readMetricsPage()));
