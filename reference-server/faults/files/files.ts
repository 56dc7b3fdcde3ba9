import type { FaultsOf } from '../fault.ts';
import { areaFaults } from './areas.ts';
import { authFaults } from './auth.ts';
import { checksumFaults } from './checksum.ts';
import { chunkFaults } from './chunk.ts';
import { deleteFaults } from './delete.ts';
import { downloadFaults } from './download.ts';
import { isolationFaults } from './isolation.ts';
import { nameFaults } from './names.ts';
import { safetyFaults } from './safety.ts';
import { streamFaults } from './stream.ts';

export const filesFaults: FaultsOf<'files'> = {
  ...areaFaults,
  ...streamFaults,
  ...checksumFaults,
  ...nameFaults,
  ...downloadFaults,
  ...deleteFaults,
  ...authFaults,
  ...isolationFaults,
  ...safetyFaults,
  ...chunkFaults,
};
