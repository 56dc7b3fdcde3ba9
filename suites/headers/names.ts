import { headerNames } from '../../contract/names.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import type { Thing } from '../../judge/given.ts';
import { editable } from '../../judge/writes.ts';

export const namesCases = {
  'headers.names.case-insensitive': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const filter = Buffer.from(JSON.stringify(profile.all.informationFilter?.default ?? {})).toString('base64');
    const token = await service.token('editor');
    const spelled = (spell: (name: string) => string, thing: Thing) => ({
      as: null,
      filter: null,
      version: null,
      headers: {
        [spell('Authorization')]: `Bearer ${token}`,
        [spell(headerNames.informationFilter)]: filter,
        [spell(headerNames.version)]: String(thing.version),
      },
    });
    for (const spell of [lower, upper]) {
      const thing = await editable(context);
      expect(await service.read(thing, spelled(spell, thing))).toAnswer(200);
      expect(await service.merge(thing, { [profile.scalars[0]]: given.unique() }, spelled(spell, thing))).toSucceed();
    }
  }),

  'headers.limits.rate': scenario(async ({ given, service, notes }) => {
    const thing = await given.object();
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.read(thing)));
    const limited = replies.filter(({ status }) => status === 503);
    notes.observe('answers 503 to 20 reads at once', limited.length, limited[0]);
    const waits = service.patience();
    notes.observe(
      'Retry-After of an answer 429 or 503',
      waits.at(-1)?.retryAfter ?? limited[0]?.headers['retry-after'] ?? 'none',
      limited[0],
    );
    notes.observe('waits that the run was asked for so far', waits.length);
  }),
} satisfies SomeCasesOf<'headers'>;

function lower(name: string): string {
  return name.toLowerCase();
}

function upper(name: string): string {
  return name.toUpperCase();
}
