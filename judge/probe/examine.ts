import type { Need } from '../../contract/needs.ts';
import type { IdentityName, SoftTypeProfile } from '../../contract/profile.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { mappedTypes, reach, roundTrip } from '../run/preflight.ts';
import { filesUsable } from '../run/preflight/files.ts';
import { sentenceAboutHost } from '../run/preflight/host.ts';
import { reachable } from '../run/preflight/listener.ts';
import { sentenceAboutGrant, sentenceAboutSilence } from '../run/preflight/sentences.ts';
import type { Exchange } from '../exchange.ts';
import { fetchDefinition } from '../openapi/document.ts';
import { PreconditionFailed } from '../violation.ts';
import { examined, inTurn, type Bench, type Examination } from './examination.ts';
import { examineReads } from './examine-reads.ts';
import { examineRoutes } from './examine-routes.ts';
import { probing, type Probed } from './probing.ts';
import { triedOut } from './try-out.ts';

/** What came of trying a whole profile. */
export interface ExaminedDeployment {
  readonly examinations: readonly Examination[];
  /** How far the clock of the service, as its answers tell it, is ahead of that of this machine, in s; undefined where they do not. */
  readonly aheadSeconds: number | undefined;
  /** Takes the secrets of the profile out of a text. */
  readonly redact: (text: string) => string;
}

/** Tries everything that the profile declares and that can be tried without harm. Where nobody answers, or the editor gets no token, the rest is not tried. */
export async function examinedDeployment(loaded: LoadedProfile): Promise<Probed<ExaminedDeployment>> {
  return probing(loaded, async (context, session, record) => {
    const bench = { context, session, record };
    const redact = (text: string): string => session.secrets.redact(text);
    const first = await examined(bench, `an answer of ${context.profile.all.baseUrl}`, [], () => reach(context));
    const aheadSeconds = aheadIn(record.history().at(-1)?.exchange);
    if (first.failure !== undefined) return { examinations: [first], aheadSeconds, redact };
    const tokens = await inTurn(identitiesOf(bench), (name) => tokenOf(bench, name));
    const isOut = tokens[0]?.failure !== undefined;
    const further = isOut ? [] : await examineAll(bench);
    return { examinations: [first, ...tokens, ...further], aheadSeconds, redact };
  });
}

async function examineAll(bench: Bench): Promise<readonly Examination[]> {
  return [
    ...(await examineTypes(bench)),
    ...(await examineRoutes(bench)),
    ...(await examineReads(bench)),
    ...(await examineAreas(bench)),
    ...(await examineExtensions(bench)),
  ];
}

function aheadIn(exchange: Exchange | undefined): number | undefined {
  const [, date = ''] = exchange?.response?.headers.find(([name]) => name.toLowerCase() === 'date') ?? [];
  const ms = Date.parse(date);
  return Number.isNaN(ms) ? undefined : Math.round((ms - Date.now()) / 1000);
}

const needsOfIdentity: Readonly<Record<IdentityName, readonly Need[]>> = {
  editor: ['editor-identity', 'jwt', 'password-grant'],
  secondEditor: ['second-editor'],
  reader: ['reader-identity'],
  outsider: ['outsider-identity'],
  noRole: ['no-role-identity'],
  administrator: ['collection-admin'],
};

/** The editor first. */
function identitiesOf({ context }: Bench): readonly IdentityName[] {
  const names = Object.keys(context.profile.all.identities) as IdentityName[];
  return names.toSorted((a, b) => Number(b === 'editor') - Number(a === 'editor'));
}

function tokenOf(bench: Bench, name: IdentityName): Promise<Examination> {
  const { service, profile } = bench.context;
  return examined(bench, `a token of the identity ${name}`, needsOfIdentity[name], async () => {
    try {
      const token = await service.token(name);
      return token === null
        ? `the identity has no credential: add username and password, token or pat to identities.${name}`
        : undefined;
    } catch (error) {
      if (!(error instanceof PreconditionFailed) || error.reply === undefined)
        return sentenceAboutSilence(error, profile.all);
      return { failure: sentenceAboutGrant(error.reply, name), exchange: error.reply.exchange };
    }
  });
}

