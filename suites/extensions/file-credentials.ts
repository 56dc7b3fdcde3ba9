import { type CaseContext, scenario, type ServiceCase } from '../../judge/case.ts';
import type { Changes } from '../../judge/exchange.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { alterAt } from '../../judge/token.ts';
import { inEvery } from './every-area.ts';

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
