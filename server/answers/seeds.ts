import { SeedMailbox, SeedTest } from '../../core/ports/store/seeds.ts'
import { answerOf } from './answer.ts'

/** A mailbox of the seed list, without its password. */
export const SeedMailboxAnswer = answerOf(SeedMailbox)

/** Where test mail of a campaign landed. */
export const SeedTestAnswer = answerOf(SeedTest)
