import type { ExtensionType } from '../../../contract/names.ts';
import type { MetadataRecord } from '../../metadata/record.ts';
import { Refusal } from '../../problem.ts';
import type { RecordAddress } from '../../registration/record-index.ts';
import type { Service } from '../../service.ts';
import type { Content, Reading } from '../../store/store.ts';
import type { ExtensionCallee } from '../callee.ts';

/** A record and where it stands. */
export interface Addressee extends RecordAddress {
  readonly callee: ExtensionCallee;
  readonly record: MetadataRecord;
}

/** Members of a trigger by which it names a record; the host is named where several have the record. */
export interface Named {
  readonly recordId?: string;
  readonly registrationId?: string;
}

/**
 * The record of the type that is named; of several with the id, the one registered last. Without a name the one of its type that
 * was registered last. Source: ledger metadata-duplicate-ids, email-replacement
 */
export async function foundAddressee(
  service: Service,
  reading: Reading,
  type: ExtensionType,
  named: Named,
): Promise<Addressee | undefined> {
  const { recordsNamed, recordsOfType } = service.behaviours;
  const addresses =
    named.recordId === undefined ? await recordsOfType(reading, type) : await recordsNamed(reading, named.recordId);
  const candidates = addresses.filter(
    ({ registrationId }) => registrationId === (named.registrationId ?? registrationId),
  );
  for (const address of candidates.toReversed()) {
    const addressee = await addresseeAt(service, reading, address);
    if (addressee?.record.extensionType === type) return addressee;
  }
  return undefined;
}

/** @throws {Refusal} 422 where there is none */
export async function addresseeOf(
  service: Service,
  reading: Reading,
  type: ExtensionType,
  named: Named,
): Promise<Addressee> {
  const addressee = await foundAddressee(service, reading, type, named);
  if (addressee !== undefined) return addressee;
  throw new Refusal(422, `No registered extension has a record ${named.recordId ?? ''} of type ${type}.`, {
    pointer: '/recordId',
  });
}

export async function addresseeAt(
  service: Service,
  reading: Reading,
  address: RecordAddress,
): Promise<Addressee | undefined> {
  const callee = await service.behaviours.calleeOf(service, reading, address);
  return callee !== undefined && 'record' in callee ? { ...address, callee, record: callee.record } : undefined;
}

/** The body of a trigger as an object. @throws {Refusal} 422 */
export function triggerBody(body: unknown): Content {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Content;
  throw new Refusal(422, 'Expected an object.', { pointer: '' });
}

/** A text of the trigger. @throws {Refusal} 422 for anything else */
export function textOf(body: Content, member: string): string {
  const text = optionalTextOf(body, member);
  if (text !== undefined) return text;
  throw new Refusal(422, `Expected ${member} to be a text, found none.`, { pointer: `/${member}` });
}

/** Undefined where the member is absent. @throws {Refusal} 422 */
export function optionalTextOf(body: Content, member: string): string | undefined {
  const value = body[member];
  if (value === undefined || typeof value === 'string') return value;
  throw new Refusal(422, `Expected ${member} to be a text.`, { pointer: `/${member}` });
}

export function namedIn(body: Content): Named {
  const [recordId, registrationId] = [optionalTextOf(body, 'recordId'), optionalTextOf(body, 'registrationId')];
  return {
    ...(recordId === undefined ? {} : { recordId }),
    ...(registrationId === undefined ? {} : { registrationId }),
  };
}
