import { Area } from '../area.ts';
import { type ExtensionType, headerNames } from '../../contract/names.ts';
import type { SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import type { CallKind, Delivery } from '../ports/deliveries.ts';
import type { Content, Reading } from '../ports/store.ts';
import type { Callees, ExtensionCallee } from './callees.ts';
import type { Messages } from './messages.ts';
import type { MetadataRecord } from './records.ts';
import { type RecordAddress, type Registry, recordsNamed } from './registry.ts';

const filterHeader = headerNames.informationFilter.toLowerCase();

/** Base64 of an empty object. Source: ledger information-filter-without-trigger */
const emptyFilter = 'e30=';

/** What a trigger sends, and where. */
export interface TriggeredCall {
  readonly id: string;
  readonly kind: CallKind;
  readonly registrationId: string;
  readonly recordId?: string;
  readonly payload: unknown;
  /** That of the trigger unless the kind of call has one of its own. */
  readonly envelopeId?: string;
}

/** A record and where it stands. */
export interface Addressee extends RecordAddress {
  readonly callee: ExtensionCallee;
  readonly record: MetadataRecord;
}

/** Members of a trigger by which it names a record; the host is named where several have the record. */
interface Named {
  readonly recordId?: string;
  readonly registrationId?: string;
}

interface Needs {
  readonly callees: Callees;
  readonly messages: Messages;
  readonly registry: Registry;
}

/** What a trigger sends, and where to. */
export class TriggeredCalls extends Area<Needs> {
  /** The delivery of a triggered call, in the name of the caller. Source: extensions, Call envelope */
  deliveryOf(call: SpaceCall, triggered: TriggeredCall): Delivery {
    return {
      envelopeId: this.envelopeIdOf(call),
      // ledger token-subject
      userName: call.user.name,
      informationFilter: this.passedFilter(call),
      spaceId: call.space.id,
      ...triggered,
    };
  }

  /** Source: extensions, Events 4; ledger envelope-id-guid-form */
  envelopeIdOf(call: SpaceCall): string {
    return call.correlationId;
  }

  /** The filter of the triggering request as it came. @throws {Refusal} 400 for one that is none */
  passedFilter(call: SpaceCall): string {
    const given = call.headers[filterHeader];
    if (given === undefined) return emptyFilter;
    this.needs.messages.informationFilterOf(call);
    return given;
  }

  /**
   * The record of the type that is named; of several with the id, the one registered last. Without a name the one of its type that
   * was registered last. Source: ledger metadata-duplicate-ids, email-replacement
   */
  async foundAddressee(reading: Reading, type: ExtensionType, named: Named): Promise<Addressee | undefined> {
    const addresses =
      named.recordId === undefined
        ? await this.needs.registry.recordsOfType(reading, type)
        : await recordsNamed(reading, named.recordId);
    const candidates = addresses.filter(
      ({ registrationId }) => registrationId === (named.registrationId ?? registrationId),
    );
    for (const address of candidates.toReversed()) {
      const addressee = await this.addresseeAt(reading, address);
      if (addressee?.record.extensionType === type) return addressee;
    }
    return undefined;
  }

  /** @throws {Refusal} 422 where there is none */
  async addresseeOf(reading: Reading, type: ExtensionType, named: Named): Promise<Addressee> {
    const addressee = await this.foundAddressee(reading, type, named);
    if (addressee !== undefined) return addressee;
    throw new Refusal(422, `No registered extension has a record ${named.recordId ?? ''} of type ${type}.`, {
      pointer: '/recordId',
    });
  }

  async addresseeAt(reading: Reading, address: RecordAddress): Promise<Addressee | undefined> {
    const callee = await this.needs.callees.calleeOf(reading, address);
    return callee !== undefined && 'record' in callee ? { ...address, callee, record: callee.record } : undefined;
  }
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
