import { calls } from './fourth/calls.ts';
import { deliveries } from './fourth/deliveries.ts';
import { editing } from './fourth/editing.ts';
import { files } from './fourth/files.ts';
import { reading } from './fourth/reading.ts';
import { sets } from './fourth/sets.ts';
import type { Batch } from './mistake.ts';

/** 60 mistakes by somebody who had read the documents and the server, and no check: the former batches, the faults and the rules unseen. */
export const fourth: Batch = { ...reading, ...editing, ...sets, ...files, ...deliveries, ...calls };
