import { Area } from '../area.ts';
import { randomUUID } from 'node:crypto';
import { validationRetries } from '../../contract/limits.ts';
import type { SpaceCall, Verdict } from '../http/call.ts';
import { Outdated, Refusal } from '../http/refusal.ts';
import type { CallOutcome } from '../ports/deliveries.ts';
import type { Reading, StoredObject } from '../ports/store.ts';
import type { Addressee, TriggeredCalls } from './triggered-calls.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import type { Registry } from './registry.ts';
import { jsonOf } from '../../contract/json.ts';

interface Needs {
  readonly triggeredCalls: TriggeredCalls;
  readonly outgoingCalls: OutgoingCalls;
  readonly registry: Registry;
}

/** Extensions that say whether an object is valid. */
export class Validation extends Area<Needs> {
  /** The extensions that are asked about objects of the SoftType. Source: extensions, Extension metadata record, capability use */
  async validatorsFor(reading: Reading, softTypeId: string): Promise<readonly Addressee[]> {
    const addresses = await this.needs.registry.validatorsOf(reading, softTypeId);
    const found = await Promise.all(
      addresses.map((address) => this.needs.triggeredCalls.addresseeAt(reading, address)),
    );
    return found.flatMap((addressee) => (addressee?.callee.active ? [addressee] : []));
  }

  /** Asks all of them at once. Not to be called inside a read or a change set. @throws {Refusal} 400 for an information filter that is none */
  async verdictOn(call: SpaceCall, object: StoredObject, validators: readonly Addressee[]): Promise<Verdict> {
    const verdicts = validators.map((validator) => this.askValidator(call, object, validator));
    return combinedVerdict(await Promise.all(verdicts));
  }

  async askValidator(call: SpaceCall, object: StoredObject, validator: Addressee): Promise<Verdict> {
    const { registrationId, recordId } = validator;
    const payload = this.validationPayload(call, object);
    const delivery = this.needs.triggeredCalls.deliveryOf(call, {
      id: randomUUID(),
      kind: 'validation',
      registrationId,
      recordId,
      payload,
    });
    return this.verdictOf(await this.needs.outgoingCalls.callWithRetries(delivery, validationRetries));
  }

  /** Source: extensions, Payloads by extension type, row ExternalValidation; ledger optional-payload-members */
  validationPayload(call: SpaceCall, object: StoredObject): object {
    const context = call.query.get('contextObjectId');
    return { objectId: object.oid, ...(context === null ? {} : { contextObjectId: context }), spaceId: call.space.id };
  }

  /** Anything but 200 with the documented object is an error of the validation; an extension that is gone has no say. Source: ledger task-and-validation-success, validation-status-code */
  verdictOf(outcome: CallOutcome): Verdict {
    if (outcome.kind === 'timeout') return { kind: 'error', message: `no answer came within ${outcome.waitedMs} ms` };
    // deleted between the look-up and the call
    if (outcome.kind === 'failed' && outcome.gone === true) return { kind: 'valid', message: '' };
    if (outcome.kind === 'failed') return { kind: 'error', message: outcome.reason };
    if (outcome.status !== 200) return { kind: 'error', message: `the answer was ${outcome.status}` };
    return verdictIn(jsonOf(outcome.body));
  }

  /** Whether any extension validates anything at all: one look-up, for those services where none does. */
  async mayNeedValidation(reading: Reading): Promise<boolean> {
    return (await this.needs.registry.recordsOfType(reading, 'ExternalValidation')).length > 0;
  }

  /**
   * Inside the change set: lets the promote pass when the object, at this version, was found valid, or needs nobody's opinion.
   * @throws {Refusal} 409 not valid, or changed by the batch itself, 502 not known
   * @throws {Outdated} changed, or in need of an opinion, since somebody was asked
   */
  async assertValidated(call: SpaceCall, reading: Reading, object: StoredObject): Promise<void> {
    const verdict = call.verdicts?.get(stateKey(object));
    if (verdict !== undefined) return requireValid(verdict);
    if (!(await this.mayNeedValidation(reading))) return;
    if ((await this.validatorsFor(reading, object.softType)).length === 0) return;
    const detail = `Nobody was asked whether version ${object.version} of the object is valid: promote it by a request of its own.`;
    if (call.isChangedHere?.(object.oid) === true) throw new Refusal(409, detail);
    throw new Outdated(409, detail);
  }

  /** A promote changes nothing of what was asked about, so that the verdict holds for the next promote of a batch as well. */
  handVerdictOn(call: SpaceCall, object: StoredObject, version: number): void {
    const verdict = call.verdicts?.get(stateKey(object));
    if (verdict !== undefined) call.verdicts?.set(stateKey({ ...object, version }), verdict);
  }
}

/** Lets an operation on a valid object pass. Source: ledger trigger-validation-binding. @throws {Refusal} 409 not valid, 502 not known */
export function requireValid(verdict: Verdict): void {
  if (verdict.kind === 'valid') return;
  if (verdict.kind === 'invalid') throw new Refusal(409, `The object is not valid: ${verdict.message}`);
  throw new Refusal(502, `Whether the object is valid could not be found out: ${verdict.message}.`);
}

function verdictIn(answer: unknown): Verdict {
  if (typeof answer !== 'object' || answer === null || !('isValid' in answer) || typeof answer.isValid !== 'boolean')
    return { kind: 'error', message: 'the answer is no object with isValid' };
  const message = 'message' in answer && typeof answer.message === 'string' ? answer.message : '';
  return { kind: answer.isValid ? 'valid' : 'invalid', message };
}

/** One negative verdict is the verdict of all, and an error that of those who said yes. Source: ledger validation-several-extensions */
export function combinedVerdict(verdicts: readonly Verdict[]): Verdict {
  const named = (kind: Verdict['kind']): Verdict | undefined => verdicts.find((verdict) => verdict.kind === kind);
  return named('invalid') ?? named('error') ?? named('valid') ?? { kind: 'valid', message: '' };
}

export function stateKey({ oid, version }: StoredObject): string {
  return `${oid} ${version}`;
}
