import { isContent } from '../../../reference-server/areas/content.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import { always, awaitCalls, callsOf, callsTo, mail, mailer, mailPath } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { claimsIn, logEntries, removeExtension } from '../proofs.ts';
import { at, many, type Service } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

/** How long a mail waits for those beside it, in ms. */
const besideMs = 40;

const composed = perServer(() => ({ to: undefined as unknown, at: -Infinity }));

export const emailsMistakes: Mistakes = {
  'email.first-record-of-its-host': {
    source: 'extensions: What the service does',
    breaks: 'Mail goes by the extension that replaces the component for it, wherever its record stands.',
    variant: changes('triggeredCalls', 'foundAddressee', (found, _areas, _reading, type) =>
      type === 'Email' && found?.callee.extension.records[0]?.id !== found?.recordId ? undefined : found,
    ),
    async shows(service) {
      await service.host([{ id: 'event' }, mailer]);
      return (await service.edda.post(mailPath, mail)).status >= 400;
    },
  },
  'email.to-the-extension-of-before': {
    source: 'extensions: What the service does',
    breaks: 'Mail goes through the extension that is registered for it, also when another one was before.',
    variant: breaks('triggeredCalls', 'foundAddressee', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, reading, type, given) => {
        const key = `${type} ${given.recordId} ${given.registrationId}`;
        const found = known.get(key) ?? (await right(areas, reading, type, given));
        if (type === 'Email') known.set(key, found);
        return found;
      };
    }),
    async shows(service) {
      const { edda } = service;
      const send = () => edda.post(mailPath, { to: 'a@b.example', subject: 's', body: 'b' });
      const former = await service.host([mailer]);
      await send();
      await removeExtension(service, former.url);
      const host = await service.host([mailer]);
      await send();
      await service.pass(1);
      return callsOf(host, 'email').length === 0;
    },
  },
  'email.comments-and-styles-are-cut': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is the one that was composed, with all that HTML may have.',
    variant: changes('requests', 'payloadOf', (payload, _areas, { kind }) =>
      kind === 'email' && isContent(payload)
        ? { ...payload, body: String(payload['body']).replaceAll(/<!--[^]*?-->|<style[^]*?<\/style>/g, '') }
        : payload,
    ),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { ...mail, body: '<!--one--><p>two</p>' });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/body') === '<p>two</p>';
    },
  },
  'email.plus-of-an-address-is-a-blank': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail goes to the address that was given, with a plus sign in it too.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      return right(areas, call, {
        ...triggered,
        payload: { ...payload, to: String(payload['to']).replaceAll('+', ' ') },
      });
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      const to = 'a+b@mail.example';
      await service.edda.post(mailPath, { to, subject: 's', body: 'b' });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/to') !== to;
    },
  },
  'email.without-what-is-empty': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail is sent with its body, also with an empty one.',
    survives:
      'How a text without characters comes in a payload, as one, as null or not at all, is not said: ledger optional-payload-members.',
    variant: changes('requests', 'payloadOf', (payload, _areas, delivery) => {
      if (delivery.kind !== 'email') return payload;
      return Object.fromEntries(Object.entries(Object(payload)).filter(([, text]) => text !== ''));
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { ...mail, body: '' });
      await service.pass(1);
      return at(callsOf(host, 'email')[0]?.envelope, '/payload/body') !== '';
    },
  },
  'email.other-ends-of-lines': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is the text that was composed, its line ends included.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      const body = String(payload['body']).replaceAll('\n', '\r\n');
      return right(areas, call, { ...triggered, payload: { ...payload, body } });
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { to: 'a@b.example', subject: 's', body: 'one\ntwo' });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/body') !== 'one\ntwo';
    },
  },
  'email.ampersand-beside-tags': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is the text that was composed, an ampersand in HTML too.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload) || !/<\w/.test(String(payload['body'])))
        return right(areas, call, triggered);
      const body = String(payload['body']).replaceAll(/&(?!\w+;)/g, '&amp;');
      return right(areas, call, { ...triggered, payload: { ...payload, body } });
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      const body = '<p>this & that</p>';
      await service.edda.post(mailPath, { to: 'a@b.example', subject: 's', body });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/body') !== body;
    },
  },
  'email.without-tags': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The body of a mail is handed on as it is, formatted or not.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      const body = String(payload['body']).replaceAll(/<[^>]+>/g, '');
      return right(areas, call, { ...triggered, payload: { ...payload, body } });
    }),
    async shows(service) {
      const host = await sendMail(service, {}, '<p>body</p>');
      return at(callsOf(host, 'email')[0]?.json, '/payload/body') !== '<p>body</p>';
    },
  },
  'emails.html-on-one-line': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The body of a mail is sent as it was written, line breaks of HTML included.',
    variant: changes('requests', 'payloadOf', (payload, _areas, { kind }) => {
      const body = at(payload, '/body');
      if (kind !== 'email' || typeof body !== 'string' || !body.startsWith('<')) return payload;
      return { ...(payload as object), body: body.replaceAll(/\s+/g, ' ') };
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { ...mail, body: '<pre>a\n b</pre>' });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/body') === '<pre>a b</pre>';
    },
  },
  'emails.the-same-text-is-the-same-mail': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail goes to its address, also where another one had the same text.',
    variant: breaks('queue', 'enqueue', (right) => {
      const known = new Set<string>();
      return async (areas, writing, delivery) => {
        const key = JSON.stringify({ ...(delivery.payload as object), to: undefined });
        if (delivery.kind === 'email' && known.has(key)) return true;
        known.add(key);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host([mailer], always(200));
      for (const to of ['a@b.example', 'c@d.example']) await service.edda.post(mailPath, { ...mail, to });
      return (await awaitCalls(host, 2, 1000)).length === 1;
    },
  },
  'emails.the-text-of-a-former-one': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An email carries its own text, not that of a former one with its address and subject.',
    variant: breaks('requests', 'payloadOf', (right) => {
      const texts = new Map<string, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'email' || !isContent(payload)) return payload;
        const key = `${String(payload['to'])} ${String(payload['subject'])}`;
        const body = texts.get(key) ?? payload['body'];
        texts.set(key, body);
        return { ...payload, body };
      };
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { ...mail, body: 'one' });
      await service.pass(1);
      await awaitCalls(host);
      await service.edda.post(mailPath, { ...mail, body: 'other' });
      await service.pass(1);
      const [, second] = await awaitCalls(host, 2);
      return at(second?.envelope?.payload, '/body') === 'one';
    },
  },
  'email.token-of-the-first-mail': {
    source: 'extensions: Calls to extensions',
    breaks: 'The query of a mail has the token of who triggers it, also behind a mail of another user.',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        if (delivery.kind !== 'email') return request;
        const url = urls.get(callee.url) ?? request.url;
        urls.set(callee.url, url);
        return { ...request, url };
      };
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      for (const user of [service.edda, service.emil]) {
        await user.post(mailPath, mail);
        await service.pass(1);
      }
      const call = callsOf(host, 'email').at(-1);
      return at(claimsIn(call), '/sub') !== at(claimsInQuery(call?.target), '/sub');
    },
  },
  'email.created-without-a-body-is-none': {
    source: 'extensions: Calls to extensions, row Email',
    breaks: 'A mail is sent when the answer is 201, whatever its body.',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isBare = outcome.kind === 'answered' && outcome.status === 201 && outcome.body === '';
      return right(areas, kind, outcome) && !(kind === 'email' && isBare);
    }),
    survives:
      'Ledger log-access: the mail goes out once either way; what tells a failure from a success is the log alone, and how to read that is not shown.',
    async shows(service) {
      await service.host([mailer], always(201));
      await service.edda.post(mailPath, mail);
      await service.pass(1, 2);
      return (await logEntries(service, 'failed')).length > 0;
    },
  },
  'email.cut-where-16-bits-end': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A long mail that is taken is passed on whole.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery) =>
      delivery.kind === 'email' && isContent(delivery.payload)
        ? { ...delivery, payload: { ...delivery.payload, body: String(delivery.payload['body']).slice(0, 0xffff) } }
        : delivery,
    ),
    async shows(service) {
      const [call] = callsOf(await sendMail(service, {}, 'x'.repeat(70_000)), 'email');
      return String(at(call?.envelope?.payload, '/body')).length === 0xffff;
    },
  },
  'email.body-trimmed': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body is the one that was composed, also where it begins or ends with blanks.',
    survives:
      'What makes the service send a mail is not shown (ledger trigger-email-binding): it may take the text without the blanks around it.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery) =>
      delivery.kind === 'email' && isContent(delivery.payload)
        ? { ...delivery, payload: { ...delivery.payload, body: String(delivery.payload['body']).trim() } }
        : delivery,
    ),
    async shows(service) {
      const [call] = callsOf(await sendMail(service, {}, ' body\n'), 'email');
      return at(call?.envelope?.payload, '/body') === 'body';
    },
  },
  'email.first-of-two-addresses': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail that is taken is for all whom it is addressed to.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      const [to] = String(payload['to']).split(/[,;] ?/);
      return right(areas, call, { ...triggered, payload: { ...payload, to } });
    }),
    async shows(service) {
      const host = await service.host([mailer]);
      await service.edda.post(mailPath, { ...mail, to: 'a@mail.example, b@mail.example' });
      return !String(at((await awaitCalls(host))[0]?.envelope?.payload, '/to')).includes('b@');
    },
  },
  'emails.recipient-of-the-mail-beside': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail goes to whom it was composed for, also where others are sent at the same moment.',
    variant: together(
      replaces('queue', 'enqueue', (right, areas, writing, delivery) => {
        if (delivery.kind === 'email')
          Object.assign(composed(areas), { to: at(delivery.payload, '/to'), at: performance.now() });
        return right(areas, writing, delivery);
      }),
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        if (delivery.kind !== 'email') return right(areas, delivery, callee);
        await new Promise((resolve) => setTimeout(resolve, besideMs));
        const { to, at: when } = composed(areas);
        if (performance.now() - when > besideMs * 2) return right(areas, delivery, callee);
        return right(areas, { ...delivery, payload: { ...Object(delivery.payload), to } }, callee);
      }),
    ),
    async shows(service) {
      const host = await service.host([mailer]);
      const recipients = many(6, (number) => `r${number}@mail.example`);
      await Promise.all(recipients.map((to) => service.edda.post(mailPath, { ...mail, to })));
      const calls = await awaitCalls(host, 6);
      const found = new Set(calls.map((call) => at(call.envelope?.payload, '/to')));
      return calls.length === 6 && found.size < 6;
    },
  },
};

function claimsInQuery(target = ''): unknown {
  const token = new URL(target, 'http://host').searchParams.get('access_token') ?? '';
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null');
}

/** A host that had a mail with this body. */
async function sendMail(service: Service, answer: { readonly status?: number }, body: string): Promise<ExtensionHost> {
  const host = await service.host([mailer], always(answer));
  await service.edda.post(mailPath, { recordId: 'mail', to: 'a@b.example', subject: 's', body });
  await service.pass(1);
  return host;
}
