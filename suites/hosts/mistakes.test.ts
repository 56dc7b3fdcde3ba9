import { expect, test } from 'vitest';
import { judgeHost } from '../../bench/swarm/hosts.ts';
import { saidOf } from '../../bench/swarm/judge.ts';
import { headerNames } from '../../contract/names.ts';
import type { RuleId } from '../../contract/rule.ts';
import { isObject } from '../../judge/json.ts';
import { joinUrl } from '../../simulator/extension/call.ts';
import { together } from '../../variants/extension-host/breaks.ts';
import { breaks, type HostVariant } from '../../variants/extension-host/choice.ts';

interface Mistake {
  readonly rule: RuleId;
  readonly by: HostVariant;
  readonly found: RegExp;
}

/** Mistakes beside the fault of their rule. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'metadata are encoded in Latin-1': {
    rule: 'metadata.host.content-type-json',
    by: namingInLatin1(),
    found: /expected encoding of the metadata.*UTF-8.*found "?other bytes/,
  },
  'an unsigned event is refused and worked on': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: together(
      breaks('signing', 'isAdmitted', (right) => (entry) => entry.kind === 'event' || right(entry)),
      breaks('calls', 'answerEvent', (right) => async (call) => {
        const answer = await right(call);
        return call.entry.signature?.ok === true ? answer : { status: 401 };
      }),
    ),
    found: /for an unsigned event to be 0, found 1/,
  },
  'a password lets in': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: breaks(
      'signing',
      'isAdmitted',
      (right) => (entry) =>
        entry.headers.some(([name, value]) => /^authorization$/i.test(name) && value.startsWith('Basic ')) ||
        right(entry),
    ),
    found: /with a password in the place of a signature/,
  },
  'the token of a call lets in': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: breaks(
      'signing',
      'isAdmitted',
      (right) => (entry) =>
        (entry.envelope !== undefined && entry.signature?.presented === entry.envelope.accessToken) || right(entry),
    ),
    found: /with the token of the call in the place of a signature/,
  },
  'an edit has version 1 whatever was read': {
    rule: 'calls.host.uses-core-headers',
    by: editing(() => ({ [headerNames.version]: '1' })),
    found: /expected version of PATCH \S+ to be one that was read before: \d.* found "?1"?$/,
  },
  'an edit has the version that it makes': {
    rule: 'calls.host.uses-core-headers',
    by: editing((read) => ({ [headerNames.version]: String(Number(read) + 1) })),
    found: /expected version of PATCH \S+ to be one that was read before: 1, found "?2"?$/,
  },
  'an edit in a batch has no version': {
    rule: 'calls.host.uses-core-headers',
    by: editing(() => ({}), true),
    found: /expected version of PATCH \S+ in a batch to be an integer, found "?none"?$/,
  },
  'an edit in a batch has version 1 whatever was read': {
    rule: 'calls.host.uses-core-headers',
    by: editing(() => ({ 'svc-uoiversion': 1 }), true),
    found: /expected version of PATCH \S+ in a batch to be one that was read before: \d.* found "?1"?$/,
  },
  'a key itself stands in the place of a signature': {
    rule: 'api-keys.host.rotation-handled',
    by: showingKeys(),
    found: /bearer value of POST .*found "?the key itself/,
  },
};

test.each(Object.entries(mistakes))('%s', async (_what, { rule, by, found }) => {
  const { outcomes } = await judgeHost([{ meets: 'a mistake', by }], { rules: [rule], seed: 1 });
  expect(outcomes.map(saidOf)).toEqual([expect.stringMatching(found)]);
});

function showingKeys(): HostVariant {
  let key = '';
  return together(
    breaks('keys', 'answerCallback', (right) => (entry) => {
      const given = isObject(entry.json) ? entry.json['AdministrationAPI'] : undefined;
      if (isObject(given)) key = String(given['apiKey']);
      return right(entry);
    }),
    breaks('client', 'send', (right) => (request, signal) => {
      const isBulk = request.url.includes('/admin/fileupload');
      return right(
        isBulk ? { ...request, headers: { ...request.headers, Authorization: `Bearer ${key}` } } : request,
        signal,
      );
    }),
  );
}

/** Umlauts in metadata are single bytes. */
function namingInLatin1(): HostVariant {
  return breaks('wire', 'pass', (right) => (request, response) => {
    right(request, response);
    const end = response.end.bind(response);
    Object.assign(response, {
      end: (body: unknown, ...rest: never[]) => {
        const text = Buffer.isBuffer(body) ? body.toString('latin1') : '';
        return end(
          text.startsWith('[') ? Buffer.from(text.replaceAll('Simulated', 'Sim\u00fclated'), 'latin1') : body,
          ...rest,
        );
      },
    });
  });
}

/** An event reads an object and edits it, with headers made from the version that was read. */
function editing(
  headersFor: (version: string) => Readonly<Record<string, string | number>>,
  isInBatch = false,
): HostVariant {
  return breaks('calls', 'workOnEvent', (_right, calls) => async (call, signal) => {
    const { client } = calls.surroundings;
    const space = `/api/space/${String(call.payload['spaceId'])}`;
    const href = `${space}/softtype/Document/documentInput/00000001`;
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const url = joinUrl(call.baseAddress, href);
    const read = await client.request({ method: 'GET', url, headers }, signal);
    await read.body.resume().toArray();
    const own = headersFor(String(read.headers['svc-uoiversion']));
    const operations = [{ method: 'PATCH', href, headers: own, body: {} }];
    const edit = isInBatch
      ? { method: 'POST', url: joinUrl(call.baseAddress, `${space}/batch`), headers, body: JSON.stringify(operations) }
      : { method: 'PATCH', url, headers: { ...headers, ...(own as Record<string, string>) }, body: '{}' };
    await client.demand({ ...edit, headers: { ...edit.headers, 'Content-Type': 'application/json' } }, signal);
  });
}
