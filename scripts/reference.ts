/** `npm run reference`: writes the pages that are drawn from the charts anew. */
import { readPage, withTree, writePage } from './actor-tree.ts';
import { machineReference, writeReference } from './machine-reference.ts';

writePage(withTree(readPage()));
writeReference(machineReference());
