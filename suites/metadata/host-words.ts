import type { HostContext } from '../../judge/host/host.ts';
import type { Reply } from '../../judge/exchange.ts';
import { isObject } from '../../judge/answer.ts';

/** An item of the metadata answer, whatever it holds. */
export type ReadRecord = Readonly<Record<string, unknown>>;

/** The items of a fresh metadata answer that are objects; that it is an array of them is the business of another rule. */
export async function readRecords({
  host,
  given,
}: HostContext): Promise<{ readonly reply: Reply; readonly records: readonly ReadRecord[] }> {
  const reply = await host.metadata();
  given.succeeded(reply, 'the metadata are served', ['metadata.host.array-response']);
  const items = given.present(
    Array.isArray(reply.json) ? (reply.json as readonly unknown[]) : undefined,
    'a metadata array',
    ['metadata.host.array-response'],
  );
  return { reply, records: items.filter(isObject) };
}

/** Checks each record of a fresh metadata answer. @param check gets the record and which one it is, in words */
export async function eachRecord(
  context: HostContext,
  check: (record: ReadRecord, name: string, reply: Reply) => void,
): Promise<void> {
  const { reply, records } = await readRecords(context);
  context.expect(reply.json, 'the metadata', reply).toBeAnArray();
  records.forEach((record, index) => check(record, nameOf(record, index), reply));
}

function nameOf({ id }: ReadRecord, index: number): string {
  return typeof id === 'string' ? `record ${JSON.stringify(id)}` : `record ${index + 1}`;
}
