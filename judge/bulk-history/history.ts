/** An area that a bulk upload goes to. */
export type BulkAreaName = 'collection' | 'space' | 'participant' | 'second space' | 'second participant';

/** What is in a file: two of one number and length hold the same bytes. */
export interface Content {
  readonly number: number;
  /** In bytes. */
  readonly length: number;
}

/** Contents by the name of the file, with slashes. */
export type Tree = Readonly<Record<string, Content>>;

/** What a bulk upload asks for; undefined is left out of its body. */
export interface UploadPlan {
  readonly source: number;
  /** Folder of the source that is named as the source in its place. */
  readonly below?: string;
  readonly area: BulkAreaName;
  readonly target?: string;
  readonly replaces?: boolean;
  readonly deletes?: boolean;
  readonly logs: boolean;
}

/** Why a bulk upload is refused. */
export type BulkFlaw =
  | 'no signature'
  | 'another key'
  | 'signature of another route'
  | 'token of a user'
  | 'no sourceDirectory';

export interface RefusedUpload extends UploadPlan {
  readonly flaw: BulkFlaw;
  /** Whose route is signed in the place of its own. */
  readonly signedFor?: BulkAreaName;
}

/** What happens. What does not fit to how things stand is passed over. */
export type BulkStep =
  | ({ readonly kind: 'bulk upload' } & UploadPlan)
  | ({ readonly kind: 'refused bulk upload' } & RefusedUpload)
  /** Files of a source are written, or taken away where there is no content. */
  | { readonly kind: 'change'; readonly source: number; readonly files: Readonly<Record<string, Content | null>> }
  | { readonly kind: 'upload'; readonly area: BulkAreaName; readonly path: string; readonly content: Content }
  | { readonly kind: 'deletion'; readonly area: BulkAreaName; readonly path: string };

export interface BulkHistory {
  /** Areas that it is about. */
  readonly areas: readonly BulkAreaName[];
  readonly sources: readonly Tree[];
  readonly steps: readonly BulkStep[];
}

/** The history in words, sources that it does not use left out. */
export function tellBulkHistory({ sources, steps }: BulkHistory): string {
  const used = new Set(steps.map((step) => ('source' in step ? step.source : undefined)));
  const begun = sources.flatMap((tree, index) =>
    used.has(index) ? [`source ${index + 1} holds ${tellFiles(tree)}`] : [],
  );
  return [...begun, ...steps.map(tellStep)].join('; ');
}

function tellStep(step: BulkStep): string {
  switch (step.kind) {
    case 'bulk upload':
      return `a bulk upload of ${tellPlan(step)}`;
    case 'refused bulk upload':
      return `with ${step.flaw} a bulk upload of ${tellPlan(step)}`;
    case 'change':
      return `in source ${step.source + 1} ${tellFiles(step.files)}`;
    case 'upload':
      return `an upload of ${tellFiles({ [step.path]: step.content })} to the ${step.area}`;
    case 'deletion':
      return `a deletion of ${step.path} in the ${step.area}`;
  }
}

function tellPlan({ source, below, area, target, replaces, deletes, logs }: UploadPlan): string {
  const from = `source ${source + 1}${below === undefined ? '' : `, folder ${below},`}`;
  const flags = { targetDirectory: target, replaceFiles: replaces, deleteFilesAfterUpload: deletes, writeLog: logs };
  const told = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return `${from} to the ${area} with ${told.join(', ')}`;
}

function tellFiles(files: Readonly<Record<string, Content | null>>): string {
  return Object.entries(files)
    .map(([name, content]) =>
      content === null ? `no ${name}` : `${name} (${content.number}, ${content.length} bytes)`,
    )
    .join(', ');
}
