import type { Answer } from '../service.ts';
import { areaPaths } from './areas.ts';
import type { FileArea, FilePlace } from './file-store.ts';

/** 201 with the path that the file can be read at. Source: ledger file-success-statuses */
export function createdFile(place: FilePlace): Answer {
  return { status: 201, headers: { Location: fileHref(place) } };
}

function fileHref({ area, segments }: FilePlace): string {
  return [`${basePath(area)}/file`, ...segments.map(encodeURIComponent)].join('/');
}

function basePath(area: FileArea): string {
  const ids: Readonly<Record<string, string>> = { ...area };
  return areaPaths[area.kind].replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(ids[name] ?? ''));
}
