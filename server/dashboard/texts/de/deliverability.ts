import type { deliverability as english } from '../en/deliverability.ts'
import type { Widened } from '../types.ts'

export const deliverability: Widened<typeof english> = {
  title: 'Zustellbarkeit',
  hint: 'Was aus Ihren Mails geworden ist, nach Empfängerdomain. Viele unzustellbare Mails oder Beschwerden schaden der Zustellung aller Ihrer Mails.',
  byRecipient: 'Nach Empfänger',
  bySender: 'Nach Absender',
  domain: 'Domain',
  sent: 'Gesendet',
  delivered: 'Zugestellt',
  deferred: 'Verzögert',
  bounceRate: 'Unzustellbar',
  complaintRate: 'Beschwerden',
  lastRefusal: 'Letzte Ablehnung',
  more: (n) => (n === 1 ? 'Eine weitere' : `${n} weitere`),
  states: { ok: 'Gut', warning: 'Zu hoch', stopped: 'Marketing gestoppt' },
  days: (n) => `${n} Tage`,
  empty: 'Keine Mails in diesem Zeitraum',
  emptyHint: 'Zahlen erscheinen, sobald Mails gesendet wurden.',
}
