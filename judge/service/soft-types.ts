import type { Need } from '../../contract/needs.ts';
import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { isObject } from '../json.ts';

type Meets = (type: SoftTypeProfile, profile: Profile) => boolean;

/** Needs that one SoftType has to meet for a rule, together with all others of these that the rule names. */
const ofOneType: Readonly<Partial<Record<Need, Meets>>> = {
  'text-member': ({ scalars }) => scalars !== undefined,
  'scalar-members': ({ scalars = [] }) => scalars.length > 1,
  'object-member': ({ object }) => object !== undefined,
  'array-port': ({ arrayPort }) => arrayPort !== undefined,
  'second-array-port': ({ secondArrayPort }) => secondArrayPort !== undefined,
  'nested-array-port': ({ arrayPort }) => arrayPort?.nested !== undefined,
  'mandatory-member': ({ arrayPort }) => arrayPort?.mandatory !== undefined,
  'renamed-member': ({ renamed }) => renamed !== undefined,
  'escaped-member': ({ escaped }) => escaped !== undefined,
  'dated-effectivity': ({ dated }) => dated !== undefined,
  'second-output-schema': ({ secondOutputSchema }) => secondOutputSchema !== undefined,
  'reference-port': (type, profile) => targetOf(type, profile) !== undefined,
  'mutual-reference': isMutual,
  filter: isFiltered,
  'filter-with-value': isFiltered,
  maturity: matures,
  'terminal-state': matures,
  'demote-route': matures,
  'trigger-validation': (type, profile) => profile.maturity === undefined || matures(type, profile),
};

/** Every SoftType of the space that the profile describes, the primary one first. */
export function softTypesOf({ softTypes }: Profile): readonly SoftTypeProfile[] {
  const { primary, second, further = [] } = softTypes ?? {};
  return [primary, second, ...further].filter((type) => type !== undefined);
}

/** The SoftType to which the references of a SoftType lead; undefined where it holds none, or the profile does not describe that one. */
export function targetOf({ reference }: SoftTypeProfile, profile: Profile): SoftTypeProfile | undefined {
  if (reference === undefined) return undefined;
  if (reference.target === 'primary' || reference.target === 'second') return profile.softTypes?.[reference.target];
  const called = softTypesOf(profile).filter(({ definitionId }) => definitionId === reference.target);
  return called.find((type) => type.reference !== undefined) ?? called[0];
}

const arranged = new WeakMap<Profile, Map<string, Profile>>();

/**
 * The profile as a rule with these needs takes it: `primary` is the SoftType that meets most of them, and `second` the one to which its
 * references lead, or another one. What holds for another SoftType only, filters and maturity, is left out. The same profile where it is
 * that way already, and the same one again for the same SoftTypes.
 */
export function arrangeFor(needs: readonly Need[], profile: Profile): Profile {
  const primary = bestOf(softTypesOf(profile), needs, profile);
  return primary === undefined ? profile : arrangeWith(primary, needs, profile);
}

/** The same for another SoftType that meets all of these needs as well; undefined where there is none. */
export function arrangeForOther(needs: readonly Need[], profile: Profile): Profile | undefined {
  const types = softTypesOf(profile);
  const primary = bestOf(types, needs, profile);
  const other = types.find(
    (type) =>
      type.definitionId !== primary?.definitionId && needs.every((need) => ofOneType[need]?.(type, profile) ?? true),
  );
  return other && arrangeWith(other, needs, profile);
}

/** The other space of the profile, where the editor has a role in it. */
export function secondSpaceOfEditor({ secondSpace }: Pick<Profile, 'secondSpace'>): Profile['secondSpace'] {
  return secondSpace?.as === 'outsider' ? undefined : secondSpace;
}

/**
 * The profile as it is for the second space, whose SoftType is the primary one: without what holds for the first space, its roles among it.
 * Undefined where there is none, or its SoftType does not meet all of these needs.
 */
export function arrangeForSecondSpace(needs: readonly Need[], profile: Profile): Profile | undefined {
  const {
    secondSpace: _secondSpace,
    filters: _filters,
    maturity: _maturity,
    triggers: _triggers,
    participant: _participant,
    ...rest
  } = profile;
  const secondSpace = secondSpaceOfEditor(profile);
  if (secondSpace === undefined) return undefined;
  const { space, softType: primary } = secondSpace;
  const { editor } = profile.identities;
  const there: Profile = { ...rest, space, softTypes: { primary }, identities: { editor } };
  return needs.every((need) => ofOneType[need]?.(primary, there) ?? true) ? there : undefined;
}

function arrangeWith(primary: SoftTypeProfile, needs: readonly Need[], profile: Profile): Profile {
  const types = softTypesOf(profile);
  const second = besides(primary, types, needs, profile);
  const known = arranged.get(profile) ?? new Map<string, Profile>();
  arranged.set(profile, known);
  const key = [primary, second].map((type) => (type === undefined ? '' : types.indexOf(type))).join();
  const made = known.get(key) ?? arrange(profile, primary, second);
  known.set(key, made);
  return made;
}

