import { calls } from './calls.ts';
import { deliveries } from './deliveries.ts';
import { editing } from './editing.ts';
import { files } from './files.ts';
import { reading } from './reading.ts';
import { sets } from './sets.ts';
import type { Batch } from '../mistake.ts';

/** Of sixty mistakes by somebody who had read the documents and the server, and no check: the former batches, the faults and the rules unseen. */
export const fourth: Batch = { ...reading, ...editing, ...sets, ...files, ...deliveries, ...calls };
