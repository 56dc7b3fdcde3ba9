import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, type Made, at, listAt } from '../service.ts';

/** Longer than any array of a proof. */
const all = { from: 0, to: 1000 };

async function entryPath(client: Client, made: Made, port: string, index: number): Promise<string> {
  return `/${port}/${String(at(await client.read(made), `/data/${port}/${index}/$entryId`))}`;
}

export const writing: Batch = {
  'writing.cascade-takes-its-equals': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that loses a mandatory member goes, and an entry that was equal to it stays.',
    kind: 'value',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const { port, entryId } = entry;
      const { oid } = run.object;
      const text = JSON.stringify((await run.writing.entry(oid, port, entryId))?.content);
      const equals = (await run.writing.entries(oid, port, all)).filter(
        ({ content }) => JSON.stringify(content) === text,
      );
      await right(areas, run, entry);
      for (const other of equals)
        if (other.entryId !== entryId) await run.writing.removeEntry(oid, port, other.entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'same' }, { name: 'same' }] });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await entryPath(edda, made, 'files', 0)}/name` }]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
};