const needsOfType: Readonly<Record<string, readonly Need[]>> = {
  'softTypes.primary': ['soft-type'],
  'softTypes.second': ['second-soft-type'],
  'secondSpace.softType': ['second-space'],
};

async function examineTypes(bench: Bench): Promise<readonly Examination[]> {
  const { profile, service } = bench.context;
  const openApi =
    profile.all.openApi?.served !== true
      ? []
      : [
          await examined(bench, 'the dynamic OpenAPI document', ['openapi'], async () => {
            const { status } = await fetchDefinition(bench.context);
            return status === 200
              ? undefined
              : `${service.requests.openApi().url} answered ${status}: correct routes.openApiDynamic or space ("${profile.all.space}"), or take openApi out`;
          }),
        ];
  const types = await inTurn(mappedTypes(profile.all), (mapped) =>
    examined(bench, `an object of ${mapped.key}`, needsOfType[mapped.key] ?? [], () =>
      roundTrip(bench.context, mapped),
    ),
  );
  const primary = profile.all.softTypes?.primary;
  if (primary === undefined || types[0]?.failure !== undefined) return [...openApi, ...types];
  return [...openApi, ...types, ...(await examineParts(bench, primary))];
}

const needsOfPart: readonly (readonly [keyof SoftTypeProfile, readonly Need[]])[] = [
  ['scalars', ['scalar-members']],
  ['object', ['object-member']],
  ['escaped', ['escaped-member']],
  ['arrayPort', ['array-port', 'nested-array-port', 'mandatory-member']],
  ['secondArrayPort', ['second-array-port']],
  ['scalarList', []],
  ['secondOutputSchema', ['second-output-schema']],
];

/** Parts of the primary SoftType, each written and read. */
async function examineParts({ context }: Bench, primary: SoftTypeProfile): Promise<readonly Examination[]> {
  const tried = await triedOut(context, {
    type: primary,
    references: [],
    renamable: { inputs: [], outputs: [] },
    dated: [],
  });
  const proven = 'type' in tried ? Object.keys(tried.type) : [];
  return needsOfPart
    .filter(([part]) => primary[part] !== undefined)
    .map(([part, needs]) => {
      const key = `softTypes.primary.${part}`;
      const failure = `what was written into ${part} did not come back as written: correct ${key}`;
      return { what: key, needs, ...(!proven.includes(part) && { failure }) };
    });
}

async function examineAreas(bench: Bench): Promise<readonly Examination[]> {
  const { files, profile } = bench.context;
  const areas = await inTurn(files.areas, ({ name }) => {
    const need: Need = `file-area-${name}`;
    return examined(bench, `upload, read and delete in the ${name} area`, [need, 'file-area-any'], () =>
      filesUsable(bench.context, new Set([need])),
    );
  });
  if (profile.all.bulk?.hostDirectory === undefined) return areas;
  const needs: readonly Need[] = ['host-directory', 'admin-api-key'];
  return [
    ...areas,
    await examined(bench, 'a file in the host directory, and a bulk upload of it', needs, () =>
      filesUsable(bench.context, new Set(needs)),
    ),
  ];
}

async function examineExtensions(bench: Bench): Promise<readonly Examination[]> {
  const { listener, extensionHost, identities } = bench.context.profile.all;
  const isReachable = listener !== undefined && identities.administrator !== undefined;
  return [
    ...(isReachable
      ? [
          await examined(bench, 'the metadata exchange of an extension on the listener', ['extension-listener'], () =>
            reachable(bench.context),
          ),
        ]
      : []),
    ...(extensionHost
      ? [
          await examined(bench, 'the metadata exchange of the extension host', ['extension-host'], () =>
            sentenceAboutHost(bench.session),
          ),
        ]
      : []),
  ];
}
