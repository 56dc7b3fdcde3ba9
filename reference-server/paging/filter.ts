import type { Filter, SoftType } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Section } from '../soft-type/array-port.ts';
import type { Service, SpaceCall } from '../service.ts';
import type { EntryCondition } from '../store/store.ts';

/** Name of the filter parameter on the instance GET and on the page GET. */
export type FilterParameter = 'softTypeFilterId' | 'softTypeFilter';

/** A configured filter with the value it has for this request. */
export interface AppliedFilter {
  readonly filter: Filter;
  readonly value: string;
}

/**
 * The filter that the request asks for. Source: core, Server side paging 5
 * @throws {Refusal} 400 for an unknown one, or when its blank value is not given
 */
export function filterOf(
  _service: Service,
  call: SpaceCall,
  softType: SoftType,
  parameter: FilterParameter,
): AppliedFilter | undefined {
  const id = call.query.get(parameter);
  if (id === null) return undefined;
  const filter = call.space.template.filters.get(id);
  if (filter?.softType !== softType.id) {
    throw new Refusal(400, `Expected a filter of ${softType.id} in ${parameter}, found '${id}'.`, {
      pointer: parameter,
    });
  }
  return { filter, value: filter.equals ?? suppliedValue(call, filter) };
}

function suppliedValue(call: SpaceCall, filter: Filter): string {
  const name = valueParameter(filter);
  const value = call.query.get(name);
  if (value === null) {
    throw new Refusal(400, `Filter ${filter.id} has no value of its own; give one as query parameter ${name}.`, {
      pointer: name,
    });
  }
  return value;
}

function valueParameter(filter: Filter): string {
  return `${filter.groupId}.${filter.criteriaPort}`;
}

/** What the filter admits of a section; undefined where it does not touch that array. */
export function conditionOn(section: Section, applied: AppliedFilter | undefined): EntryCondition | undefined {
  if (applied === undefined || !touches(applied, section)) return undefined;
  return { member: applied.filter.member, value: applied.value };
}

/** The query that makes a page GET of the section apply the same filter, with its question mark; empty without one. */
export function filterQuery(section: Section, applied: AppliedFilter | undefined): string {
  if (applied === undefined || !touches(applied, section)) return '';
  const query = new URLSearchParams({ softTypeFilter: applied.filter.id });
  if (applied.filter.equals === undefined) query.set(valueParameter(applied.filter), applied.value);
  return `?${query}`;
}

function touches(applied: AppliedFilter, section: Section): boolean {
  return section.items === undefined && section.port === applied.filter.port;
}
