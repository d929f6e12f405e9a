import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { FieldProblem } from '../../errors.ts'
import { refused, say } from '../../values/parse.ts'
import { BranchName, defineStep, unreadable } from './step-definition.ts'

/** How many branches a SPLIT may have. */
const MAX_BRANCHES = 10
/** Percentages have two decimals. */
const WHOLE = 10_000

const Percent = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(100),
  v.check((percent) => isHundredth(percent), say('custom', 'must have at most two decimals')),
)

const Config = v.object({
  /** The branches, which come to 100 percent. */
  branches: v.pipe(
    v.array(
      v.object({
        /** The name of the branch. */
        branch: BranchName,
        /** How many of a hundred contacts take it; two decimals at most. */
        percent: Percent,
      }),
    ),
    v.minLength(2),
    v.maxLength(MAX_BRANCHES),
  ),
})
type Branches = v.InferOutput<typeof Config>['branches']

/** SPLIT: sends a percentage of contacts down each branch. One contact always takes the same branch of a step. */
export const split = defineStep({
  type: 'SPLIT',
  name: 'Split',
  Config,
  branches: { names: ({ branches }) => branches.map(({ branch }) => branch), required: true },
  decides: true,
  deadEnd: 'has no branch',
  check: ({ branches }) => {
    const problems = repeatedBranches(branches, 'config.branches')
    const sum = branches.reduce((total, { percent }) => total + hundredths(percent), 0)
    if (sum !== WHOLE) {
      problems.push({ field: 'config.branches', code: 'custom', message: `must come to 100 percent, not ${sum / 100}` })
    }
    if (problems.length > 0) throw refused(problems)
  },
  run: ({ config: { branches }, step, contact }) => {
    const branch = branchAt(branches, placeOf(step.id, contact.id))
    return { outcome: 'done', branch, output: { branch } }
  },
})

/** A problem for each branch that an earlier one has the name of. */
export function repeatedBranches(branches: readonly { readonly branch: string }[], place: string): FieldProblem[] {
  return branches.flatMap(({ branch }, i) => {
    if (branches.findIndex((other) => other.branch === branch) === i) return []
    return [{ field: `${place}.${i}.branch`, code: 'custom', message: `is the name of another branch: ${branch}` }]
  })
}

/** Where the contact is among all contacts that come to the step: from 0 to 9,999, evenly spread, and always the same. */
function placeOf(stepId: string, contactId: string): number {
  return createHash('sha256').update(`${stepId} ${contactId}`).digest().readUIntBE(0, 6) % WHOLE
}

function branchAt(branches: Branches, place: number): string {
  let end = 0
  const found = branches.find(({ percent }) => {
    end += hundredths(percent)
    return place < end
  })
  if (found === undefined) throw unreadable('SPLIT')
  return found.branch
}

function hundredths(percent: number): number {
  return Math.round(percent * 100)
}

function isHundredth(percent: number): boolean {
  return Math.abs(percent * 100 - hundredths(percent)) < 1e-6
}
