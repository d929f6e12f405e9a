/** What people read about their subscription, in one language. */
export interface Translations {
  /** The language as a tag (BCP 47), for `lang` attributes. */
  readonly language: string

  /** At the end of marketing mail. */
  readonly footer: {
    /** Why one gets this mail; `sender` is who sends it. */
    reason(sender: string): string
    readonly unsubscribe: string
  }

  /** Asks before anything changes; the button does it. */
  readonly unsubscribe: Page
  /** After unsubscribing; the button takes it back. */
  readonly unsubscribed: Page
  /** Asks for a confirmation; the button gives it. */
  readonly subscribe: Page
  /** After subscribing or confirming; the button takes it back. */
  readonly subscribed: Page
  /** Shows how it is, and offers the other; its buttons are those of `unsubscribe` and `subscribe`. */
  readonly manage: {
    readonly title: string
    whenSubscribed(who: Who): string
    whenUnsubscribed(who: Who): string
    readonly tracking: TrackingChoice
  }
  /** The reader's address was deleted: nothing is to be done any more. */
  readonly gone: { readonly title: string; sentence(sender: string): string }
  /** A link that is not ours. */
  readonly invalid: { readonly title: string; readonly sentence: string }
  /** Something failed on the way, which the reader cannot mend. */
  readonly trouble: { readonly title: string; readonly sentence: string }

  /** The mail that asks for a confirmation (double opt-in). */
  readonly confirmation: {
    subject(sender: string): string
    /** Why the mail came, and what the button is for. */
    request(who: Who): string
    readonly button: string
    /** For who did not ask for it. */
    readonly ignore: string
  }
}

/** Asks what may be noted of openings and clicks, and offers what can be answered. */
interface TrackingChoice {
  readonly title: string
  sentence(sender: string): string
  readonly full: string
  readonly anonymous: string
  readonly none: string
  readonly button: string
  /** After the button. */
  readonly saved: string
}

/** A page with one button. */
interface Page {
  readonly title: string
  sentence(who: Who): string
  readonly button: string
}

/** Who a page is about: the person's address, and who sends to it. */
interface Who {
  readonly email: string
  readonly sender: string
}
