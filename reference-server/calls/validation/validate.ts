import { randomUUID } from 'node:crypto';
import { validationRetries } from '../../../contract/limits.ts';
import { Refusal } from '../../problem.ts';
import type { Service, SpaceCall } from '../../service.ts';
import type { Reading, StoredObject } from '../../store/store.ts';
import { addresseeAt, type Addressee } from '../triggers/addressee.ts';
import type { Verdict } from './verdict.ts';

/** The extensions that are asked about objects of the SoftType. Source: extensions, Extension metadata record, capability use */
export async function validatorsFor(
  service: Service,
  reading: Reading,
  softTypeId: string,
): Promise<readonly Addressee[]> {
  const addresses = await service.behaviours.validatorsOf(reading, softTypeId);
  const found = await Promise.all(addresses.map((address) => addresseeAt(service, reading, address)));
  return found.flatMap((addressee) => (addressee?.callee.active ? [addressee] : []));
}

/** Asks all of them at once. Not to be called inside a read or a change set. @throws {Refusal} 400 for an information filter that is none */
export async function verdictOn(
  service: Service,
  call: SpaceCall,
  object: StoredObject,
  validators: readonly Addressee[],
): Promise<Verdict> {
  const verdicts = validators.map((validator) => service.behaviours.askValidator(service, call, object, validator));
  return service.behaviours.combinedVerdict(await Promise.all(verdicts));
}

export async function askValidator(
  service: Service,
  call: SpaceCall,
  object: StoredObject,
  validator: Addressee,
): Promise<Verdict> {
  const { behaviours } = service;
  const { registrationId, recordId } = validator;
  const payload = behaviours.validationPayload(call, object);
  const delivery = behaviours.deliveryOf(service, call, {
    id: randomUUID(),
    kind: 'validation',
    registrationId,
    recordId,
    payload,
  });
  return behaviours.verdictOf(await behaviours.callWithRetries(service, delivery, validationRetries));
}

/** Source: extensions, Payloads by extension type, row ExternalValidation; ledger optional-payload-members */
export function validationPayload(call: SpaceCall, object: StoredObject): object {
  const context = call.query.get('contextObjectId');
  return { objectId: object.oid, ...(context === null ? {} : { contextObjectId: context }), spaceId: call.space.id };
}

/** Lets an operation on a valid object pass. Source: ledger trigger-validation-binding. @throws {Refusal} 409 not valid, 502 not known */
export function requireValid(verdict: Verdict): void {
  if (verdict.kind === 'valid') return;
  if (verdict.kind === 'invalid') throw new Refusal(409, `The object is not valid: ${verdict.message}`);
  throw new Refusal(502, `Whether the object is valid could not be found out: ${verdict.message}.`);
}
