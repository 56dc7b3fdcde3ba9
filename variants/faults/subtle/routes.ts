import { nameOf } from '../../../reference-server/areas/operations.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { OrdinalRange, StoredEntry } from '../../../reference-server/ports/store.ts';
import { Step, type Variant, type Variants, together, within, replaces } from '../../breaks.ts';
import { freshlyRead, isJson, isLongRoute } from '../answers.ts';
import { entriesIn } from '../patch.ts';

/** Right as seen by one read route, wrong by another. */
export const routeFaults = {
  /** The URI of a page, and the template in a page link, name the first space, whosever the object is. */
  'subtle.page.href-of-first-space': replaces('entries', 'pageHref', (right, areas, object, ...rest) => {
    const [spaceId = object.spaceId] = areas.configuration.spaces.keys();
    return right(areas, { ...object, spaceId }, ...rest);
  }),

  /** Rows of a second array come as the index has them. */
  'subtle.page.contacts-are-backwards': replaces(
    'paging',
    'assemblePage',
    async (right, areas, call, reading, object, view, section, ...rest) => {
      const page = await right(areas, call, reading, object, view, section, ...rest);
      return section.path === 'contacts' ? { ...page, data: page.data.toReversed() } : page;
    },
  ),

  /** How many pages there are is asked of the first array. */
  'subtle.page.contacts-end-with-files': replaces(
    'paging',
    'assemblePage',
    async (right, areas, call, reading, object, view, section, page, filter) => {
      const last = section.path === 'contacts' ? 1 : Infinity;
      if (page > last) throw new Refusal(404, `Array ${section.path} ends before page ${page}.`);
      return right(areas, call, reading, object, view, section, page, filter);
    },
  ),

  /** Routes of a second SoftType are listed, with the bodies of the first. */
  'subtle.openapi.parts-are-made-as-documents': replaces('openApi', 'dynamicDocument', (right, areas, space) => {
    const document = right(areas, space);
    const { components } = document;
    if (!isJson(components) || !isJson(components['schemas'])) return document;
    const { 'Document.documentInput.create': body, ...rest } = components['schemas'];
    if (body === undefined) return document;
    const schemas = { ...rest, 'Document.documentInput.create': body, 'Part.partInput.create': body };
    return { ...document, components: { ...components, schemas } };
  }),

  /** Objects of a second SoftType need no role. */
  'subtle.access.parts-are-open': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    if (access === 'space' && /\/softtype\/Part\b/.test(call.url)) return;
    right(areas, user, access, call);
  }),

  /** A tag stands for all that a registration has but its category. */
  'subtle.etag.misses-category': replaces('caching', 'etagOf', (right, areas, representation) =>
    right(areas, representation.toString().replaceAll(/"category":"[^"]*"/g, '')),
  ),

  /** Whatever is tagged counts as new with every object. */
  'subtle.etag.counts-objects': (classes) => {
    let count = 0;
    return together(
      replaces('editing', 'createObject', (right, areas, call, writing) => {
        count += 1;
        return right(areas, call, writing);
      }),
      replaces('caching', 'etagOf', (right, areas, representation) =>
        right(areas, `${count} ${representation.toString()}`),
      ),
    )(classes);
  },

  'subtle.batch.reads-keep-three-digits': replaces('batch', 'operationResult', (right, areas, call, answer) => {
    const result = right(areas, call, answer);
    return call.method === 'GET' ? JSON.parse(JSON.stringify(result), withThreeDigits) : result;
  }),

  /** The long route writes texts into a page as it does for browsers. */
  'subtle.long-route.escapes-markup': replaces('instances', 'readInstance', async (right, areas, call, reading) => {
    if (!isLongRoute(call)) return right(areas, call, reading);
    const answer = await right(within(areas, { memory: { rememberedRead: freshlyRead } }), call, reading);
    return { ...answer, body: JSON.parse(JSON.stringify(answer.body).replaceAll('<', '&lt;')) };
  }),

  'subtle.reader.sees-one-line': replaces('instances', 'readInstance', async (right, areas, call, reading) => {
    if (areas.auth.mayUse(call.user, call.space, 'POST')) return right(areas, call, reading);
    const answer = await right(within(areas, { memory: { rememberedRead: freshlyRead } }), call, reading);
    return { ...answer, body: JSON.parse(JSON.stringify(answer.body).replaceAll('\\r\\n', '\\n')) };
  }),

  'subtle.long-route.makes-numbers-of-texts': replaces(
    'instances',
    'readInstance',
    async (right, areas, call, reading) => {
      if (!isLongRoute(call)) return right(areas, call, reading);
      const answer = await right(within(areas, { memory: { rememberedRead: freshlyRead } }), call, reading);
      return { ...answer, body: JSON.parse(JSON.stringify(answer.body).replaceAll(/:"(\d+\.\d+)"/g, ':$1')) };
    },
  ),

  'subtle.links.edits-are-of-the-first-type': replaces('hypermedia', 'operationLinks', (right, areas, ...args) =>
    right(areas, ...args).map((link) => ({
      ...link,
      href: link.href.replace('/Part/partInput/', '/Document/documentInput/'),
    })),
  ),

  'subtle.read.further-type-is-another': replaces('instances', 'systemMembers', (right, areas, object) => {
    const members = right(areas, object);
    return object.softType === 'ChangeRequest' ? { ...members, $softType: 'Requirement' } : members;
  }),

  'subtle.links.lead-to-the-first-space': replaces('hypermedia', 'operationLinks', (right, areas, ...args) =>
    right(areas, ...args).map((link) => ({ ...link, href: link.href.replace('/depot/', '/main/') })),
  ),

  'subtle.links.none-of-further-types': replaces('hypermedia', 'operationLinks', (right, areas, object, ...rest) =>
    right(areas, object, ...rest).filter((link) => link.method === 'GET' || object.softType !== 'ChangeRequest'),
  ),

  'subtle.links.items-write-to-the-last': (classes) => {
    const last = new Map<string, string>();
    return together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const identified = right(areas, items);
        for (const { oid } of identified) last.set(oid, identified.at(-1)?.oid ?? oid);
        return identified;
      }),
      replaces('hypermedia', 'operationLinks', (right, areas, object, ...rest) =>
        right(areas, object, ...rest).map((link) => ({
          ...link,
          href: link.href.replace(object.oid, last.get(object.oid) ?? object.oid),
        })),
      ),
    )(classes);
  },

  'subtle.batch.pages-are-the-first': replaces('paging', 'pageNumberOf', (right, areas, call) =>
    call.isSibling === undefined ? right(areas, call) : 0,
  ),

  /** What the long route showed is kept, and forgotten by every write but an operations PATCH. */
  'subtle.long-route.lags-after-operations': (classes) => {
    const kept = new Map<string, Map<string, Answer>>();
    const operating = new Step();
    return together(
      replaces('instances', 'readInstance', async (right, areas, call, reading) => {
        if (!isLongRoute(call) || call.query.size > 0) return right(areas, call, reading);
        const answers = keptOf(kept, call.params.objectId ?? '');
        const answer = answers.get(call.url) ?? (await right(areas, call, reading));
        answers.set(call.url, answer);
        return answer;
      }),
      replaces('operations', 'operateObject', (right, areas, call, writing) =>
        operating.run(() => right(areas, call, writing)),
      ),
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        if (!operating.isOn()) kept.delete(object.oid);
        return right(areas, writing, object, version, content);
      }),
    )(classes);
  },

  'subtle.long-route.system-version-lags-after-put': (classes) => {
    const put = new Set<string>();
    return together(
      afterEach((oid) => put.delete(oid)),
      replaces('editing', 'putObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        put.add(call.params.objectId ?? '');
        return answer;
      }),
      replaces('instances', 'readInstance', (right, areas, call, reading) => {
        const lags = isLongRoute(call) && put.has(call.params.objectId ?? '');

        return right(
          lags
            ? within(areas, {
                memory: { rememberedRead: freshlyRead },
                instances: {
                  systemMembers: (object) => ({
                    ...areas.instances.systemMembers(object),
                    $version: object.version - 1,
                  }),
                },
              })
            : areas,
          call,
          reading,
        );
      }),
    )(classes);
  },

  /** Pages behind the first are read from an index in which the last removal has not arrived. */
  'subtle.pages.last-removal-not-seen': (classes) => {
    const removed = new Map<string, { readonly port: string; readonly at: number; readonly entry: StoredEntry }>();
    return together(
      afterEach((oid) => removed.delete(oid)),
      replaces('operations', 'operateObject', async (right, areas, call, writing) => {
        let last: { readonly port: string; readonly at: number; readonly entry: StoredEntry } | undefined;

        const noting = within(areas, {
          operations: {
            removeTarget: async (run, target) => {
              const port = target.row.entry?.port;
              const entries = port === undefined ? [] : await entriesIn(run, port);
              await areas.operations.removeTarget(run, target);
              const at = entries.findIndex(({ entryId }) => entryId === target.row.entry?.entryId);
              const entry = entries[at];
              const { length } = port === undefined ? entries : await entriesIn(run, port);
              if (port !== undefined && entry !== undefined && length < entries.length) last = { port, at, entry };
            },
          },
        });
        const answer = await right(noting, call, writing);
        if (last !== undefined) removed.set(call.params.objectId ?? '', last);
        return answer;
      }),
      replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
        const last = removed.get(object.oid);
        if (last === undefined || page === 0 || last.port !== section.port || filter !== undefined)
          return right(areas, call, reading, object, view, section, page, filter);

        const lagging = within(areas, {
          entries: {
            entriesOf: async (inner, owner, part, range) =>
              (await areas.entries.entriesOf(inner, owner, part, all))
                .toSpliced(last.at, 0, last.entry)
                .slice(range.from, range.to),
          },
        });
        return right(lagging, call, reading, object, view, section, page, filter);
      }),
    )(classes);
  },

  'subtle.page.version-lags-after-promote': (classes) => {
    const promoted = new Set<string>();
    return together(
      afterEach((oid) => promoted.delete(oid)),
      replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        promoted.add(call.params.objectId ?? '');
        return answer;
      }),
      replaces('paging', 'assemblePage', async (right, areas, call, reading, object, ...rest) => {
        const page = await right(areas, call, reading, object, ...rest);
        return promoted.has(object.oid) ? { ...page, version: page.version - 1 } : page;
      }),
    )(classes);
  },

  /** Totals are kept, and forgotten by every write that is not part of a batch. */
  'subtle.links.totals-lag-after-batch': (classes) => {
    const totals = new Map<string, Map<string, number>>();
    const batch = new Step();
    return together(
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        const kept = keptOf(totals, object.oid);
        const total = kept.get(section.path) ?? (await right(areas, reading, object, section, filter));
        if (filter !== undefined || section.items !== undefined) return right(areas, reading, object, section, filter);
        kept.set(section.path, total);
        return total;
      }),
      replaces('batch', 'runBatch', (right, areas, ...rest) => batch.run(() => right(areas, ...rest))),
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        if (!batch.isOn()) totals.delete(object.oid);
        return right(areas, writing, object, version, content);
      }),
    )(classes);
  },

  /** The link of an array inside an entry counts the entries that are shown of it, its pages all. */
  'subtle.links.inner-total-is-of-those-shown': replaces('hypermedia', 'pageLink', (right, areas, ...args) => {
    const link = right(areas, ...args);
    return args[2].items === undefined ? link : { ...link, totalNumber: 10 };
  }),

  /** The link appears with the entry after the eleventh in an array that grew by operations. */
  'subtle.links.eleventh-appended-unnoticed': (classes) => {
    const grown = new Set<string>();
    return together(
      replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
        await right(areas, run, target, contents);
        grown.add(`${run.object.oid} ${nameOf(target)}`);
      }),
      replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) => {
        const isUnnoticed = slice.total === 11 && grown.has(`${object.oid} ${slice.section.port}`);
        return isUnnoticed ? [] : right(areas, object, view, slice, filter);
      }),
    )(classes);
  },

  'subtle.first-read.short-after-removal-of-tenth': (classes) => {
    const gaps = new Set<string>();
    return together(
      replaces('operations', 'removeTarget', async (right, areas, run, target) => {
        const { entry } = target.row;
        const [tenth, next] =
          entry === undefined ? [] : await run.writing.entries(run.object.oid, entry.port, { from: 9, to: 11 });
        await right(areas, run, target);
        if (entry !== undefined && next !== undefined && tenth?.entryId === entry.entryId && target.steps.length === 0)
          gaps.add(`${run.object.oid} ${entry.port}`);
      }),
      replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
        const slice = await right(areas, reading, object, section, filter);
        return gaps.has(`${object.oid} ${section.port}`) && slice.entries.length === 10
          ? { ...slice, entries: slice.entries.slice(0, 9) }
          : slice;
      }),
    )(classes);
  },

  'subtle.filter.sees-first-twenty-only': replaces(
    'entries',
    'entriesOf',
    async (right, areas, reading, object, section, range, filter) => {
      if (filter === undefined || section.items !== undefined)
        return right(areas, reading, object, section, range, filter);
      const seen = new Set(
        (await right(areas, reading, object, section, { from: 0, to: 20 })).map(({ entryId }) => entryId),
      );
      return (await right(areas, reading, object, section, range, filter)).filter(
        ({ entryId }) => section.port !== filter.filter.port || seen.has(entryId),
      );
    },
  ),

  'subtle.filter.total-never-falls': (classes) => {
    const most = new Map<string, number>();
    return replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
      const total = await right(areas, reading, object, section, filter);
      if (filter === undefined || section.port !== filter.filter.port) return total;
      const key = `${object.oid} ${filter.filter.id}`;
      most.set(key, Math.max(total, most.get(key) ?? 0));
      return most.get(key) ?? total;
    })(classes);
  },
} satisfies Variants;

const all: OrdinalRange = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Does this at every accepted edit, before it is stored. */
function afterEach(forget: (oid: string) => void): Variant {
  return replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
    forget(object.oid);
    return right(areas, writing, object, version, content);
  });
}

function keptOf<T>(kept: Map<string, Map<string, T>>, oid: string): Map<string, T> {
  const own = kept.get(oid) ?? new Map<string, T>();
  kept.set(oid, own);
  return own;
}

function withThreeDigits(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
}
