import { isJson } from '../answer.ts';
import { replacing, type Fault } from '../fault.ts';

/** A temporary id that one create of a batch carries can be referred to by the creates behind it. */
export function sharingTemporaryIds(): Fault {
  const oids = new Map<string, string>();
  const keyOf = (correlationId: string, $id: string) => `${correlationId} ${$id}`;
  return replacing('carryOutOperation', (right) => async (service, prepared, writing) => {
    const { call } = prepared;
    const body: unknown = call.method === 'POST' && call.body !== undefined ? JSON.parse(String(call.body)) : undefined;
    if (!isJson(body)) return right(service, prepared, writing);
    const { $id, ...content } = body;
    const resolved = JSON.stringify(content).replaceAll(/"instanceRef":"([^"]*)"/g, (whole, named: string) => {
      const oid = oids.get(keyOf(call.correlationId, named));
      return oid === undefined ? whole : `"$oid":${JSON.stringify(oid)}`;
    });
    const answer = await right(
      service,
      { ...prepared, call: { ...call, body: Buffer.from(resolved), isSibling: () => false } },
      writing,
    );
    const oid = answer.headers?.['Location']?.split('/').at(-1);
    if (typeof $id === 'string' && oid !== undefined) oids.set(keyOf(call.correlationId, $id), oid);
    return answer;
  });
}
