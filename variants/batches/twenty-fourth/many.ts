import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { editPath, versionHeader } from '../service.ts';

export const manyMistakes: Batch = {
  'batch.version-of-an-undone-edit': {
    source: 'core: Batch rules 1',
    breaks: 'An edit that was rolled back with its batch has raised no version.',
    kind: 'copy',
    variant: (classes) => {
      const written = new Map<string, number>();
      return together(
        replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
          await right(areas, writing, object, version, content);
          written.set(object.oid, version);
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) =>
          right(areas, call, { ...object, version: written.get(object.oid) ?? object.version }),
        ),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      const edit = (version: number) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: 'edit' },
      });
      await edda.batch([edit(1), edit(9)]);
      return (await edda.merge(made, 1, { note: 'again' })).status !== 204;
    },
  },
};

export const accessMistakes: Batch = {
  'auth.let-in-once': {
    source: 'core: What the service does',
    breaks: 'A role decides on each method: whoever has read an object may not delete it for that.',
    kind: 'copy',
    variant: breaks('auth', 'authorize', (right) => {
      const passed = new Set<string>();
      return (areas, user, access, call) => {
        const key = `${user.name} ${call.url}`;
        if (access === 'space' && passed.has(key)) return;
        right(areas, user, access, call);
        passed.add(key);
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'read' });
      await rita.get(made.path);
      return (await rita.delete(made.path)).status === 204;
    },
  },
};
