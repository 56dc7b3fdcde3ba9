import { isDeepStrictEqual } from 'node:util';
import { comparableId, guidForm } from '../../../judge/service/guid.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { inForce } from '../../../judge/model/call-history/due.ts';
import { type Call, decodedTarget } from '../../../judge/extension/call.ts';
import { signatureOver } from '../../../judge/service/signature.ts';
import {
  type Callee,
  contentOf,
  headerName,
  type Sent,
  type StatedVersion,
  selectionOf,
  subjectOf,
  textOf,
} from './callees.ts';
import { expectFilterKept, oidIn } from '../checks/triggered-calls.ts';
import { withoutSlash } from '../../../contract/address.ts';
import { tokensInQuery } from '../../../judge/service/token.ts';

/** Asserts what the attempts of one trigger were: those that came of it show what it says, each under what was registered then. */
export function expectContent(context: CaseContext, callee: Callee, sent: Sent, attempts: readonly Call[]): void {
  const { plan } = callee;
  const carries = context.profile.all.triggers?.carryHeaders !== false;
  for (const attempt of attempts) {
    const versions = inForce(callee.versions, sent.step, attempt.arrivedAt);
    if (plan.kind.endsWith('endpoint')) expectEndpointCall(context, callee, { sent, attempt, versions });
    else {
      expectExtensionCall(context, callee, { sent, attempt, versions });
      expectEnvelope(context, callee, sent, attempt);
      expectPayload(context, callee, sent, attempt);
    }
  }
  if (plan.kind.endsWith('endpoint') || !carries) return;
  expectFilterKept(context, attempts, sent.filter);
}

interface Made {
  readonly sent: Sent;
  readonly attempt: Call;
  /** Any of which it may be made by. */
  readonly versions: readonly StatedVersion[];
}

function expectEndpointCall(
  { expect, profile }: CaseContext,
  { plan }: Callee,
  { sent, attempt, versions }: Made,
): void {
  const shown = { method: attempt.method, header: attempt.header(headerName).join(', ') };
  expect(shown, 'method and header of the call of an endpoint').toBeOneOf(
    versions.map(({ stated: { method, header } }) => ({ method, header })),
  );
  const tokens = tokensOf(attempt);
  const [base] = attempt.target.split(attempt.path);
  const target = decodedTarget(attempt.target.replace(/(?<=[?&]access_token=)[^&]*/g, '…'));
  const targets = versions.map(({ stated }) => {
    const isTrusted = stated.isTrusted ?? plan.kind === 'trusted endpoint';
    const registered = `${base ?? ''}${stated.target}`;
    const token = `${registered.includes('?') ? '&' : '?'}access_token=…`;
    return { isTrusted, target: decodedTarget(isTrusted ? `${registered}${token}` : registered) };
  });
  const latest = targets.at(-1)?.isTrusted === true ? 'trusted' : 'simple';
  expect(target, `target of the call of a ${latest} endpoint`).toBeOneOf(targets.map((one) => one.target));
  // where time stands still, one that was registered anew since may count as well
  const isTrusted = targets.some((one) => one.isTrusted && isDeepStrictEqual(one.target, target));
  if (isTrusted) expect(tokens.length, 'parameters access_token of the call of a trusted endpoint').toEqual(1);
  else expect(attempt.header('Authorization').length, 'Authorization headers of the call of an endpoint').toEqual(0);
  if (profile.all.triggers?.endpoint === undefined) return;
  const { body } = sent;
  expect(typeof body === 'string' ? attempt.text : attempt.json, 'body of the call of an endpoint').toEqual(body);
}

function expectExtensionCall({ expect, given }: CaseContext, { reached }: Callee, { attempt, versions }: Made): void {
  expect(attempt.method, 'method of a call').toEqual('POST');
  const id = given.present(attempt.path.split('/')[2], 'a path that names the record', [
    'calls.extension.post-to-endpoint',
  ]);
  const routes = versions.map(({ stated }) => `/H/${id}/${stated.target}`);
  expect(attempt.path, `path of a call below ${new URL(reached.url).pathname}`).toBeOneOf(routes);
  expectSigned({ expect }, attempt, versions);
  expect(attempt.json, 'body of a call').toBeAnObject();
}

/** Asserts that the key of a registration signs. Source: extensions, Authentication 3; ledger signature-host-base-path */
export function expectSigned(
  { expect }: Pick<CaseContext, 'expect'>,
  { bearer, target, path, kind }: Call,
  versions: readonly Pick<StatedVersion, 'apiKey'>[],
): void {
  const paths = [target.split('?')[0] ?? '', path];
  const right = versions.flatMap(({ apiKey }) => paths.map((text) => signatureOver(apiKey, text)));
  expect(bearer, `the signature of a ${kind} request`).toBeOneOf(right);
}

