import { Area } from '../area.ts';
import { mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundObject, type Route, callingRoute, writingRoute } from '../http/route.ts';
import type { Reading, Store, StoredObject } from '../ports/store.ts';
import type { Admission } from './admission.ts';
import type { Auth } from './auth.ts';
import { type Batch, type OperationRoutes, operationRoutesOf } from './batch.ts';
import type { Addressee } from './triggered-calls.ts';
import type { Maturity } from './maturity.ts';
import type { Messages } from './messages.ts';
import { maturityPath } from './objects.ts';
import { type Validation, requireValid, stateKey } from './validation.ts';

/** An object and who has to be asked about it. */
interface Question {
  readonly object: StoredObject;
  readonly validators: readonly Addressee[];
}

/** Where an object is validated as it is before a package with it is shared. Source: ledger trigger-validation-binding */
const sharePath = '/api/space/{spaceId}/shareValidation/{objectId}';

interface Needs {
  readonly admission: Admission;
  readonly store: Store;
  readonly auth: Auth;
  readonly batch: Batch;
  readonly maturity: Maturity;
  readonly messages: Messages;
  readonly validation: Validation;
}

/** Writes that extensions are asked about ahead of their change set. */
export class ValidatedWrites extends Area<Needs> {
  /** @param served the routes whose requests may be operations of a batch */
  batchRoutes(served: readonly Route[]): readonly Route[] {
    const table = operationRoutesOf(served);
    return [
      writingRoute({
        method: 'POST',
        path: routes.batch,
        access: 'participant',
        effect: 'write',
        needs: {
          mediaTypes: [mediaTypes.json],
          filter: true,
          json: (json) => this.needs.batch.batchOperationsOf(json),
        },
        before: (call) => this.validatedBatch(call, table),
        handle: (call, writing) => this.needs.batch.runBatch(call, writing, table),
      }),
    ];
  }

  routes(): readonly Route[] {
    return [
      writingRoute({
        method: 'PUT',
        path: maturityPath('promote'),
        access: 'space',
        effect: 'write',
        needs: this.needs.maturity.moveNeeds(),
        before: (call) => this.validatedPromote(call),
        handle: (call, writing) => this.needs.maturity.promoteObject(call, writing),
      }),
      callingRoute({
        method: 'POST',
        path: sharePath,
        access: 'space',
        effect: 'outside',
        needs: {
          object: true,
          place: (_call, reading, object) => this.needs.validation.validatorsFor(reading, object.softType),
        },
        handle: (call) => this.validateShare(call),
      }),
    ];
  }

  /**
   * Ahead of the change set of a promote: asks the extensions that validate the object, and hands their verdict on with the call.
   * A promote that would be refused anyway is none of their business. Source: extensions, Extension metadata record, capability use
   */
  private async validatedPromote(call: SpaceCall): Promise<SpaceCall> {
    const question = await this.needs.store.read((reading) => this.questionOf(call, reading));
    if (question === undefined) return call;
    const verdict = await this.needs.validation.verdictOn(call, question.object, question.validators);
    return { ...call, verdicts: new Map([...(call.verdicts ?? []), [stateKey(question.object), verdict]]) };
  }

  private async questionOf(call: SpaceCall, reading: Reading): Promise<Question | undefined> {
    if (!(await this.needs.validation.mayNeedValidation(reading))) return undefined;
    try {
      const { object } = this.needs.maturity.promotable(
        await this.needs.admission.admit(call, reading, this.needs.maturity.moveNeeds()),
      );
      const validators = await this.needs.validation.validatorsFor(reading, object.softType);
      return validators.length === 0 ? undefined : { object, validators };
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /**
   * Ahead of the change set of a batch: runs what its operations would run ahead of theirs, in order. A batch or an operation that is
   * malformed is left to the change set to refuse.
   */
  async validatedBatch(batch: SpaceCall, table: OperationRoutes): Promise<SpaceCall> {
    if (!(await this.needs.store.read((reading) => this.needs.validation.mayNeedValidation(reading)))) return batch;
    let { verdicts } = batch;
    for (const [index, operation] of this.operationsOf(batch).entries()) {
      const asked = await this.validatedOperation(
        { ...batch, ...(verdicts === undefined ? {} : { verdicts }) },
        table,
        operation,
        index,
      );
      verdicts = asked?.verdicts ?? verdicts;
    }
    return verdicts === undefined ? batch : { ...batch, verdicts };
  }

  private operationsOf(batch: SpaceCall): readonly unknown[] {
    return unlessRefused(() => this.needs.batch.batchOperationsOf(this.needs.messages.jsonBodyOf(batch))) ?? [];
  }

  private async validatedOperation(
    batch: SpaceCall,
    table: OperationRoutes,
    operation: unknown,
    index: number,
  ): Promise<SpaceCall | undefined> {
    const prepared = unlessRefused(() => {
      const found = this.needs.batch.prepareOperation(batch, table, operation, index);
      this.needs.auth.authorize(found.call.user, found.route.access, found.call);
      return found;
    });
    if (prepared?.route.effect !== 'write') return undefined;
    return prepared.route.before?.(prepared.call);
  }

  /** POST: the verdict of all extensions that validate the object. @throws {Refusal} 404, 409 not valid, 502 not known */
  private async validateShare(call: SpaceCall & FoundObject<readonly Addressee[]>): Promise<Answer> {
    const verdict = await this.needs.validation.verdictOn(call, call.object, call.place);
    requireValid(verdict);
    return { status: 200, body: { isValid: true, message: verdict.message } };
  }
}

function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
