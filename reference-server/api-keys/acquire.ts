import { mediaTypes } from '../../contract/names.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Call, Service } from '../service.ts';
import type { KeyHolder } from './holder.ts';

/** Where keys are asked for. Source: extensions, Acquiring API keys */
export const acquirePath = '/api/collection/externalExtension/acquireAccessToken/{extensionId}';

/**
 * POST of an acquire request. The keys are kept ahead of the callback, so that they open what they are for as soon as they arrive there;
 * they go when it fails. @throws {Refusal} 401, 403, 404 for an unknown id, 400, 415, 422, 502
 */
export async function acquireKeys(service: Service, call: Call): Promise<Answer> {
  const { behaviours, store } = service;
  const { extensionId = '' } = call.params;
  const holders = await store.read((reading) => behaviours.keyHoldersOf(service, reading, extensionId));
  const admitted = await behaviours.holdersOpenTo(service, call, holders);
  if (admitted.length === 0)
    throw new Refusal(404, `There is no extension ${extensionId}.`, { pointer: 'extensionId' });
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  const request = behaviours.acquireRequestFrom(behaviours.jsonBodyOf(service, call));
  const holder = behaviours.holderGranting(service, admitted, request);
  behaviours.requireAbsolute(request);
  const granted = behaviours.grantedPermissions(request.permissions, holder.permissions?.permissions ?? []);
  const keys = await store.change((writing) => behaviours.issueKeys(service, writing, holder, granted));
  try {
    const answer = await behaviours.bringKeys(service, call, holder, request, keys);
    await store.change((writing) => behaviours.confirmKeys(writing, holder, keys));
    return answer;
  } catch (error) {
    await store.change((writing) => behaviours.withdrawKeys(writing, holder, keys));
    throw error;
  }
}

/**
 * Those of the holders that the caller may ask for: whose key has signed the path, or all for a Collection Administrator.
 * Source: ledger acquire-credential. @throws {Refusal} 401, 403
 */
export async function holdersOpenTo(
  service: Service,
  call: Call,
  holders: readonly KeyHolder[],
): Promise<readonly KeyHolder[]> {
  const { behaviours } = service;
  const credentials = behaviours.credentialsOf(call.headers);
  if (credentials?.scheme === 'bearer') {
    const path = behaviours.requestPathOf(call);
    const signers = holders.filter(
      ({ apiKey }) => apiKey !== undefined && behaviours.isSignatureOf(service, apiKey, path, credentials.token),
    );
    if (signers.length > 0) return signers;
  }
  behaviours.authorize(service, await behaviours.authenticate(service, call), 'collection', call);
  return holders;
}