function expectEnvelope(context: CaseContext, { plan }: Callee, sent: Sent, attempt: Call): void {
  const { expect, profile } = context;
  const { envelope } = attempt;
  const { triggers, baseAddress } = profile.all;
  expect(envelope.id, 'id of the envelope').toBeAString();
  expect(envelope.accessToken, 'accessToken of the envelope').toBeAString();
  expect(envelope.informationFilter, 'informationFilter of the envelope').toBeAString();
  if (baseAddress !== undefined)
    expect(withoutSlash(envelope.baseAddress), 'baseAddress of the envelope').toEqual(withoutSlash(baseAddress));
  if (['validation', 'task', 'mail'].includes(plan.kind)) {
    const tokens = tokensInQuery(attempt);
    expect(tokens.length, `query parameters of the call of a ${plan.kind} that hold its accessToken`).toEqual(1);
  }
  const { correlationId, triggered } = sent;
  if (plan.kind === 'task') {
    if (triggered?.id !== undefined)
      expect(comparableId(envelope.id), 'id of the envelope of a task').toEqual(comparableId(triggered.id));
  } else if (triggers?.carryHeaders !== false) {
    if (correlationId === undefined)
      expect(envelope.id, 'id of an envelope whose trigger had none').toSatisfy('a GUID', (id) =>
        guidForm.test(id ?? ''),
      );
    else
      expect(comparableId(envelope.id), 'id of the envelope, compared with that of the trigger').toEqual(
        comparableId(correlationId),
      );
  }
}

function expectPayload(context: CaseContext, { plan }: Callee, sent: Sent, { payload }: Call): void {
  const { expect } = context;
  if (plan.kind !== 'mail' && plan.kind !== 'task')
    expect(payload['spaceId'], 'spaceId of a payload').toEqual(sent.space);
  switch (plan.kind) {
    case 'event':
      expect(payload['contentPayload'], 'contentPayload of an event').toEqual(contentOf(sent));
      expect(payload['id'], 'id of an event').toBeAString();
      break;
    case 'mail':
      expect(payload['body'], 'body of a mail').toEqual(textOf(sent));
      expect(payload['subject'], 'subject of a mail').toEqual(subjectOf(sent));
      break;
    case 'task':
      expect(payload['taskSettings'], 'taskSettings of a task').toEqual(contentOf(sent));
      break;
    case 'validation':
      expect(payload['objectId'], 'objectId of a validation').toEqual(sent.thing?.oid);
      expect(payload['contextObjectId'] ?? '', 'contextObjectId of a validation').toEqual(sent.owner?.oid ?? '');
      break;
    case 'action':
      expectSelection(context, sent, payload);
  }
}

function expectSelection({ expect, profile }: CaseContext, sent: Sent, payload: Call['payload']): void {
  const { thing, context } = selectionOf(sent);
  const { [sent.as]: identity } = profile.all.identities;
  if (thing !== undefined) {
    expect(payload['objectId'], 'objectId of an action').toEqual(thing.oid);
    expect(Number(payload['svcUOIVersion']), 'svcUOIVersion of an action').toEqual(thing.version);
  }
  expect(oidIn(payload, 'selectedObject'), 'selectedObject.$oid of an action').toEqual(thing?.oid);
  expect(oidIn(payload, 'contextObject'), 'contextObject.$oid of an action').toEqual(context?.oid);
  if (identity?.email !== undefined)
    expect(String(payload['email']).toLowerCase(), 'email of an action').toEqual(identity.email.toLowerCase());
}

/** Tokens of an attempt: that of its envelope, or that in the query of a trusted endpoint. */
export function tokensOf({ kind, envelope, query }: Call): readonly string[] {
  if (kind !== 'endpoint') return envelope.accessToken === undefined ? [] : [envelope.accessToken];
  return query.filter(([name]) => name === 'access_token').map(([, value]) => value);
}

/** Asserts that ids which the service made up are different for each trigger. */
export function expectOwnIds({ expect }: CaseContext, firsts: readonly (readonly [Sent, Call])[]): void {
  const own = firsts.filter(
    ([{ correlationId }, { kind }]) => correlationId === undefined && kind !== 'endpoint' && kind !== 'task',
  );
  const ids = own.map(([, { envelope }]) => envelope.id);
  expect(new Set(ids).size, `different ids of ${ids.length} envelopes whose triggers had none`).toEqual(ids.length);
}
