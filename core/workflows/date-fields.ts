import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import type { Filters } from '../filters/filters.ts'
import { subjectInWorkflow } from '../filters/workflow-filter.ts'
import type { Filter } from '../ports/store/filters.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Untrusted } from '../values/json.ts'
import { say } from '../values/parse.ts'

/** The name of a field with a date or a time zone. */
export const DateField = v.pipe(v.string(), v.minLength(1), v.maxLength(1000))

/** A time of day, such as `09:00`. */
export const TimeOfDay = v.pipe(
  v.string(),
  v.check((text) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text), say('custom', 'must be a time of day such as 09:00')),
)

/** Fields that no date or zone can be in; `place` is where the two are given. */
export function wrongFields(
  {
    field,
    timezoneField,
  }: { readonly field?: string | null | undefined; readonly timezoneField?: string | null | undefined },
  place: string,
): readonly FieldProblem[] {
  return Object.entries({ field, timezoneField }).flatMap(([name, given]): FieldProblem[] => {
    const kind = given == null ? 'data' : subjectInWorkflow(given, 'exists')?.kind
    if (kind === 'data' || ((kind === 'moment' || kind === 'date') && name === 'field')) return []
    const message = name === 'field' ? 'is not a field with a date' : 'is not a field of the data'
    return [{ field: `${place}.${name}`, code: 'invalid_enum_value', message }]
  })
}

interface Told {
  readonly input: Untrusted
  readonly place: string
}

/** Warns the input, which is at that place in the request, of a field that no contact has. */
export async function warnOfField(
  field: string,
  place: string,
  { project, filters, told }: { readonly project: Project; readonly filters: Filters; readonly told: Told },
): Promise<void> {
  const subject = subjectInWorkflow(field, 'exists')
  if (subject?.kind !== 'data' || subject.isElsewhere) return
  const fields = [{ paths: subject.paths, place: `${place}.field` }]
  const read = { filter: existing(field), segments: [], campaigns: [], topics: [], fields, saidDates: [] }
  await filters.check(project, read, place, { told })
}

/** The filter that needs the field. */
export function existing(field: string): Filter {
  return { operator: 'AND', conditions: [{ field, operator: 'exists' }] }
}
