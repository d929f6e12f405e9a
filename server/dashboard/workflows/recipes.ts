import type { operations } from '../../client/index.ts'
import type { recipes as german } from '../texts/de/recipes.ts'
import type { Start } from './start.ts'

type NewWorkflow = operations['createWorkflow']['requestBody']['content']['application/json']
type PlannedStep = NonNullable<NewWorkflow['steps']>[number]
type Way = readonly [from: string, to: string, branch?: string]

/** A whole workflow to begin with. Its names and the words of its mails are in the texts, by the same keys. */
interface Recipe {
  /** Its trigger; the form asks for the rest. */
  readonly start: Partial<Start>
  /** A step that sends a mail has the mail of its own key. */
  readonly steps: Readonly<Record<string, Pick<PlannedStep, 'type' | 'config'>>>
  readonly ways: readonly Way[]
  /** The address behind the button of a mail, where its author need not fill it in; such a mail goes to all contacts. */
  readonly links?: Readonly<Record<string, string>>
}

export type RecipeKey = 'series' | 'welcome' | 'confirmation' | 'birthday' | 'trial' | 'winBack' | 'feedback' | 'cart'

/** In the config of a step: the field that was chosen for the start. */
export const CHOSEN_FIELD = 'chosen field'

const [HOUR, DAY] = [3600, 86_400]
const MAIL = { type: 'SEND_EMAIL' } as const
const EXIT = { type: 'EXIT' } as const
const delay = (amount: number) => ({ type: 'DELAY', config: { amount, unit: 'days' } }) as const
const waitFor = (eventName: string, timeout: number) =>
  ({ type: 'WAIT_FOR_EVENT', config: { eventName, timeout } }) as const
const mark = (value: string) => ({ type: 'UPDATE_CONTACT', config: { data: { activity: value } } }) as const

export const RECIPES: Readonly<Record<RecipeKey, Recipe>> = {
  series: {
    start: { kind: 'subscribes' },
    steps: { first: MAIL, wait: delay(2), second: MAIL, wait2: delay(4), third: MAIL },
    ways: [
      ['trigger', 'first'],
      ['first', 'wait'],
      ['wait', 'second'],
      ['second', 'wait2'],
      ['wait2', 'third'],
    ],
  },
  welcome: {
    start: { kind: 'added' },
    steps: {
      agreed: { type: 'CONDITION', config: { field: 'subscribed', operator: 'equals', value: true } },
      agrees: waitFor('contact.subscribed', 30 * DAY),
      end: EXIT,
      first: MAIL,
      wait: delay(2),
      second: MAIL,
      wait2: delay(4),
      third: MAIL,
    },
    ways: [
      ['trigger', 'agreed'],
      ['agreed', 'first', 'yes'],
      ['agreed', 'agrees', 'no'],
      ['agrees', 'first', 'event'],
      ['agrees', 'end', 'timeout'],
      ['first', 'wait'],
      ['wait', 'second'],
      ['second', 'wait2'],
      ['wait2', 'third'],
    ],
  },
  confirmation: {
    start: { kind: 'form' },
    steps: {
      wait: waitFor('contact.subscribed', DAY),
      remind: MAIL,
      wait2: waitFor('contact.subscribed', 3 * DAY),
      thanks: MAIL,
      end: EXIT,
    },
    ways: [
      ['trigger', 'wait'],
      ['wait', 'thanks', 'event'],
      ['wait', 'remind', 'timeout'],
      ['remind', 'wait2'],
      ['wait2', 'thanks', 'event'],
      ['wait2', 'end', 'timeout'],
    ],
    links: { remind: '{{ subscribeUrl }}' },
  },
  birthday: {
    start: { kind: 'date', field: 'data.birthday', direction: 'on', yearly: true },
    steps: { first: MAIL },
    ways: [['trigger', 'first']],
  },
  trial: {
    start: { kind: 'date', field: 'data.trialEnds', direction: 'before', amount: 3, unit: 'days', yearly: false },
    steps: { ending: MAIL, wait: { type: 'WAIT_UNTIL', config: { field: CHOSEN_FIELD } }, ended: MAIL },
    ways: [
      ['trigger', 'ending'],
      ['ending', 'wait'],
      ['wait', 'ended', 'reached'],
    ],
  },
  winBack: {
    start: { kind: 'enters' },
    steps: {
      first: MAIL,
      wait: waitFor('email.click', 7 * DAY),
      second: MAIL,
      wait2: waitFor('email.click', 14 * DAY),
      back: mark('back'),
      quiet: mark('quiet'),
    },
    ways: [
      ['trigger', 'first'],
      ['first', 'wait'],
      ['wait', 'back', 'event'],
      ['wait', 'second', 'timeout'],
      ['second', 'wait2'],
      ['wait2', 'back', 'event'],
      ['wait2', 'quiet', 'timeout'],
    ],
  },
  feedback: {
    start: { kind: 'date', field: 'data.orderedAt', direction: 'after', amount: 10, unit: 'days', yearly: false },
    steps: {
      ask: MAIL,
      wait: waitFor('email.click', 7 * DAY),
      remind: MAIL,
      wait2: waitFor('email.click', 7 * DAY),
      thanks: MAIL,
    },
    ways: [
      ['trigger', 'ask'],
      ['ask', 'wait'],
      ['wait', 'thanks', 'event'],
      ['wait', 'remind', 'timeout'],
      ['remind', 'wait2'],
      ['wait2', 'thanks', 'event'],
    ],
  },
  cart: {
    start: { kind: 'event', eventName: 'cart_filled' },
    steps: {
      wait: waitFor('order_placed', 3 * HOUR),
      first: MAIL,
      wait2: waitFor('order_placed', DAY),
      second: MAIL,
      ordered: EXIT,
    },
    ways: [
      ['trigger', 'wait'],
      ['wait', 'ordered', 'event'],
      ['wait', 'first', 'timeout'],
      ['first', 'wait2'],
      ['wait2', 'ordered', 'event'],
      ['wait2', 'second', 'timeout'],
    ],
  },
}

/** The texts of the recipes in one language. */
export type RecipeWords = typeof german

export interface MailWords {
  readonly subject: string
  readonly words: readonly string[]
  readonly button: string
}

/** The mails of a recipe, by the keys of the steps that send them. */
export function mailsOf(key: RecipeKey, recipes: RecipeWords): readonly (readonly [step: string, mail: MailWords])[] {
  return Object.entries(recipes[key].mails)
}
