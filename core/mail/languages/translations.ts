/** The texts people read about their subscription, in one language. */
export interface Translations {
  /** The language as a tag (BCP 47), for `lang` attributes. */
  readonly language: string

  /** The footer of marketing mail. */
  readonly footer: {
    /** Why the recipient gets this mail. */
    reason(sender: string): string
    readonly unsubscribe: string
  }

  /** Asks before anything changes; the button unsubscribes. */
  readonly unsubscribe: Page
  /** After unsubscribing; the button subscribes again. */
  readonly unsubscribed: Page
  /** Asks for a confirmation; the button confirms. */
  readonly subscribe: Page
  /** After subscribing or confirming; the button unsubscribes again. */
  readonly subscribed: Page
  /** Shows the current state and offers the other; its buttons are those of `unsubscribe` and `subscribe`. */
  readonly manage: {
    readonly title: string
    whenSubscribed(who: Who): string
    whenUnsubscribed(who: Who): string
    readonly tracking: TrackingChoice
  }
  /** Above a message that is quoted or forwarded; the moment is written in this language. */
  readonly quote: {
    wrote(what: { readonly at: string; readonly name: string }): string
    readonly forwarded: string
  }
  /** Asks a mailbox to take the mail of an inbox. */
  readonly forwarding: {
    subject(address: string): string
    request(who: Forwarded): string
    readonly button: string
    readonly ignore: string
    /** On the page that the mail leads to. */
    page(who: Forwarded): string
    /** Once the mailbox has agreed. */
    readonly done: { readonly title: string; sentence(who: Forwarded): string }
  }
  /** About one kind of mail. The titles and the other buttons are those of `unsubscribe` to `subscribed`. */
  readonly topics: {
    /** Stands between two that a sentence names, with the marks that end the one and begin the other. */
    readonly between: string
    /** Asks before the reader leaves it. */
    ask(who: WhoAndTopic): string
    left(who: WhoAndTopic): string
    joined(who: WhoAndTopic): string
    /** Above a list of kinds of mail to choose from; the button is that of `tracking`. */
    readonly choice: string
    /** The button that unsubscribes from all of them. */
    readonly everything: string
  }
  /** Offers to get no marketing mail for a while. */
  readonly pause: {
    readonly title: string
    sentence(sender: string): string
    /** A button: for so many days. */
    days(days: number): string
    /** While it lasts; the day is written in this language. */
    until(day: string): string
    /** The button that ends it. */
    readonly end: string
  }
  /** Offers to get marketing mail less often; the button is that of `tracking`. */
  readonly often: {
    readonly title: string
    sentence(sender: string): string
    readonly every: string
    /** At most one mail in seven days. */
    readonly week: string
    /** At most one mail in thirty days. */
    readonly month: string
    /** At most one mail in another number of days, from 1. */
    days(days: number): string
  }
  /** The reader's address was deleted: there is nothing left to do. */
  readonly gone: { readonly title: string; sentence(sender: string): string }
  /** A mail that can no longer be read in a browser. */
  readonly mailGone: { readonly title: string; sentence(sender: string): string }
  /** The public archive; its link to sign up has the button of `subscribe`. */
  readonly archive: {
    title(sender: string): string
    /** From one mail back to the list. */
    readonly all: string
    readonly empty: string
    readonly older: string
    readonly newer: string
  }
  /** An invalid link. */
  readonly invalid: { readonly title: string; readonly sentence: string }
  /** An error that the reader cannot fix; `refused` replaces the sentence when no time will mend it. */
  readonly trouble: { readonly title: string; readonly sentence: string; readonly refused: string }

  /** The page of a sign-up form, as far as its makers leave out a text. */
  readonly form: FormWords

  /** The mail that asks for a confirmation (double opt-in). */
  readonly confirmation: {
    subject(sender: string): string
    /** Why the mail came, and what the button does. */
    request(who: Who): string
    readonly button: string
    /** On the page that the button leads to, above a button with the same words. */
    page(who: Who): string
    /** The same for one or several kinds of mail. */
    topicPage(who: WhoAndTopic): string
    /** The title of the page after that. */
    readonly done: string
    /** There, a link to the site with the form; it is the site's host. */
    back(site: string): string
    /** For readers who did not ask for it. */
    readonly ignore: string
    /** The kinds of mail that were chosen, for readers who are not subscribed yet. */
    chosen(topic: string): string
    /** The same for subscribed readers, who are asked for one or several kinds of mail. */
    readonly topics: Pick<Translations['confirmation'], 'subject' | 'ignore'> & { request(who: WhoAndTopic): string }
  }

  /** Leaving without a mail at hand: by an address that is typed on a page. */
  readonly leave: {
    /** Also the text of the link to the page. */
    readonly title: string
    sentence(sender: string): string
    readonly button: string
    /** After it was sent. Whether the address gets mail is not said. */
    readonly sent: string
    done(sender: string): string
    /** The mail with the way out; its button is that of `unsubscribe`. */
    readonly mail: Pick<Translations['confirmation'], 'subject' | 'request' | 'ignore'>
  }
}

/** Asks which openings and clicks may be recorded, with the possible answers. */
interface TrackingChoice {
  readonly title: string
  sentence(sender: string): string
  readonly full: string
  readonly anonymous: string
  readonly none: string
  readonly button: string
  /** Shown after the button. */
  readonly saved: string
}

/** The words on the pages of sign-up forms. */
export interface FormWords {
  /** The label of the address. */
  readonly email: string
  readonly button: string
  /** Beside the label of a field that may be left empty. */
  readonly optional: string
  /** The empty answer of a choice. */
  readonly choose: string
  /** Above a form that was not filled in rightly; followed by the labels of the fields. */
  readonly check: string
  /** After it was sent. Whether the address is on the list already is not said. */
  readonly thanks: string
  /** The sentence below, where people confirm by mail. */
  readonly confirm: string
  /** A form that takes no submissions. */
  readonly closed: { readonly title: string; readonly sentence: string }
}

/** A page with one button. */
interface Page {
  readonly title: string
  sentence(who: Who): string
  readonly button: string
}

/** The reader's address, and the sender. */
interface Who {
  readonly email: string
  readonly sender: string
}

/** The same with the kind of mail it is about. */
interface WhoAndTopic extends Who {
  readonly topic: string
}

/** An inbox, by its address, whose mail goes on to another mailbox (`email`), and the name of its project. */
interface Forwarded {
  readonly address: string
  readonly sender: string
  readonly email: string
}
