import { EngineError } from '../errors.ts'
import type { DailyBudget } from '../ports/language-model.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'

const DAY_MS = 86_400_000
/** Use is counted, also beyond the budget. */
const ANY = 2_000_000_000

/** The use of a project today. */
export interface DailyUse {
  /** Requests, answered or not. */
  readonly requests: number
  /** Tokens, with those put aside for requests under way. */
  readonly tokens: number
}

/** A request that was counted before it is made. */
export interface Reserved {
  /** Counts the tokens that it really took, instead of those that were put aside. */
  settle(tokens: number): Promise<void>
}

/**
 * Counts a request, and puts the most tokens aside that it can take, so that requests at the same time, also in several
 * processes, never use more than the day has. After a crash they stay counted until the day is over (UTC). Throws EngineError
 * `QUOTA_EXCEEDED`.
 */
export async function reserve(
  { attempts }: Pick<Repositories, 'attempts'>,
  now: Date,
  projectId: ProjectId,
  daily: DailyBudget,
  tokens: number,
): Promise<Reserved> {
  const { requestKey, tokenKey, until } = keysOf(projectId, now)
  if ((await attempts.take(requestKey, now, until, 1, daily.requests)) < 1) {
    throw spent(`The assistant may be asked ${daily.requests} times a day, and was.`, now, until)
  }
  const taken = await attempts.take(tokenKey, now, until, tokens, daily.tokens)
  if (taken < tokens) {
    await attempts.giveBack(tokenKey, taken)
    await attempts.giveBack(requestKey, 1)
    const message = `The assistant may use ${daily.tokens} tokens a day; this takes up to ${tokens}, and ${taken} are left.`
    throw spent(message, now, until)
  }
  return {
    async settle(used) {
      if (used < tokens) await attempts.giveBack(tokenKey, tokens - used)
      else if (used > tokens) await attempts.take(tokenKey, now, until, used - tokens, ANY)
    },
  }
}

/** The use of a project today. */
export async function usedToday(
  { attempts }: Pick<Repositories, 'attempts'>,
  now: Date,
  projectId: ProjectId,
): Promise<DailyUse> {
  const { requestKey, tokenKey } = keysOf(projectId, now)
  const counted = await attempts.counted([requestKey, tokenKey], now)
  return { requests: counted.get(requestKey) ?? 0, tokens: counted.get(tokenKey) ?? 0 }
}

function keysOf(projectId: ProjectId, now: Date) {
  const day = Math.floor(now.getTime() / DAY_MS)
  const until = new Date((day + 1) * DAY_MS)
  return {
    requestKey: `assistant requests ${projectId} ${day}`,
    tokenKey: `assistant tokens ${projectId} ${day}`,
    until,
  }
}

function spent(message: string, now: Date, until: Date): EngineError {
  return new EngineError('QUOTA_EXCEEDED', message, {
    suggestion:
      'The day begins anew at midnight UTC. The operator sets how much it has, in the options of the assistant.',
    retryAfter: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)),
  })
}
