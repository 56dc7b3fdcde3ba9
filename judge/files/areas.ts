import type { IdentityName, Profile } from '../../contract/profile.ts';
import { Inconclusive } from '../violation.ts';
import type { AreaName, FileArea, Files } from './files.ts';

const names: readonly AreaName[] = ['collection', 'space', 'user', 'participant'];

/** The file areas of a profile. Source: extensions, File areas */
export function areasOf(
  profile: Profile,
): Pick<Files, 'areas' | 'any' | 'area' | 'userArea' | 'secondParticipant' | 'secondSpace'> {
  const declared = profile.files?.areas ?? {};
  const areas = names.flatMap((name) => {
    const as = declared[name]?.as;
    const isWhole = name !== 'participant' || profile.participant !== undefined;
    return as === undefined || !isWhole ? [] : [areaOf(profile, name, as)];
  });
  return {
    areas,
    get any() {
      return bound(areas[0], 'files.areas');
    },
    area: (name) =>
      bound(
        areas.find((area) => area.name === name),
        `files.areas.${name}`,
      ),
    userArea: (as) => areaOf(profile, 'user', as),
    get secondParticipant() {
      const { id, as } = bound(profile.files?.secondParticipant, 'files.secondParticipant');
      return areaOf({ ...profile, participant: id }, 'participant', as);
    },
    get secondSpace() {
      const { space } = bound(profile.secondSpace, 'secondSpace');
      return areaOf({ ...profile, space }, 'space', 'editor');
    },
  };
}

function areaOf(profile: Pick<Profile, 'space' | 'participant'>, name: AreaName, as: IdentityName): FileArea {
  return { name, path: pathOf(profile, name), as };
}

function pathOf({ space, participant }: Pick<Profile, 'space' | 'participant'>, name: AreaName): string {
  const inSpace = `/api/space/${encodeURIComponent(space)}`;
  if (name === 'collection') return '/api/collection/fs/file';
  if (name === 'space') return `${inSpace}/fs/file`;
  if (name === 'user') return `${inSpace}/user/fs/file`;
  return `${inSpace}/participant/${encodeURIComponent(bound(participant, 'participant'))}/fs/file`;
}

function bound<T>(value: T | undefined, key: string): T {
  if (value === undefined) throw new Inconclusive(`The case uses ${key}, which the profile does not have: add it.`);
  return value;
}
