import nodeCron from 'node-cron'

/** A cron expression as it is read: 5 or 6 fields, in UTC. */
export interface CronExpression {
  /** Why it cannot be used; undefined for a right one. */
  readonly problem: string | undefined
  /** Milliseconds between its moments where all distances are equal, and at most a minute; undefined for all others. */
  readonly period: number | undefined
  /** The seconds of a minute it may tick at, in order. */
  readonly seconds: readonly number[]
  /** Whether it ticks at this moment, which is a full second. */
  matches(moment: Date): boolean
}

/** By their text. They stand in the code of rooms and plugins, so there are some thirty. */
const read = new Map<string, CronExpression>()

/** An expression, read once for all engines of a process: to read those of one engine takes longer than to start its tasks. */
export function cronExpression(text: string): CronExpression {
  const known = read.get(text)
  if (known) return known
  const made = readExpression(text)
  if (made.problem === undefined) read.set(text, made)
  return made
}

function readExpression(text: string): CronExpression {
  const [error] = nodeCron.validateDetailed(text).errors
  if (error !== undefined) return { problem: error.message, period: undefined, seconds: [], matches: () => false }
  // Never started: after the clock was set back, node-cron's own timer would wait until it catches up. And gone from the
  // library's list at once, since it is only asked whether it matches.
  const task = nodeCron.createTask(text, () => {}, { timezone: 'Etc/UTC' })
  void task.destroy()
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = nodeCron.parse(text)
  const isAlways = [minute.length, hour.length, dayOfMonth.length, month.length, dayOfWeek.length]
  const step = 60 / second.length
  const isEven = second.length > 1 && second.every((value, i) => value === i * step)
  return {
    problem: undefined,
    period: isEven && isAlways.join() === '60,24,31,12,7' ? step * 1000 : undefined,
    seconds: second.toSorted((a, b) => a - b),
    matches: (moment) => task.match(moment),
  }
}
