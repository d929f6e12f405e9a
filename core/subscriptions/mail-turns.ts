import { createHash } from 'node:crypto'
import type { Kit } from '../kit.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { mailboxOf } from '../values/mailbox-of.ts'
import type { ProjectId } from '../values/project-id.ts'
import { NOTICE_PAUSE_MS } from '../work/notice.ts'

const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS
/** How many mails a mailbox gets that does not answer, and in how many days. */
const TURNS = [
  { most: 1, days: 1 },
  { most: 3, days: 90 },
] as const
/** How often a process notes that mails of a project are held back. */
const NOTED_EVERY_MS = 10 * 60_000
/** The notice about a project whose mails are held back. */
export const HELD_BACK = 'mails of strangers held back'

/** Mails that ask for a confirmation, and those with the way out: apart, so that an attack by one does not stop the other. */
type TurnKind = 'confirmation' | 'leave'

type Counts = Pick<Repositories, 'attempts'>
type Recipient = Pick<Contact, 'projectId' | 'email'>
interface Turn {
  readonly key: string
  readonly most: number
  readonly ms: number
}

/**
 * Counts the mails of a project that any visitor can cause by typing an address, whatever asks for them: a form, an
 * event with a public key, a choice of topics, the page to leave. Each mailbox has a limit; who answers a mail can be
 * mailed again. The project has one, too, since many strangers with many addresses could otherwise ruin its reputation.
 */
export class MailTurns {
  /** When it was last noted that mails are held back, by project. */
  readonly #noted = new Map<ProjectId, number>()

  constructor(
    private readonly store: Pick<Store, 'attempts' | 'notices'>,
    private readonly kit: Kit,
  ) {}

  /** Counts a mail to a mailbox; false when it is one too many. */
  take(counts: Counts, recipient: Recipient, now: Date): Promise<boolean> {
    return takeAll(counts, ofMailbox(recipient), now)
  }

  /** Takes back a mail that was counted and not stored. */
  giveBack(counts: Counts, recipient: Recipient): Promise<void> {
    return giveBackAll(counts, ofMailbox(recipient))
  }

  /** Forgets what was counted of a mailbox: its owner has used a link of a mail. */
  async end({ attempts }: Counts, recipient: Recipient): Promise<void> {
    for (const { key } of ofMailbox(recipient)) await attempts.forgive(key, true)
  }

  /**
   * Counts a mail of a project, in a write of its own: in the transactions of the mails, all of a project would wait for
   * each other. False when it is one too many, of which its owners are told.
   */
  async reserve(projectId: ProjectId, kind: TurnKind, now: Date): Promise<boolean> {
    if (await takeAll(this.store, this.#ofProject(projectId, kind), now)) return true
    await this.#note(projectId, kind, now)
    return false
  }

  /** Takes back a mail of a project that was not stored. */
  release(projectId: ProjectId, kind: TurnKind): Promise<void> {
    return giveBackAll(this.store, this.#ofProject(projectId, kind))
  }

  /** Runs `work`, which is told whether the project may send one more mail, and answers whether it stored one. */
  async spend(
    projectId: ProjectId,
    kind: TurnKind,
    now: Date,
    work: (hasRoom: boolean) => Promise<boolean>,
  ): Promise<boolean> {
    const hasRoom = await this.reserve(projectId, kind, now)
    let isStored = false
    try {
      isStored = await work(hasRoom)
    } finally {
      if (hasRoom && !isStored) await this.release(projectId, kind)
    }
    return isStored
  }

  #ofProject(projectId: ProjectId, kind: TurnKind): readonly Turn[] {
    const { mailsPerHour, mailsPerDay } = this.kit.settings.strangers
    return [
      { key: `strangers ${kind} hour ${projectId}`, most: mailsPerHour, ms: HOUR_MS },
      { key: `strangers ${kind} day ${projectId}`, most: mailsPerDay, ms: DAY_MS },
    ]
  }

  /** Notes it for the owners of the project, and warns of it in the log, once a day. */
  async #note(projectId: ProjectId, kind: TurnKind, now: Date): Promise<void> {
    if (now.getTime() < (this.#noted.get(projectId) ?? 0) + NOTED_EVERY_MS) return
    this.#noted.set(projectId, now.getTime())
    if (!(await this.store.notices.first(projectId, HELD_BACK, now, NOTICE_PAUSE_MS))) return
    this.kit.log.warn('mails that strangers ask for are held back', {
      project: projectId,
      kind,
      ...this.kit.settings.strangers,
      advice: 'What was sent is kept. If these are people and no attack, raise strangers.mailsPerHour or mailsPerDay.',
    })
  }
}

async function takeAll({ attempts }: Counts, turns: readonly Turn[], now: Date): Promise<boolean> {
  for (const [i, { key, most, ms }] of turns.entries()) {
    if ((await attempts.take(key, now, new Date(now.getTime() + ms), 1, most)) > 0) continue
    await giveBackAll({ attempts }, turns.slice(0, i))
    return false
  }
  return true
}

async function giveBackAll({ attempts }: Counts, turns: readonly Turn[]): Promise<void> {
  for (const { key } of turns) await attempts.giveBack(key, 1)
}

/** By a hash, so that no table of addresses comes about. */
function ofMailbox({ projectId, email }: Recipient): readonly Turn[] {
  return TURNS.map(({ most, days }) => {
    const about = JSON.stringify(['mailbox', projectId, days, mailboxOf(email)])
    return { key: createHash('sha256').update(about).digest('base64url'), most, ms: days * DAY_MS }
  })
}
