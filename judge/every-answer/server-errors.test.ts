import { expect, test } from 'vitest';
import type { Reply } from '../exchange.ts';
import { Part, runAs } from '../case/part.ts';
import { ServerErrors } from './server-errors.ts';

const answered = (status: number, url: string): Reply => ({
  status,
  headers: {},
  bytes: new Uint8Array(),
  text: '',
  json: undefined,
  url,
  exchange: { request: { method: 'PUT', url, headers: [] }, sentAt: 0, durationMs: 1 },
});

test('a promote that another case took a validation extension from, or whose validation failed, is no server error of the service, anything else is', async () => {
  const promote = 'http://one.example/api/space/main/maturityAction/promote/o-1/release/engineering';
  const edit = 'http://one.example/api/space/main/softtype/Document/o-1';
  const seen = async (isAround: boolean): Promise<readonly string[]> => {
    const errors = new ServerErrors({ isAround: () => isAround });
    for (const url of [promote, edit]) errors.note({ method: 'PUT', url, as: 'editor' }, answered(500, url), 'a case');
    errors.note({ method: 'PUT', url: promote, as: 'editor' }, answered(502, promote), 'a case');
    errors.note({ method: 'PUT', url: edit, as: 'editor' }, answered(409, edit), 'a case');
    const { kept, count } = await runAs(new Part({ name: 'a part', stem: 'a part' }), async () => errors.all());
    expect(count).toBe(kept.length);
    return kept.map(({ reply }) => reply.url);
  };
  expect(await seen(true)).toEqual([edit]);
  expect(await seen(false)).toEqual([promote, edit]);
});
