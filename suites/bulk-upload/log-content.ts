import { setTimeout as sleep } from 'node:timers/promises';
import { completionMs, type Source } from '../../judge/bulk/upload-tree.ts';
import { jsonOf } from '../../judge/json.ts';
import type { CaseContext } from '../../judge/case.ts';

/** Name of a log at the root of the source. Source: extensions, Bulk upload request body, writeLog */
export const logName = /^FileUpload_([^/]+)\.log$/;

const pauseMs = 50;

/** The log as JSON, as soon as it was written to its end. */
export async function readLog(
  context: CaseContext,
  { directory }: Source,
  [name = '']: readonly string[],
): Promise<unknown> {
  const until = performance.now() + completionMs(context);
  for (;;) {
    const text = Buffer.from(await directory.read(name))
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    const json = jsonOf(text);
    if (json !== undefined) return json;
    if (performance.now() >= until) context.expect(text, 'text of the log').toSatisfy('one JSON document', () => false);
    await sleep(pauseMs);
  }
}

/** Asserts that settings, files and their number are in the log, wherever. */
export function expectTold({ expect }: CaseContext, log: unknown, { tree }: Source, target: string): void {
  const texts = textsIn(log);
  const names = Object.keys(tree);
  expect(texts, 'values in the log').toSatisfy(`the target directory ${target} among them`, (all) =>
    all.some((text) => text.includes(target)),
  );
  for (const flag of ['true', 'false'])
    expect(texts, 'values in the log').toSatisfy(`a flag that was sent as ${flag} among them`, (all) =>
      all.some((text) => text.toLowerCase() === flag),
    );
  for (const name of names)
    expect(texts, 'values in the log').toSatisfy(`the file ${name} among them`, (all) =>
      all.some((text) => text.includes(name)),
    );
  expect(texts, 'values in the log').toSatisfy(`the number of files, ${names.length}, among them`, (all) =>
    all.includes(String(names.length)),
  );
}

/** Every value of a JSON document as text, and the names of its members, since files may be told by those. */
export function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
  return [String(value)];
}

/** What a log says about a file, whose name is replaced, so that it can be compared with what it says about another. */
export function tellingOf(log: unknown, name: string): readonly unknown[] {
  return innermost(log, name).map((part) => JSON.parse(JSON.stringify(part).replaceAll(name, 'the file')) as unknown);
}

/** The smallest objects and texts of the log in which the name occurs. */
function innermost(value: unknown, name: string): readonly unknown[] {
  if (!JSON.stringify(value ?? null).includes(name)) return [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => innermost(item, name));
  if (typeof value !== 'object' || value === null) return [value];
  const deeper = Object.values(value)
    .filter((member) => typeof member === 'object' && member !== null)
    .flatMap((member: unknown) => innermost(member, name));
  return deeper.length > 0 ? deeper : [value];
}
