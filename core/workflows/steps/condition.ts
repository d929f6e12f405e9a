import * as v from 'valibot'
import { PartKeys } from '../../filters/filter-keys.ts'
import { ConditionRecord, FilterInEitherForm } from '../../filters/filter-parameter.ts'
import { readPlaced } from '../../filters/read-filter.ts'
import { ofContact, subjectInWorkflow } from '../../filters/workflow-filter.ts'
import type { Filter, FilterCondition, FilterInput } from '../../ports/store/filters.ts'
import { describedBy } from '../../values/described.ts'
import { takes } from '../../values/input.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { readElsewhere } from '../../values/unknown-keys.ts'
import { firstMet } from './first-met.ts'
import { AnyObject, defineStep } from './step-definition.ts'

type Asked = FilterInput | FilterCondition

const Condition = v.union([FilterInEitherForm, ConditionRecord])

/** A filter or a single condition, which may also be under `filter` or `condition`. */
const Config = describedBy(
  takes<Asked | { readonly filter: Asked }>()(
    readElsewhere(
      v.pipe(AnyObject, v.transform(stored)),
      v.lazy((config) => {
        const key = isJsonObject(config) ? keyOfFilter(config) : undefined
        return key === undefined ? PartKeys : v.object({ [key]: PartKeys })
      }),
    ),
  ),
  v.union([Condition, v.object({ filter: Condition })]),
)

/** CONDITION: continues on the branch `yes` for contacts who meet it, and on `no` for all others. */
export const condition = defineStep({
  type: 'CONDITION',
  name: 'Condition',
  Config,
  branches: { names: () => ['yes', 'no'], required: true },
  decides: true,
  deadEnd: 'has no branch',
  uses: (config) => [{ kind: 'filter', filter: ofContact(filterOf(config)) }],
  check: (_config, { project, sent, filters }) => {
    const { place, ...read } = readWhole(sent)
    const told = { input: sent, place: 'config' }
    return filters.check(project, { ...read, filter: ofContact(read.filter) }, place, { told })
  },
  prepare: async (contexts, batch) => {
    const [first] = contexts
    const met = await firstMet(contexts, first ? [filterOf(first.config)] : [], batch)
    return (context) => {
      const branch = met(context) === undefined ? 'no' : 'yes'
      return { outcome: 'done', branch, output: { branch } }
    }
  },
})

/** The stored form: the filter, or the single condition. Throws EngineError `VALIDATION_ERROR`. */
function stored(config: JsonObject): Filter | FilterCondition {
  // also what is sent, whose empty values `check` refuses
  const { filter, isSingle } = readWhole(config, true)
  return (isSingle ? filter.conditions[0] : undefined) ?? filter
}

function filterOf(config: Filter | FilterCondition): Filter {
  return 'field' in config ? { operator: 'AND', conditions: [config] } : config
}

/** Reads the filter where it stands; a single condition is a filter of one. */
function readWhole(config: JsonObject, isStored = false) {
  const key = keyOfFilter(config)
  const given = key === undefined ? config : config[key]
  const place = key === undefined ? 'config' : `config.${key}`
  const isSingle = isJsonObject(given) && 'field' in given
  const read = readPlaced(given, place, { subjectAt: subjectInWorkflow, isSingle, isStored })
  return { ...read, place, isSingle }
}

/** The key in the config that holds the filter. */
function keyOfFilter(config: JsonObject): string | undefined {
  return ['filter', 'condition'].find((key) => isJsonObject(config[key]))
}
