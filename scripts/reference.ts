/** `npm run reference`: rewrites the tree of actors, docs/machines.md, and the table of metrics. */
import { readPage, withTree, writePage } from './actor-tree.ts';
import { machineReference, writeReference } from './machine-reference.ts';
import { readOperating, withMetrics, writeOperating } from './metrics-reference.ts';

writePage(withTree(readPage()));
writeReference(machineReference());
writeOperating(withMetrics(readOperating()));
