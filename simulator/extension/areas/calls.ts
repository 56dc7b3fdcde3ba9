import { headerNames } from '../../../contract/names.ts';
import { badRequest, callbackHeaders, joinUrl, type Call } from '../call.ts';
import { CallbackError } from '../client.ts';
import { actionResult } from '../default-answer.ts';
import { isObject } from '../envelope.ts';
import type { Step } from '../step.ts';
import { HostArea, type Surroundings } from '../surroundings.ts';
import type { Background } from './background.ts';
import type { Keys } from './keys.ts';

/** Routes that one event may have read. */
const mostReads = 10;
/** How the id of an object begins that is found invalid here. */
const invalidPrefix = 'invalid-';
/** How the id of the selected object begins on which an action fails here. */
const failingPrefix = 'failing-';
const mailMembers = ['to', 'from', 'subject', 'body'] as const;

/** Events, mails, validations and actions. Source: extensions, Calls to extensions */
export class Calls extends HostArea {
  readonly background: Background;
  readonly #keys: Keys;

  constructor(surroundings: Surroundings, background: Background, keys: Keys) {
    super(surroundings);
    this.background = background;
    this.#keys = keys;
  }

  /** Takes an event, also one that comes again. Source: extensions, Events 1 and 2 */
  async answerEvent(call: Call): Promise<Step> {
    await this.background.start(call, (signal) => this.workOnEvent(call, signal));
    return { status: 200 };
  }

  /**
   * `read` of the content payload is a route, or some, to GET at the base address with the token of the envelope; `bulkUpload` is a
   * `{ route, body }` to POST there with the administration key of the host. Other content is only kept in the journal.
   * One that fails does not keep the other from its end. @throws {CallbackError | OutOfTimeError}
   */
  async workOnEvent(call: Call, signal: AbortSignal): Promise<void> {
    const content = call.payload['contentPayload'];
    if (!isObject(content)) return;
    const works = await Promise.allSettled([
      this.#readAll(call, content['read'], signal),
      this.#uploadBulk(call, content['bulkUpload'], signal),
    ]);
    for (const work of works) if (work.status === 'rejected') throw work.reason;
  }

  /** Token that speaks for the user behind this call, and for no other. Source: extensions, Authentication 4 */
  tokenOf({ accessToken }: Call): string {
    return accessToken;
  }

  /** Space routes want a filter: that of the call. Source: core, Common request headers */
  filterHeader({ informationFilter }: Call): Readonly<Record<string, string>> {
    return informationFilter === undefined ? {} : { [headerNames.informationFilter]: informationFilter };
  }

  /** Takes a mail, which goes nowhere but into the journal. Source: extensions, Payloads by extension type, Email */
  answerEmail({ payload }: Call): Step | Promise<Step> {
    const wrong = mailMembers.find((name) => payload[name] !== undefined && typeof payload[name] !== 'string');
    return wrong === undefined ? { status: 200 } : badRequest(`Expected "${wrong}" of a mail to be a string.`);
  }

  /** Source: extensions, Calls to extensions, ExternalValidation; Errors 5 */
  answerValidation({ payload }: Call): Step | Promise<Step> {
    const { objectId } = payload;
    if (typeof objectId !== 'string') return badRequest('Expected "objectId" in the payload, a string.');
    return { status: 200, json: this.validationBody(objectId, this.isValid(objectId)) };
  }

  isValid(objectId: string): boolean {
    return !objectId.startsWith(invalidPrefix);
  }

  validationBody(objectId: string, isValid: boolean): object {
    return { isValid, message: isValid ? '' : `${objectId} is not valid here: its id begins with ${invalidPrefix}` };
  }

  /** One result, an array of them for a batch, or the errors. Source: extensions, Errors 4 */
  answerAction({ payload }: Call): Step | Promise<Step> {
    const { objectId } = payload;
    if (typeof objectId === 'string' && objectId.startsWith(failingPrefix))
      return {
        status: 500,
        json: this.errorBody(`${objectId} cannot be changed here: its id begins with ${failingPrefix}`),
      };
    const result = actionResult(payload);
    return { status: 200, json: Array.isArray(result) ? this.batchResults(result) : this.successBody(result) };
  }

  errorBody(message: string): object {
    return { errors: [{ message }] };
  }

  successBody(result: object): object {
    return result;
  }

  /** Results of the operations, in their order. */
  batchResults(results: readonly object[]): unknown {
    return results;
  }

  async #readAll(call: Call, read: unknown, signal: AbortSignal): Promise<void> {
    const headers = { ...callbackHeaders(call.id, this.tokenOf(call)), ...this.filterHeader(call) };
    const routes = [read].flat().filter((route) => typeof route === 'string');
    for (const route of routes.slice(0, mostReads)) {
      const url = joinUrl(call.baseAddress, route);
      await this.surroundings.client.demand({ method: 'GET', url, headers }, signal);
    }
  }

  async #uploadBulk(call: Call, bulkUpload: unknown, signal: AbortSignal): Promise<void> {
    if (!isObject(bulkUpload) || typeof bulkUpload['route'] !== 'string') return;
    const { route, body } = bulkUpload;
    const posting = { baseAddress: call.baseAddress, permission: 'AdministrationAPI', route, body };
    const { status } = await this.#keys.post(posting, signal);
    if (status >= 300) throw new CallbackError(`POST ${route} was answered ${status}`, status);
  }
}
