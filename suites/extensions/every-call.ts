import { isTransient } from '../../judge/exchange.ts';
import { withoutSlash } from '../../contract/address.ts';
import { type CaseContext, review } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import { deeplyEqual, isObject } from '../../judge/json.ts';
import { rules } from '../../judge/rule.ts';
import { eventRecord } from './checks/extension-hosts.ts';
import { tokensInQuery } from '../../judge/service/token.ts';
import type { CallPlace } from '../../judge/violation.ts';

/** So many calls are told beside the first. */
const mostTold = 30;

/** What each payload has in any case, and its kind. Source: extensions, Payloads by extension type; ledger optional-payload-members */
const payloadMembers: Readonly<Partial<Record<Call['kind'], Readonly<Record<string, string>>>>> = {
  event: { contentPayload: 'object', id: 'string', spaceId: 'string' },
  validation: { objectId: 'string', spaceId: 'string' },
  task: { timeout: 'number', jobSettings: 'object', links: 'array' },
  email: { to: 'string', from: 'string' },
  action: { spaceId: 'string' },
};

const tokenInQuery: readonly Call['kind'][] = ['validation', 'task', 'email'];

export const everyCallRules = rules('calls', {
  'calls.extension.right-throughout': {
    source: 'extensions: Call envelope; Payloads by extension type; Calls to extensions; Authentication, rule 3',
    statement:
      'Each call of a run to a registered extension, first or made again, whatever its registration, trigger and moment, is a POST with a signature, a whole envelope, the payload of its type and, where that has one, the token in its query; the calls of one event carry one content.',
    fault: 'A call of an event to a record with capabilities has no baseAddress.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    repeats: ['calls', 'signing', 'tasks'],
    test: review(async (context) => {
      const { expect, given, notes, trace, triggers } = context;
      // so that the rule speaks by itself too
      const extension = await given.extension({
        records: [
          { ...eventRecord(context), capabilities: [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }] },
        ],
      });
      const own = await extension.arrived({ about: await triggers.event(extension) });
      // what was cut off, or is longer than the listener takes, says nothing
      const calls = (await trace()).filter(
        ({ kind, bytes, answered }) => kind in payloadMembers && bytes.length > 0 && answered !== 413,
      );
      const wrong = [...calls.flatMap((call) => faultsOf(context, call)), ...differingAttempts(calls)];
      // what was set off here can be set off again
      const [first, ...others] = wrong.toSorted((one, other) => Number(isOf(other, own)) - Number(isOf(one, own)));
      for (const { what } of others.slice(0, mostTold)) notes.remark(what);
      notes.observe('whether calls were looked at', calls.length > 0);
      expect(first?.what ?? 'none', 'wrong among the calls of the run', first?.seenIn).toEqual('none');
    }),
  },
});

/** What is wrong, in words, and the call that shows it by itself. */
interface Wrong {
  readonly what: string;
  readonly seenIn?: CallPlace;
}

function isOf({ seenIn }: Wrong, call: Call | undefined): boolean {
  return call !== undefined && seenIn?.call === call;
}

/** What is wrong with a call by itself. */
function faultsOf({ profile }: CaseContext, call: Call): readonly Wrong[] {
  const { kind, method, json, envelope, payload, target } = call;
  const told: Wrong[] = [];
  const see = (what: string, isRight: boolean, at?: string): void => {
    const where = `${kind} call ${method} ${target.split('?')[0]}, arrived ${call.arrivedWall}`;
    if (!isRight) told.push({ what: `${what} (${where})`, seenIn: { call, ...(at !== undefined && { at }) } });
  };
  see('the method is not POST', method === 'POST');
  see(
    'there is not one Authorization header with a signature',
    call.header('Authorization').length === 1 && isSignature(call.bearer),
  );
  see('the body is no JSON object', isObject(json));
  for (const name of ['id', 'accessToken', 'baseAddress'] as const)
    see(`${name} of the envelope is no text, or empty`, (envelope[name] ?? '') !== '', `/${name}`);
  see(
    'informationFilter of the envelope is no text',
    typeof envelope.informationFilter === 'string',
    '/informationFilter',
  );
  // in whichever alphabet
  see(
    'informationFilter of the envelope is no Base64',
    /^[\w+/\s-]*={0,2}\s*$/.test(String(envelope.informationFilter)),
    '/informationFilter',
  );
  const { baseAddress } = profile.all;
  if (baseAddress !== undefined)
    see(
      'baseAddress is not the configured one',
      withoutSlash(envelope.baseAddress) === withoutSlash(baseAddress),
      '/baseAddress',
    );
  for (const [name, wanted] of Object.entries(payloadMembers[kind] ?? {}))
    see(`${name} of the payload is no ${wanted}`, kindOf(payload[name]) === wanted, `/payload/${name}`);
  if (tokenInQuery.includes(kind)) see('the token is not once in the query', tokensInQuery(call).length === 1);
  return told;
}

/** Calls of one event because of one request that differ in what it is about. */
function differingAttempts(calls: readonly Call[]): readonly Wrong[] {
  const contents = new Map<string, unknown>();
  return calls.flatMap((call) => {
    const { kind, recordId, envelope, payload, answered } = call;
    const { id, spaceId, contentPayload } = payload;
    if (kind !== 'event' || typeof id !== 'string') return [];
    const content = [spaceId, contentPayload];
    // the id alone may be that of what is configured, for whatever happens
    const event = `${recordId} ${id} ${envelope.id}`;
    const before = contents.get(event) ?? content;
    // what was acknowledged, or is not to be tried again, has no further attempt
    if (answered === undefined || isTransient(answered)) contents.set(event, before);
    else contents.delete(event);
    return deeplyEqual(before, content)
      ? []
      : [{ what: `a call of the event ${id} has another content than one before (arrived ${call.arrivedWall})` }];
  });
}

function isSignature(bearer: string | undefined): boolean {
  return /^[\w-]{86}$/.test(bearer ?? '');
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return isObject(value) ? 'object' : typeof value;
}
