import {
  alikeNames,
  type BulkAreaName,
  type BulkHistory,
  type BulkStep,
  type Content,
  oddNames,
} from '../../../judge/model/bulk-history.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { BulkLevel, BulkTarget } from '../../../judge/files/bulk.ts';
import { namesTaken } from '../../../judge/files/bulk-uploads.ts';
import type { FileArea } from '../../../judge/files/files.ts';
import { holdsBytes } from '../../../judge/files/stored-files.ts';

/** An area and the bulk upload that goes there. */
export interface BulkPlace {
  readonly area: FileArea;
  readonly level: BulkLevel;
  readonly to?: BulkTarget;
}

/** What the service takes of what the documents leave open. */
export interface Ground {
  /** Names that are left out of a history. */
  readonly untaken: ReadonlySet<string>;
  /** Whether it takes files without a byte. */
  readonly takesEmpty: boolean;
}

/** Undefined where the profile has no such area. */
export function areaNamed({ files, profile }: CaseContext, name: BulkAreaName): BulkPlace | undefined {
  const { secondSpace, files: { secondParticipant } = {} } = profile.all;
  const declared = (level: BulkLevel): FileArea | undefined => files.areas.find((area) => area.name === level);
  switch (name) {
    case 'second space':
      return secondSpace && { area: files.secondSpace, level: 'space', to: { space: secondSpace.space } };
    case 'second participant':
      return (
        secondParticipant && {
          area: files.secondParticipant,
          level: 'participant',
          to: { participant: secondParticipant.id },
        }
      );
    default: {
      const area = declared(name);
      return area && { area, level: name };
    }
  }
}

/** Path of the bulk upload that goes there, as it is signed. */
export function signedPathOf({ bulk }: CaseContext, { level, to }: BulkPlace): string {
  const id = to?.participant ?? to?.space;
  return id === undefined ? bulk.path(level) : bulk.path(level).replace(/[^/]+$/, () => encodeURIComponent(id));
}

/** Tries what a history would like to have: by stream, since which names are legal is not said. */
export async function groundOf(context: CaseContext, { sources, steps }: BulkHistory): Promise<Ground> {
  const trees = [...sources, ...steps.flatMap((step) => (step.kind === 'change' ? [step.files] : []))];
  const contents = [...trees.flatMap((tree) => Object.values(tree)), ...steps.flatMap(uploadedBy)];
  const names = new Set(trees.flatMap((tree) => Object.keys(tree)));
  const odd = oddNames.filter((name) => names.has(name));
  const taken = await namesTaken(context, odd);
  const hasEmpty = contents.some((content) => content?.length === 0);
  const isAlikeTold = !alikeNames.some((name) => names.has(name)) || (await areAlikeTold(context));
  return {
    untaken: new Set([...odd.filter((name) => !taken.includes(name)), ...(isAlikeTold ? [] : alikeNames.slice(1))]),
    takesEmpty: !hasEmpty || (await namesTaken(context, ['empty.bin'], 0)).length > 0,
  };
}

function uploadedBy(step: BulkStep): readonly Content[] {
  return step.kind === 'upload' ? [step.content] : [];
}

/** Whether two names that differ in letter case are two, for the service and on its host. */
async function areAlikeTold({ given, files }: CaseContext): Promise<boolean> {
  const area = files.area('space');
  const pairs = alikeNames.map((name) => [name, given.bytes(20)] as const);
  const source = await given.sourceDirectory(Object.fromEntries(pairs));
  if ((await source.names()).length < pairs.length) return false;
  const directory = given.unique('alike');
  for (const [name, bytes] of pairs) await files.upload(area, `${directory}/${name}`, bytes);
  const replies = await Promise.all(pairs.map(([name]) => files.download(area, `${directory}/${name}`)));
  return pairs.every(([, bytes], index) => {
    const reply = replies[index];
    return reply !== undefined && holdsBytes(reply, bytes);
  });
}
