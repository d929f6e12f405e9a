import * as v from 'valibot'
import type { FieldProblem } from '../../errors.ts'
import { readCondition } from '../../filters/read-condition.ts'
import { ofContact, subjectInWorkflow } from '../../filters/workflow-filter.ts'
import type { Filter } from '../../ports/store/filters.ts'
import { refused, say } from '../../values/parse.ts'
import { firstMet } from './first-met.ts'
import { repeatedBranches } from './split.ts'
import { BranchName, defineStep } from './step-definition.ts'

/** How many cases a SWITCH may have, and how many values each. */
const MAX_CASES = 20
const MAX_VALUES = 20

/** The branch of contacts that no case is about. */
const ELSE = 'else'

const Case = v.object({
  /** The name of the branch. */
  branch: v.pipe(
    BranchName,
    v.check((branch) => branch !== ELSE, say('custom', `cannot be ${ELSE}, which all others take`)),
  ),
  /** The values that lead here, compared as the operator `equals` of filters does. */
  values: v.pipe(v.array(v.union([v.string(), v.number(), v.boolean()])), v.minLength(1), v.maxLength(MAX_VALUES)),
})

const Config = v.object({
  /** The field, as filters of workflows name it: `data.plan`, `event.plan`, `context.plan`. */
  field: v.pipe(v.string(), v.minLength(1)),
  /** The cases; the first that has the value counts. */
  cases: v.pipe(v.array(Case), v.minLength(1), v.maxLength(MAX_CASES)),
})
type Config = v.InferOutput<typeof Config>

/** SWITCH: continues on the branch of the case that has the field's value, and on `else` without one. */
export const switchStep = defineStep({
  type: 'SWITCH',
  name: 'Switch',
  Config,
  branches: { names: ({ cases }) => [...cases.map(({ branch }) => branch), ELSE], required: true },
  decides: true,
  deadEnd: 'has no branch',
  uses: (config) => filtersOf(config).map((filter) => ({ kind: 'filter', filter: ofContact(filter) })),
  check: async (config, { project, sent, filters }) => {
    const problems = [...valueProblems(config), ...repeatedBranches(config.cases, 'config.cases')]
    if (problems.length > 0) throw refused(problems)
    const subject = subjectInWorkflow(config.field, 'equals')
    const place = 'config.field'
    const fields = subject?.kind === 'data' && !subject.isElsewhere ? [{ paths: subject.paths, place }] : []
    const topics = subject?.kind === 'topic' ? [{ id: subject.name, place }] : []
    const filter = { operator: 'AND', conditions: [] } as const
    const read = { filter, segments: [], campaigns: [], topics, fields, saidDates: [] }
    await filters.check(project, read, 'config', { told: { input: sent, place: 'config' } })
  },
  prepare: async (contexts, batch) => {
    const [first] = contexts
    const met = await firstMet(contexts, first ? filtersOf(first.config) : [], batch)
    return (context) => {
      const branch = context.config.cases[met(context) ?? MAX_CASES]?.branch ?? ELSE
      return { outcome: 'done', branch, output: { branch } }
    }
  },
})

/** The filters that contacts meet to take each case. */
function filtersOf({ field, cases }: Config): readonly Filter[] {
  return cases.map(({ values }) => ({
    operator: 'OR',
    conditions: values.map((value) => ({ field, operator: 'equals', value })),
  }))
}

/** Problems of the field and its values, in the words of filters. */
function valueProblems({ field, cases }: Config): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  const seen = new Map<string | number | boolean, string>()
  for (const [i, { branch, values }] of cases.entries()) {
    for (const [j, value] of values.entries()) {
      const place = `config.cases.${i}.values.${j}`
      readCondition({ field, operator: 'equals', value }, place, toldOf(problems, place), subjectInWorkflow)
      const earlier = seen.get(value)
      if (earlier !== undefined) {
        problems.push({ field: place, code: 'custom', message: `is a value of the branch ${earlier} already` })
      }
      seen.set(value, branch)
    }
  }
  return problems
}

/** Reports what a condition on the value would be refused for; what is wrong with the field only once. */
function toldOf(problems: FieldProblem[], place: string) {
  return (at: string, code: FieldProblem['code'], message: string) => {
    if (at === `${place}.value`) problems.push({ field: place, code, message })
    else if (!problems.some(({ field }) => field === 'config.field')) {
      const isKind = at === `${place}.operator`
      problems.push({
        field: 'config.field',
        code,
        message: isKind ? 'has no value to compare: use a CONDITION' : message,
      })
    }
  }
}
