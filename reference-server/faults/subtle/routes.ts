import type { Service } from '../../service.ts';
import type { OrdinalRange, StoredEntry } from '../../store/store.ts';
import type { Answer } from '../../service.ts';
import { nameOf } from '../../patch/operation-add.ts';
import { replacing, together, type Fault } from '../fault.ts';
import { isLongRoute, within } from '../reads.ts';
import { entriesIn } from '../patch/operations-fault.ts';

/** Right as seen by one read route, wrong by another. */
export const routeFaults = {
  /** What the long route showed is kept, and forgotten by every write but an operations PATCH. */
  'subtle.long-route.lags-after-operations': (behaviours) => {
    const kept = new Map<string, Map<string, Answer>>();
    return together(
      replacing('readInstance', (right) => async (service, call, reading) => {
        if (!isLongRoute(call) || call.query.size > 0) return right(service, call, reading);
        const answers = keptOf(kept, call.params.objectId ?? '');
        const answer = answers.get(call.url) ?? (await right(service, call, reading));
        answers.set(call.url, answer);
        return answer;
      }),
      replacing(
        'operateObject',
        (right) => (service, call, writing) =>
          right(within(service, { storeEdit: behaviours.storeEdit }), call, writing),
      ),
      replacing('storeEdit', (right) => (service, writing, object, version, content) => {
        kept.delete(object.oid);
        return right(service, writing, object, version, content);
      }),
    )(behaviours);
  },

  'subtle.long-route.system-version-lags-after-put': (behaviours) => {
    const put = new Set<string>();
    return together(
      afterEach((oid) => put.delete(oid)),
      replacing('putObject', (right) => async (service, call, writing) => {
        const answer = await right(service, call, writing);
        put.add(call.params.objectId ?? '');
        return answer;
      }),
      replacing('readInstance', (right) => (service, call, reading) => {
        const lags = isLongRoute(call) && put.has(call.params.objectId ?? '');
        const { systemMembers } = service.behaviours;
        return right(
          lags
            ? within(service, {
                rememberedRead: freshlyRead,
                systemMembers: (object) => ({ ...systemMembers(object), $version: object.version - 1 }),
              })
            : service,
          call,
          reading,
        );
      }),
    )(behaviours);
  },

  /** Pages behind the first are read from an index in which the last removal has not arrived. */
  'subtle.pages.last-removal-not-seen': (behaviours) => {
    const removed = new Map<string, { readonly port: string; readonly at: number; readonly entry: StoredEntry }>();
    return together(
      afterEach((oid) => removed.delete(oid)),
      replacing('operateObject', (right) => async (service, call, writing) => {
        let last: { readonly port: string; readonly at: number; readonly entry: StoredEntry } | undefined;
        const { removeTarget } = service.behaviours;
        const noting = within(service, {
          removeTarget: async (itself, run, target) => {
            const port = target.row.entry?.port;
            const entries = port === undefined ? [] : await entriesIn(run, port);
            await removeTarget(itself, run, target);
            const at = entries.findIndex(({ entryId }) => entryId === target.row.entry?.entryId);
            const entry = entries[at];
            const { length } = port === undefined ? entries : await entriesIn(run, port);
            if (port !== undefined && entry !== undefined && length < entries.length) last = { port, at, entry };
          },
        });
        const answer = await right(noting, call, writing);
        if (last !== undefined) removed.set(call.params.objectId ?? '', last);
        return answer;
      }),
      replacing('assemblePage', (right) => (service, call, reading, object, view, section, page, filter) => {
        const last = removed.get(object.oid);
        if (last === undefined || page === 0 || last.port !== section.port || filter !== undefined)
          return right(service, call, reading, object, view, section, page, filter);
        const { entriesOf } = service.behaviours;
        const lagging = within(service, {
          entriesOf: async (itself, inner, owner, part, range) =>
            (await entriesOf(itself, inner, owner, part, all))
              .toSpliced(last.at, 0, last.entry)
              .slice(range.from, range.to),
        });
        return right(lagging, call, reading, object, view, section, page, filter);
      }),
    )(behaviours);
  },

  'subtle.page.version-lags-after-promote': (behaviours) => {
    const promoted = new Set<string>();
    return together(
      afterEach((oid) => promoted.delete(oid)),
      replacing('promoteObject', (right) => async (service, call, writing) => {
        const answer = await right(service, call, writing);
        promoted.add(call.params.objectId ?? '');
        return answer;
      }),
      replacing('assemblePage', (right) => async (service, call, reading, object, ...rest) => {
        const page = await right(service, call, reading, object, ...rest);
        return promoted.has(object.oid) ? { ...page, version: page.version - 1 } : page;
      }),
    )(behaviours);
  },

  /** Totals are kept, and forgotten by every write that is not part of a batch. */
  'subtle.links.totals-lag-after-batch': (behaviours) => {
    const totals = new Map<string, Map<string, number>>();
    return together(
      replacing('totalOf', (right) => async (service, reading, object, section, filter) => {
        const kept = keptOf(totals, object.oid);
        const total = kept.get(section.path) ?? (await right(service, reading, object, section, filter));
        if (filter !== undefined || section.items !== undefined)
          return right(service, reading, object, section, filter);
        kept.set(section.path, total);
        return total;
      }),
      replacing(
        'runBatch',
        (right) =>
          (service, ...rest) =>
            right(within(service, { storeEdit: behaviours.storeEdit }), ...rest),
      ),
      replacing('storeEdit', (right) => (service, writing, object, version, content) => {
        totals.delete(object.oid);
        return right(service, writing, object, version, content);
      }),
    )(behaviours);
  },

  /** The link appears with the entry after the eleventh in an array that grew by operations. */
  'subtle.links.eleventh-appended-unnoticed': (behaviours) => {
    const grown = new Set<string>();
    return together(
      replacing('appendToPort', (right) => async (service, run, target, contents) => {
        await right(service, run, target, contents);
        grown.add(`${run.object.oid} ${nameOf(target)}`);
      }),
      replacing('pageLinksOf', (right) => (service, object, view, slice, filter) => {
        const isUnnoticed = slice.total === 11 && grown.has(`${object.oid} ${slice.section.port}`);
        return isUnnoticed ? [] : right(service, object, view, slice, filter);
      }),
    )(behaviours);
  },

  'subtle.first-read.short-after-removal-of-tenth': (behaviours) => {
    const gaps = new Set<string>();
    return together(
      replacing('removeTarget', (right) => async (service, run, target) => {
        const { entry } = target.row;
        const [tenth, next] =
          entry === undefined ? [] : await run.writing.entries(run.object.oid, entry.port, { from: 9, to: 11 });
        await right(service, run, target);
        if (entry !== undefined && next !== undefined && tenth?.entryId === entry.entryId && target.steps.length === 0)
          gaps.add(`${run.object.oid} ${entry.port}`);
      }),
      replacing('firstSlice', (right) => async (service, reading, object, section, filter) => {
        const slice = await right(service, reading, object, section, filter);
        return gaps.has(`${object.oid} ${section.port}`) && slice.entries.length === 10
          ? { ...slice, entries: slice.entries.slice(0, 9) }
          : slice;
      }),
    )(behaviours);
  },

  'subtle.filter.sees-first-twenty-only': replacing(
    'entriesOf',
    (right) => async (service, reading, object, section, range, filter) => {
      if (filter === undefined || section.items !== undefined)
        return right(service, reading, object, section, range, filter);
      const seen = new Set(
        (await right(service, reading, object, section, { from: 0, to: 20 })).map(({ entryId }) => entryId),
      );
      return (await right(service, reading, object, section, range, filter)).filter(
        ({ entryId }) => section.port !== filter.filter.port || seen.has(entryId),
      );
    },
  ),

  'subtle.filter.total-never-falls': (behaviours) => {
    const most = new Map<string, number>();
    return replacing('totalOf', (right) => async (service, reading, object, section, filter) => {
      const total = await right(service, reading, object, section, filter);
      if (filter === undefined || section.port !== filter.filter.port) return total;
      const key = `${object.oid} ${filter.filter.id}`;
      most.set(key, Math.max(total, most.get(key) ?? 0));
      return most.get(key) ?? total;
    })(behaviours);
  },
} satisfies Readonly<Record<string, Fault>>;

const all: OrdinalRange = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Does this at every accepted edit, before it is stored. */
function afterEach(forget: (oid: string) => void): Fault {
  return replacing('storeEdit', (right) => (service, writing, object, version, content) => {
    forget(object.oid);
    return right(service, writing, object, version, content);
  });
}

function keptOf<T>(kept: Map<string, Map<string, T>>, oid: string): Map<string, T> {
  const own = kept.get(oid) ?? new Map<string, T>();
  kept.set(oid, own);
  return own;
}

/** Nothing is kept of a read that differs from others. */
const freshlyRead: Service['behaviours']['rememberedRead'] = async (
  _service,
  _call,
  _reading,
  _object,
  _view,
  assemble,
) => ({ status: 200, headers: { 'Cache-Control': 'no-store' }, body: await assemble() });
