import { randomBytes } from 'node:crypto';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import type { RegistrationKind } from '../../judge/extension/registrations.ts';

export type Body = Readonly<Record<string, unknown>>;

export const kinds = [
  'externalEndpoint',
  'trustedExternalEndpoint',
  'svcExtension',
] as const satisfies readonly RegistrationKind[];
/** Fields without which a simple endpoint is none. Source: extensions, Registered external endpoint, Required column */
export const requiredOfEndpoint = ['url', 'id', 'method', 'category', 'headers'] as const;

const keyBytes = 64;
const contentType = { name: 'content-type', value: 'application/json' };

/** A simple endpoint with what is required and nothing else; its id outlives a run that is cut off, so that a seed does not give it twice. */
export function endpointBody({ given }: CaseContext, more: Body = {}): Body {
  const id = `${given.unique('endpoint')}-${randomBytes(4).toString('hex')}`;
  return {
    url: 'https://example.com/hook',
    id,
    method: 'POST',
    category: 'conformance',
    headers: [contentType],
    ...more,
  };
}

export function trustedBody(context: CaseContext, more: Body = {}): Body {
  return endpointBody(context, { tokenLifeTime: 60, ...more });
}

/** The registration of an extension that stands ready, with what is required and nothing else. */
export function extensionBody({ url, apiKey }: Extension): Body {
  return { hostUri: url, apiKey, tokenLifeTime: 60 };
}

/** A body that is right for the kind, at a host that need not be there. */
export function bodyOf(context: CaseContext, kind: RegistrationKind): Body {
  if (kind === 'externalEndpoint') return endpointBody(context);
  if (kind === 'trustedExternalEndpoint') return trustedBody(context);
  return { hostUri: 'https://example.com', apiKey: randomBytes(keyBytes).toString('base64'), tokenLifeTime: 60 };
}

export function without(body: Body, field: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}

/** A value of another JSON type than the one that the field has. */
export function ofAnotherType(value: unknown): unknown {
  return typeof value === 'string' ? 17 : 'text';
}

/** Asserts that the endpoint is taken, and records whether it reads back as it was sent. */
export async function expectTaken(context: CaseContext, kind: RegistrationKind, body: Body): Promise<Reply> {
  const { registrations, expect, notes } = context;
  const reply = await registrations.post(kind, body);
  expect(reply).toSucceed();
  const read = await registrations.read(registrations.made(kind, body, reply));
  if (read !== undefined && read.status === 200)
    notes.observe('fields that do not read back as sent', differing(body, read.json).join(', ') || 'none', read);
  return reply;
}

/** Asserts that each body without one of the fields is refused, and that nothing stays of it: the whole body, with the same id, is taken then. */
export async function expectEachNeeded(
  context: CaseContext,
  kind: RegistrationKind,
  fields: readonly string[],
  make: () => Body,
): Promise<void> {
  const { registrations, expect, given } = context;
  given.succeeded(await registrations.post(kind, make()), 'a whole registration is taken', [groundOf[kind]]);
  for (const field of fields) {
    const whole = make();
    expect(await registrations.post(kind, without(whole, field))).notToSucceed();
    expect(await registrations.post(kind, whole)).toSucceed();
  }
}

/** Records what becomes of null and of a value of another JSON type in each of the fields. */
export async function observeWrongValues(
  context: CaseContext,
  kind: RegistrationKind,
  fields: readonly string[],
  make: () => Body,
): Promise<void> {
  const { registrations, notes } = context;
  for (const field of fields) {
    const whole = make();
    for (const [name, value] of [
      ['null', null],
      ['another type', ofAnotherType(whole[field])],
    ] as const) {
      const reply = await registrations.post(kind, { ...make(), [field]: value });
      notes.observe(`${kind} with ${field} of ${name}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
  }
}

/** The rule that says that a registration of the kind is taken at all. */
export const groundOf = {
  externalEndpoint: 'registration.simple.required-only-accepted',
  trustedExternalEndpoint: 'registration.trusted.required-only-accepted',
  svcExtension: 'registration.extension.required-only-accepted',
} as const;

function differing(body: Body, read: unknown): readonly string[] {
  return Object.keys(body).filter(
    (name) => JSON.stringify(Reflect.get(Object(read), name)) !== JSON.stringify(body[name]),
  );
}
