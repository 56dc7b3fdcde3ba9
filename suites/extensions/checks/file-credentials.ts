import { type CaseContext, scenario, type ServiceCase } from '../../../judge/case.ts';
import { type Changes, isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { FileArea, GivenFile } from '../../../judge/files/files.ts';
import { expectNothingAt } from '../../../judge/files/stored-files.ts';
import { basicAuthorization } from '../../../judge/service/requests.ts';
import { alterAt } from '../../../judge/service/token.ts';
import { expectBytes, expectReadsBack, inEvery } from './every-area.ts';

/** The access token of whoever uses the area. */
export async function accessToken({ given, service }: CaseContext, area: FileArea): Promise<string> {
  return given.present(await service.token(area.as), `an access token of the ${area.as}`, [
    'auth.grant.returns-access-token',
  ]);
}

/** The text with one character changed inside its last part, not at its end, whose low bits may mean nothing. */
export function alteredInside(token: string): string {
  return alterAt(token, token.length - Math.min(20, Math.ceil(token.length / 2)));
}

/** Steps that hold in every area whose user the profile states with name and personal access token; all of them at once. */
export function withPat(run: (context: CaseContext, area: FileArea) => Promise<void>): ServiceCase {
  return scenario(async (context) => {
    const { files, given, profile } = context;
    const areas = files.areas.filter((area) => {
      const { username, pat } = profile.all.identities[area.as] ?? {};
      return username !== undefined && pat !== undefined;
    });
    if (areas.length === 0)
      given.inconclusive('No user of a file area has a user name and a personal access token in the profile.');
    await inEvery(context, areas, (area) => run(context, area));
  });
}

/** Basic with the user name of whoever uses the area and a personal access token that differs in one character. */
export function withAlteredPat({ files, profile }: CaseContext, area: FileArea): Changes {
  const { pat = '' } = profile.all.identities[area.as] ?? {};
  return files.basic(area.as, alterAt(pat, Math.floor(pat.length / 2)));
}

/** A user as Basic authentication names one. */
interface Named {
  readonly username: string;
  readonly pat: string;
}

/** Basic that no route takes, by what is wrong with it: a token that differs in one character or is missing, and the right one under another name. */
export function wrongBasics(context: CaseContext, area: FileArea): Readonly<Record<string, Changes>> {
  const { given, files, profile } = context;
  const { username = '', pat = '' } = profile.all.identities[area.as] ?? {};
  const other = Object.values(profile.all.identities).find((identity) => isSomebodyElse({ username, pat }, identity));
  return {
    'an altered token': withAlteredPat(context, area),
    ...(other?.username !== undefined && { 'the name of another user': basicOf(other.username, pat) }),
    'no password': files.basic(area.as, ''),
    'the name of nobody': basicOf(given.unique('nobody'), pat),
    'no name': basicOf('', pat),
    ...(username.length > 1 && { 'the beginning of the name': basicOf(username.slice(0, -1), pat) }),
  };
}

/** Remarks that Basic takes the password of the login in place of the token, where both are known: that no route takes it is not said. */
export async function remarkOnLogin(
  { files, profile, notes }: CaseContext,
  area: FileArea,
  what: string,
  send: (changes: Changes) => Promise<Reply>,
): Promise<void> {
  const { password, pat } = profile.all.identities[area.as] ?? {};
  if (password === undefined || password === pat) return;
  const reply = await send(files.basic(area.as, password));
  if (isSuccess(reply.status)) notes.remark(`Basic with the password of the login opens ${what}`, reply);
}

/** Those that are wrong in every area alike: an altered token, another user. */
const always = 2;

/** The same shared out among the areas: each of them meets the first two, and its part of the others. */
export function someWrongBasics(context: CaseContext, area: FileArea): readonly Changes[] {
  const { areas } = context.files;
  const place = areas.findIndex(({ name }) => name === area.name);
  return Object.values(wrongBasics(context, area)).filter(
    (_basic, index) => index < always || index % areas.length === place,
  );
}

/** Two names with a personal access token each belong to two users; one token, or two spellings of a name, may be one user's. */
function isSomebodyElse(user: Named, other: Partial<Named> | undefined): boolean {
  const { username, pat } = other ?? {};
  return (
    username !== undefined &&
    pat !== undefined &&
    pat !== user.pat &&
    username.toLowerCase() !== user.username.toLowerCase()
  );
}

/** Basic with any user name and secret. */
function basicOf(user: string, secret: string): Changes {
  return { as: null, headers: { Authorization: basicAuthorization(user, secret) } };
}

/**
 * Each of two users who have a file at the same path gets the own one, also by a token in the query and by Basic, right after the other one has
 * been there; what comes by Basic is the sender's.
 */
export async function expectOwnByEachCredential(
  context: CaseContext,
  [one, other]: readonly [GivenFile, GivenFile],
): Promise<void> {
  const { given, files, notes, profile } = context;
  for (const [own, before] of [
    [one, other],
    [other, one],
  ] as const) {
    const { area, path, bytes } = own;
    const { username, pat } = profile.all.identities[area.as] ?? {};
    const basic = username === undefined || pat === undefined ? undefined : files.basic(area.as);
    for (const [how, credentials] of [
      ['a token in the query', { token: 'query' }],
      ...(basic === undefined ? [] : [['Basic', basic] as const]),
    ] as const) {
      await expectReadsBack(context, before.area, before.path, before.bytes);
      const reply = await files.download(area, path, credentials);
      notes.observe(`status of a download from the user area by ${how}`, reply.status, reply);
      if (isSuccess(reply.status)) expectBytes(context, reply, bytes);
    }
    const sent = { area, path: given.filePath(), bytes: given.bytes(80) };
    const upload = basic && (await files.upload(area, sent.path, sent.bytes, basic));
    if (upload === undefined || !isSuccess(upload.status)) continue;
    await expectReadsBack(context, area, sent.path, sent.bytes);
    await expectNothingAt(context, before.area, sent.path);
  }
}
