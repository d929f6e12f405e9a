/** How often a message is tried before it is left in the mailbox. */
const MAX_TRIES = 3

/**
 * The messages of a mailbox as this process knows them besides their flags. UIDs are valid for one UIDVALIDITY (RFC
 * 9051, section 2.3.1.1). Messages that are gone are forgotten.
 */
export class KnownMessages {
  #validity: bigint | undefined
  /** Stored, but perhaps not yet marked. */
  #stored = new Set<number>()
  /** Not fetched again while this process lives. */
  #left = new Set<number>()
  /** Not fetched again before the next look. */
  #later = new Set<number>()
  #failures = new Map<number, number>()

  /** Forgets everything when the UIDs now mean other messages. */
  open(validity: bigint): void {
    if (validity === this.#validity) return
    this.#validity = validity
    for (const each of [this.#stored, this.#left, this.#later, this.#failures]) each.clear()
  }

  /** Takes all unread UIDs. Answers which are to be fetched now, and which are stored and still to be marked. */
  sort(unread: readonly number[]): { readonly fresh: readonly number[]; readonly stored: readonly number[] } {
    const there = new Set(unread)
    for (const each of [this.#stored, this.#left, this.#later, this.#failures]) {
      for (const uid of each.keys()) if (!there.has(uid)) each.delete(uid)
    }
    const isKnown = (uid: number) => this.#stored.has(uid) || this.#left.has(uid) || this.#later.has(uid)
    return { fresh: unread.filter((uid) => !isKnown(uid)), stored: unread.filter((uid) => this.#stored.has(uid)) }
  }

  stored(uid: number): void {
    this.#stored.add(uid)
    this.#failures.delete(uid)
  }

  leave(uid: number): void {
    this.#left.add(uid)
  }

  /** Notes that a message could not be fetched; a later look tries again. False when that was the last try. */
  notFetched(uid: number): boolean {
    const isLast = this.notStored(uid) >= MAX_TRIES
    if (isLast) this.leave(uid)
    return !isLast
  }

  /** Notes that a message could not be stored; later looks try again without end. Answers how often it failed. */
  notStored(uid: number): number {
    const failures = (this.#failures.get(uid) ?? 0) + 1
    this.#failures.set(uid, failures)
    this.#later.add(uid)
    return failures
  }

  /** Starts the next look. */
  nextLook(): void {
    this.#later.clear()
  }
}
