import type { starters as english } from '../en/starters.ts'
import type { Widened } from '../types.ts'

// after the comma of the greeting a letter goes on in lower case
export const starters: Widened<typeof english> = {
  names: {
    letter: 'Schlichter Brief',
    newsletter: 'Newsletter',
    announcement: 'Ankündigung',
    receipt: 'Zahlungsbeleg',
    reset: 'Passwort zurücksetzen',
    welcome: 'Begrüßung',
  },
  greeting: 'Hallo ',
  there: 'und guten Tag',
  regards: 'Viele Grüße',
  why: 'Sie erhalten diese Mail, weil Sie sich dafür angemeldet haben.',
  leave: 'Abmelden',
  samples: {
    blank: 'hier beginnt Ihr Text.',
    letter: 'ein Brief kommt ohne Bilder aus. Schreiben Sie so, wie Sie einem einzelnen Menschen schreiben würden.',
    news: 'ein, zwei Sätze dazu, worum es in dieser Ausgabe geht und warum sich das Lesen lohnt.',
    story: 'Zwei, drei Sätze, die Lust aufs Weiterlesen machen.',
    announcement: 'sagen Sie in einem Satz, was neu ist, und in einem zweiten, was man davon hat.',
    first: 'Der erste Schritt in einem Satz.',
    second: 'Der zweite Schritt in einem Satz.',
    third: 'Der dritte Schritt in einem Satz.',
    name: '[Ihr Name]',
  },
  letter: { subject: 'Ein paar Worte' },
  newsletter: {
    subject: 'Neuigkeiten des Monats',
    first: 'Das erste Thema',
    readFirst: 'Mehr zum ersten Thema',
    second: 'Das zweite Thema',
    readSecond: 'Mehr zum zweiten Thema',
    until: 'Bis nächsten Monat',
  },
  announcement: {
    subject: 'Es gibt etwas Neues',
    button: 'Jetzt ansehen',
    questions: 'Haben Sie Fragen? Antworten Sie einfach auf diese Mail.',
  },
  receipt: {
    subject: 'Ihr Zahlungsbeleg {{ number }}',
    title: 'Vielen Dank für Ihre Bestellung',
    paid: 'wir haben Ihre Zahlung erhalten. Dies ist Ihr Beleg mit der Nummer ',
    total: 'Gesamtbetrag',
    keep: 'Bitte bewahren Sie diese Mail als Beleg auf.',
  },
  reset: {
    subject: 'Neues Passwort festlegen',
    asked: 'jemand, vermutlich Sie selbst, hat ein neues Passwort angefordert. Dieser Link gilt eine Stunde lang:',
    notYou: 'Waren Sie das nicht, ignorieren Sie diese Mail einfach. Ihr Passwort bleibt, wie es ist.',
  },
  welcome: {
    subject: 'Willkommen{% if firstName %}, {{ firstName }}{% endif %}',
    title: 'Herzlich willkommen',
    todo: 'schön, dass Sie da sind. So fangen Sie am besten an:',
    button: 'Los geht’s',
  },
}
