import { EngineError } from '../errors.ts'
import type { Project, Quotas } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import { Days, dayAfter } from '../values/time-zone.ts'
import type { Share } from '../work/shares.ts'

/** Quotas, and the time zone of their days. */
export interface QuotasInZone extends Quotas {
  readonly zone: string
}

/** A quota, and what it is called. */
export interface QuotaShare extends Share {
  readonly of: 'day' | 'month'
}

/** The quotas of a project that count now, the day's first. */
export function quotaShares(
  projectId: ProjectId,
  { daily, monthly, zone }: QuotasInZone,
  now: Date,
): readonly QuotaShare[] {
  const days = new Days(zone)
  const today = days.of(now)
  const month = today.slice(0, 7)
  // a day in the next month, whichever this is
  const next = dayAfter(`${month}-28`, 4).slice(0, 7)
  return [
    ...(daily === undefined
      ? []
      : [
          {
            key: `quota ${projectId} ${today}`,
            most: daily,
            until: days.start(dayAfter(today, 1)),
            of: 'day',
          } as const,
        ]),
    ...(monthly === undefined
      ? []
      : [{ key: `quota ${projectId} ${month}`, most: monthly, until: days.start(`${next}-01`), of: 'month' } as const]),
  ]
}

/** The quotas of this project, with its zone; undefined when it has none. */
export function quotasOf({ quotas, timeZone = 'UTC' }: Project): QuotasInZone | undefined {
  return quotas && { ...quotas, zone: timeZone }
}

/**
 * Counts this many mails in the project's quotas, all or none, and runs the work. When that fails, or answers that it
 * accepted nothing new, they do not count. Throws EngineError `QUOTA_EXCEEDED`, and what the work throws.
 */
export async function withinQuotas<T extends { readonly replayed: boolean }>(
  { attempts }: Pick<Store, 'attempts'>,
  project: Project,
  mails: number,
  now: Date,
  work: () => Promise<T>,
): Promise<T> {
  const quotas = quotasOf(project)
  if (quotas === undefined || mails === 0) return work()
  const counted: string[] = []
  const giveBack = async () => {
    for (const key of counted) await attempts.giveBack(key, mails)
  }
  for (const { key, most, until, of } of quotaShares(project.id, quotas, now)) {
    const granted = await attempts.take(key, now, until, mails, most)
    if (granted === mails) {
      counted.push(key)
      continue
    }
    await attempts.giveBack(key, granted)
    await giveBack()
    throw usedUp(of, most, mails, until, now)
  }
  try {
    const done = await work()
    if (done.replayed) await giveBack()
    return done
  } catch (error) {
    await giveBack()
    throw error
  }
}

function usedUp(of: 'day' | 'month', most: number, mails: number, until: Date, now: Date): EngineError {
  const name = of === 'day' ? 'daily' : 'monthly'
  const what = mails === 1 ? 'another mail' : `${mails} more mails`
  const message = `The project's ${name} quota of ${most} mails has no room for ${what}; it renews at ${until.toISOString()}.`
  return new EngineError('QUOTA_EXCEEDED', message, {
    suggestion: 'Send again then, or ask the operator of this server for a higher quota.',
    retryAfter: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)),
  })
}
