import { fetchMetadata, metadataRequest } from './exchange.ts';
import { isSupportedType, recordFrom } from './record.ts';
import { recordsInForce, usableRecords } from './usable.ts';

export const metadataBehaviours = {
  fetchMetadata,
  metadataRequest,
  usableRecords,
  recordFrom,
  isSupportedType,
  recordsInForce,
};
