import { silentLog, systemClock } from 'mailwright'
import { schedulerContract } from 'mailwright/contracts'
import { describe } from 'vitest'
import { ownScheduler } from '../own-scheduler.ts'

describe('scheduler-own', () => {
  schedulerContract(async () => {
    const { scheduler } = await ownScheduler().open({ log: silentLog, clock: systemClock })
    // one that several processes share answers another one here
    return { scheduler, other: undefined, close: () => scheduler.stop() }
  })
})
