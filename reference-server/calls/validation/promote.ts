import { Outdated, Refusal } from '../../problem.ts';
import type { Service, SpaceCall } from '../../service.ts';
import type { Reading, StoredObject } from '../../store/store.ts';
import type { Addressee } from '../triggers/addressee.ts';

/** An object and who has to be asked about it. */
interface Question {
  readonly object: StoredObject;
  readonly validators: readonly Addressee[];
}

/**
 * Ahead of the change set of a promote: asks the extensions that validate the object, and hands their verdict on with the call.
 * A promote that would be refused anyway is none of their business. Source: extensions, Extension metadata record, capability use
 */
export async function validatedPromote(service: Service, call: SpaceCall): Promise<SpaceCall> {
  const question = await service.store.read((reading) => questionOf(service, call, reading));
  if (question === undefined) return call;
  const verdict = await service.behaviours.verdictOn(service, call, question.object, question.validators);
  return { ...call, verdicts: new Map([...(call.verdicts ?? []), [stateKey(question.object), verdict]]) };
}

async function questionOf(service: Service, call: SpaceCall, reading: Reading): Promise<Question | undefined> {
  if (!(await mayNeedValidation(service, reading))) return undefined;
  try {
    const { object } = await service.behaviours.promotable(service, call, reading);
    const validators = await service.behaviours.validatorsFor(service, reading, object.softType);
    return validators.length === 0 ? undefined : { object, validators };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Whether any extension validates anything at all: one look-up, for those services where none does. */
export async function mayNeedValidation(service: Service, reading: Reading): Promise<boolean> {
  return (await service.behaviours.recordsOfType(reading, 'ExternalValidation')).length > 0;
}

/**
 * Inside the change set: lets the promote pass when the object, at this version, was found valid, or needs nobody's opinion.
 * @throws {Refusal} 409 not valid, 502 not known
 * @throws {Outdated} changed, or in need of an opinion, since somebody was asked
 */
export async function assertValidated(
  service: Service,
  call: SpaceCall,
  reading: Reading,
  object: StoredObject,
): Promise<void> {
  const verdict = call.verdicts?.get(stateKey(object));
  if (verdict !== undefined) return service.behaviours.requireValid(verdict);
  if (!(await mayNeedValidation(service, reading))) return;
  if ((await service.behaviours.validatorsFor(service, reading, object.softType)).length === 0) return;
  throw new Outdated(
    409,
    `Nobody was asked whether version ${object.version} of the object is valid: promote it by a request of its own.`,
  );
}

function stateKey({ oid, version }: StoredObject): string {
  return `${oid} ${version}`;
}
