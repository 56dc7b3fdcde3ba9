import type { CaseContext } from './case.ts';
import type { Reply, RequestSpec } from './exchange.ts';
import type { Thing } from './given.ts';
import { headerNames } from '../contract/names.ts';
import { versionOf } from './answer.ts';
import { editable } from './writes.ts';

/** Version as the next read shows it. */
export async function versionNow(context: CaseContext, thing: Thing): Promise<number> {
  return versionIn(context, await context.service.read(thing));
}

/** Version that a read shows. */
export function versionIn({ given }: CaseContext, reply: Reply): number {
  given.succeeded(reply, 'the object is readable', ['reading.instance.short-route-served']);
  const version = versionOf(reply);
  return given.present(typeof version === 'number' ? version : undefined, 'a version that is a number', [
    'reading.body.version-is-integer',
  ]);
}

/** A thing that was edited until its version is `above` higher than at its creation. */
export async function at(context: CaseContext, above: number): Promise<Thing> {
  return context.given.edited(await editable(context), above);
}

/** Sends the write with each of these versions: 409 every time, nothing changed; with the current one it succeeds. */
export async function answers409(
  context: CaseContext,
  thing: Thing,
  write: (thing: Thing) => RequestSpec,
  versions: readonly number[],
): Promise<void> {
  const { service, expect } = context;
  const before = await service.snapshot(thing);
  for (const version of versions) {
    const reply = await service.send(write(thing), { version });
    expect(reply).toAnswer(409);
  }
  expect.unchanged(before, await service.snapshot(thing));
  expect(await service.send(write(thing))).toSucceed();
}

/** Sends the write without version header, and with what could be mistaken for it: 412, nothing changed; with it it succeeds. */
export async function answers412(context: CaseContext, write: (thing: Thing) => RequestSpec): Promise<void> {
  const { service, expect } = context;
  const thing = await editable(context);
  const before = await service.snapshot(thing);
  const request = write(thing);
  const withVersionInBody = isPlain(request.body) ? { body: { ...request.body, $version: thing.version } } : {};
  for (const changes of [{}, { headers: { 'If-Match': `"${thing.version}"` } }, withVersionInBody])
    expect(await service.send(request, { ...changes, version: null })).toAnswer(412);
  expect.unchanged(before, await service.snapshot(thing));
  expect(await service.send(request)).toSucceed();
}

function isPlain(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

/** The version header of an answer as a number, or undefined. */
export function headerVersion(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const text = headers[headerNames.version.toLowerCase()];
  return text === undefined ? undefined : Number(text);
}
