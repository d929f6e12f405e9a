import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { isSimulated } from '../mail/simulator-address.ts'
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

/** Whether what the project sends now is counted: what is sure to be caught is not. */
export function hasQuotas({ quotas, mode, isForTests }: Project): boolean {
  return quotas !== undefined && mode !== 'test' && !isForTests
}

/** The recipients of mails, one for each. */
type Recipients = readonly { readonly email: string }[]

/** Mails that were counted in quotas. */
export interface CountedMails {
  /** Takes back what was counted, but for these: they alone were accepted. */
  keep(accepted: Recipients): Promise<void>
}

/**
 * Counts the mails to these recipients in the quotas of the project, all or none; those to the simulator are free. Throws
 * EngineError `QUOTA_EXCEEDED`.
 */
export async function countInQuotas(
  { attempts }: Pick<Store, 'attempts'>,
  project: Project,
  to: Recipients,
  kit: Pick<Kit, 'now' | 'settings'>,
): Promise<CountedMails> {
  const quotas = quotasOf(project)
  const now = kit.now()
  const count = (all: Recipients) => all.filter(({ email }) => !isSimulated(email, kit.settings)).length
  const mails = count(to)
  const counted: string[] = []
  const giveBack = async (most: number) => {
    for (const key of counted) await attempts.giveBack(key, most)
  }
  for (const { key, most, until, of } of quotas && mails > 0 ? quotaShares(project.id, quotas, now) : []) {
    const granted = await attempts.take(key, now, until, mails, most)
    if (granted < mails) {
      await attempts.giveBack(key, granted)
      await giveBack(mails)
      throw usedUp(of, most, mails, until, now)
    }
    counted.push(key)
  }
  return { keep: (accepted) => giveBack(mails - count(accepted)) }
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