function bestOf(
  types: readonly SoftTypeProfile[],
  needs: readonly Need[],
  profile: Profile,
): SoftTypeProfile | undefined {
  const counts = types.map((type) => needs.filter((need) => ofOneType[need]?.(type, profile)).length);
  return types[counts.indexOf(Math.max(...counts))];
}

function besides(
  primary: SoftTypeProfile,
  types: readonly SoftTypeProfile[],
  needs: readonly Need[],
  profile: Profile,
): SoftTypeProfile | undefined {
  const target = needs.includes('reference-port') ? targetOf(primary, profile) : undefined;
  if (target !== undefined && target.definitionId !== primary.definitionId) return target;
  const { second } = profile.softTypes ?? {};
  const others = [second, ...types].filter((type) => type !== undefined);
  return others.find(({ definitionId }) => definitionId !== primary.definitionId);
}

function arrange(profile: Profile, primary: SoftTypeProfile, second: SoftTypeProfile | undefined): Profile {
  const { filters, maturity, triggers, ...rest } = profile;
  const isAsWritten = primary === profile.softTypes?.primary && second === profile.softTypes.second;
  const fits = [
    filters === undefined || isFiltered(primary, profile),
    maturity === undefined || matures(primary, profile),
  ];
  if (isAsWritten && fits.every(Boolean)) return profile;
  const named = (type: SoftTypeProfile) => withTarget(type, targetOf(type, profile), primary, second);
  return {
    ...rest,
    ...(filters !== undefined && fits[0] && { filters }),
    ...(maturity !== undefined && fits[1] && { maturity }),
    ...(triggers !== undefined && { triggers: fits[1] ? triggers : withoutValidation(triggers) }),
    softTypes: {
      primary: named(primary),
      ...(second !== undefined && { second: named(second) }),
      further: softTypesOf(profile)
        .filter((type) => type !== primary && type !== second)
        .map(named),
    },
  };
}

/** A validation is what stops a promote. */
function withoutValidation(triggers: NonNullable<Profile['triggers']>): NonNullable<Profile['triggers']> {
  const { validation: _promote, validationInContext: _inContext, ...others } = triggers;
  return others;
}

function withTarget(
  type: SoftTypeProfile,
  target: SoftTypeProfile | undefined,
  primary: SoftTypeProfile,
  second: SoftTypeProfile | undefined,
): SoftTypeProfile {
  const { reference, ...others } = type;
  if (reference === undefined) return type;
  // the second one is another here: a reference to none must not lead to it
  if (target === undefined) return others;
  const names = new Map([
    [second?.definitionId, 'second'],
    [primary.definitionId, 'primary'],
  ]);
  const { definitionId } = target;
  return { ...type, reference: { ...reference, target: names.get(definitionId) ?? definitionId } };
}

/** References that can be closed to a cycle. */
export function isMutual(type: SoftTypeProfile, profile: Profile): boolean {
  const target = targetOf(type, profile);
  const ids = target && [target.definitionId, targetOf(target, profile)?.definitionId];
  return ids?.includes(type.definitionId) === true;
}

/** The SoftType whose array port the filters are over: the first part that has one, where the profile describes it in several. */
export function filteredType(profile: Profile): SoftTypeProfile | undefined {
  const filtered = profile.filters?.softType ?? profile.softTypes?.primary.definitionId;
  return softTypesOf(profile).find(
    ({ definitionId, arrayPort }) => definitionId === filtered && arrayPort !== undefined,
  );
}

/** A further part of the same SoftType may have another array port. */
function isFiltered({ definitionId, arrayPort }: SoftTypeProfile, profile: Profile): boolean {
  const filtered = filteredType(profile);
  return filtered?.definitionId === definitionId && filtered.arrayPort?.member === arrayPort?.member;
}

function matures({ definitionId }: SoftTypeProfile, { maturity, softTypes }: Profile): boolean {
  return definitionId === (maturity?.softType ?? softTypes?.primary.definitionId);
}

/** The member of a body that holds these references, in the form of the port; none where a port for one holds none. */
export function membersWith(
  reference: Pick<NonNullable<SoftTypeProfile['reference']>, 'port' | 'single'> | undefined,
  entries: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const { port = '', single = false } = reference ?? {};
  if (!single) return { [port]: entries };
  return entries.length === 0 ? {} : { [port]: entries[0] };
}

/** What a reference port shows, whether it holds one entry or an array. */
export function referencesIn(shown: unknown): readonly unknown[] {
  if (Array.isArray(shown)) return shown;
  return isObject(shown) ? [shown] : [];
}
