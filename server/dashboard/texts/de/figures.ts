import type { figures as english } from '../en/figures.ts'
import type { Widened } from '../types.ts'

export const figures: Widened<typeof english> = {
  title: 'Wie Anbieter diesen Absender beurteilen',
  hint: (days) =>
    `Deren eigene Zahlen der letzten ${days} Tage, aus Dateien, die Sie dort herunterladen und hier hinzufügen:`,
  pages: {
    'Google Postmaster Tools': 'https://postmaster.google.com/',
    'Microsoft SNDS + JMRP': 'https://sendersupport.olc.protection.outlook.com/snds/',
  },
  none: 'Noch keine Zahlen.',
  add: 'CSV-Datei hinzufügen',
  added: (count, receiver) =>
    count === 1 ? `Eine Zahl von ${receiver} ist hinzugefügt.` : `${count} Zahlen von ${receiver} sind hinzugefügt.`,
  unclear: 'Die Zahlen in dieser Datei haben kein Prozentzeichen. 0,1 bedeutet darin',
  numbers: { percent: '0,1 %', fraction: '10 %' },
  receivers: { google: 'Google Postmaster Tools', microsoft: 'Microsoft SNDS' },
  mailboxes: { google: 'Gmail', microsoft: 'Outlook.com' },
  source: (time) => `Vom Anbieter, aus Ihrer Datei vom ${time}. Die Tage sind die des Anbieters.`,
  day: 'Tag',
  address: 'Adresse',
  figure: 'Zahl',
  subject: 'Worüber',
  value: 'Wert',
  others: 'Weitere Zahlen',
  own: (mailboxes) => `Hier gezählt an ${mailboxes}`,
  ownFigures: (delivered, complained, shown) =>
    `${delivered} zugestellt, ${shown} ${complained === 1 ? 'Beschwerde' : 'Beschwerden'}`,
  kinds: {
    spamRate: 'Als Spam gemeldet',
    domainReputation: 'Ruf der Domain',
    ipReputation: 'Ruf der Adressen',
    feedbackLoop: 'Feedback-Loop',
    spf: 'SPF',
    dkim: 'DKIM',
    dmarc: 'DMARC',
    tlsIn: 'TLS zu Gmail',
    tlsOut: 'TLS von Gmail',
    deliveryErrors: 'Zustellfehler',
    compliance: 'Anforderung',
    filterResult: 'Filter',
    complaintRate: 'Beschwerden',
    trapHits: 'Spamfallen',
    recipients: 'Empfänger',
    messages: 'Mails',
    blocked: 'Gesperrt',
  },
  words: {
    HIGH: 'hoch',
    MEDIUM: 'mittel',
    LOW: 'niedrig',
    BAD: 'schlecht',
    GREEN: 'grün: unter 10 % Spam',
    YELLOW: 'gelb: 10 bis 90 % Spam',
    RED: 'rot: über 90 % Spam',
  },
}
