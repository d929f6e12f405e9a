import type { Translations } from './translations.ts'

/** German. */
export const DE: Translations = {
  language: 'de',
  footer: {
    reason: (sender) => `Sie erhalten diese E-Mail, weil Sie E-Mails von ${sender} abonniert haben.`,
    unsubscribe: 'Abmelden',
  },
  unsubscribe: {
    title: 'Abmelden',
    sentence: ({ email, sender }) => `Möchten Sie unter ${email} keine E-Mails mehr von ${sender} erhalten?`,
    button: 'Abmelden',
  },
  unsubscribed: {
    title: 'Sie sind abgemeldet',
    sentence: ({ email, sender }) => `${sender} sendet keine E-Mails mehr an ${email}.`,
    button: 'Wieder anmelden',
  },
  subscribe: {
    title: 'Anmelden',
    sentence: ({ email, sender }) => `Möchten Sie unter ${email} E-Mails von ${sender} erhalten?`,
    button: 'Anmelden',
  },
  subscribed: {
    title: 'Sie sind angemeldet',
    sentence: ({ email, sender }) => `Sie erhalten unter ${email} E-Mails von ${sender}.`,
    button: 'Abmelden',
  },
  manage: {
    title: 'E-Mail-Einstellungen',
    whenSubscribed: ({ email, sender }) => `${email} ist für E-Mails von ${sender} angemeldet.`,
    whenUnsubscribed: ({ email, sender }) => `${email} ist nicht für E-Mails von ${sender} angemeldet.`,
    tracking: {
      title: 'Öffnungen und Klicks',
      sentence: (sender) => `Darf ${sender} sehen, ob Sie E-Mails öffnen und welche Links Sie anklicken?`,
      full: 'Ja, was ich öffne und anklicke',
      anonymous: 'Nur gezählt, ohne meinen Namen',
      none: 'Nein',
      button: 'Speichern',
      saved: 'Ihre Auswahl ist gespeichert.',
    },
  },
  quote: {
    wrote: ({ at, name }) => `Am ${at} schrieb ${name}:`,
    forwarded: 'Weitergeleitete Nachricht',
  },
  forwarding: {
    subject: (address) => `Mails an ${address} erhalten?`,
    request: ({ address, sender, email }) =>
      `${sender} möchte Mails an ${address} an ${email} weiterleiten. Bitte bestätigen Sie, dass Sie das wünschen.`,
    button: 'An mich weiterleiten',
    ignore: 'Falls Sie das nicht erwarten, ignorieren Sie diese E-Mail einfach. Dann wird nichts weitergeleitet.',
    page: ({ address, email }) => `Bitte bestätigen Sie, dass Mails an ${address} an ${email} weitergeleitet werden.`,
    done: {
      title: 'Bestätigt',
      sentence: ({ address, email }) => `Mails an ${address} werden ab jetzt an ${email} weitergeleitet.`,
    },
  },
  topics: {
    between: '“, „',
    ask: ({ topic, email, sender }) => `Möchten Sie unter ${email} „${topic}“ von ${sender} nicht mehr erhalten?`,
    left: ({ topic, email, sender }) => `${sender} sendet „${topic}“ nicht mehr an ${email}.`,
    joined: ({ topic, email, sender }) => `${email} erhält „${topic}“ von ${sender}.`,
    choice: 'Was möchten Sie erhalten?',
    everything: 'Von allem abmelden',
  },
  pause: {
    title: 'Eine Pause machen',
    sentence: (sender) => `${sender} sendet Ihnen in dieser Zeit weder Newsletter noch Angebote.`,
    days: (days) => `${days} Tage`,
    until: (day) => `Keine E-Mails bis ${day}.`,
    end: 'Pause beenden',
  },
  often: {
    title: 'Wie oft',
    sentence: (sender) => `${sender} sendet Ihnen Newsletter und Angebote nicht öfter, als Sie hier wählen.`,
    every: 'Jede E-Mail',
    week: 'Höchstens eine E-Mail pro Woche',
    month: 'Höchstens eine E-Mail pro Monat',
    days: (days) => (days === 1 ? 'Höchstens eine E-Mail pro Tag' : `Höchstens eine E-Mail alle ${days} Tage`),
  },
  gone: {
    title: 'Sie erhalten keine E-Mails mehr',
    sentence: (sender) => `${sender} hat Ihre Adresse gelöscht und sendet Ihnen keine E-Mails mehr.`,
  },
  mailGone: {
    title: 'Diese E-Mail ist hier nicht mehr lesbar',
    sentence: (sender) => `Der Text dieser E-Mail von ${sender} wird nicht mehr aufbewahrt.`,
  },
  archive: {
    title: (sender) => `E-Mails von ${sender}`,
    all: 'Alle E-Mails',
    empty: 'Noch ist nichts veröffentlicht.',
    older: 'Ältere E-Mails',
    newer: 'Neuere E-Mails',
  },
  invalid: {
    title: 'Dieser Link ist ungültig',
    sentence:
      'Bitte prüfen Sie, ob Sie den Link aus der E-Mail vollständig kopiert haben, oder verwenden Sie den Link aus einer neueren E-Mail.',
  },
  trouble: {
    title: 'Etwas ist schiefgegangen',
    sentence: 'Das hat gerade nicht geklappt. Bitte versuchen Sie es in einigen Minuten noch einmal.',
    refused: 'So geht das nicht. Bitte öffnen Sie den Link in der E-Mail noch einmal.',
  },
  form: {
    email: 'E-Mail-Adresse',
    button: 'Anmelden',
    optional: 'freiwillig',
    choose: 'Bitte wählen',
    check: 'Bitte prüfen Sie:',
    thanks: 'Vielen Dank!',
    confirm:
      'Wenn diese Adresse noch nicht angemeldet ist, haben wir ihr eine E-Mail geschickt. Bitte bestätigen Sie die Anmeldung über den Link darin.',
    closed: { title: 'Dieses Formular ist geschlossen', sentence: 'Zurzeit kann man sich hier nicht anmelden.' },
  },
  confirmation: {
    subject: (sender) => `Bitte bestätigen Sie Ihre Anmeldung bei ${sender}`,
    request: ({ email, sender }) =>
      `Jemand, hoffentlich Sie selbst, möchte unter ${email} E-Mails von ${sender} erhalten. Bitte bestätigen Sie, dass Sie das wünschen.`,
    button: 'Anmeldung bestätigen',
    page: ({ email, sender }) => `Bitte bestätigen Sie, dass ${email} E-Mails von ${sender} erhalten soll.`,
    topicPage: ({ topic, email, sender }) =>
      `Bitte bestätigen Sie, dass ${email} „${topic}“ von ${sender} erhalten soll.`,
    done: 'Anmeldung bestätigt',
    back: (site) => `Zurück zu ${site}`,
    ignore: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail einfach. Sie werden dann nicht angemeldet.',
    chosen: (topic) => `Ausgewählt: ${topic}.`,
    topics: {
      subject: (sender) => `Bitte bestätigen Sie, was ${sender} Ihnen senden darf`,
      request: ({ topic, email, sender }) =>
        `Jemand, hoffentlich Sie selbst, möchte unter ${email} „${topic}“ von ${sender} erhalten. Bitte bestätigen Sie, dass Sie das wünschen.`,
      ignore: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail einfach. Es ändert sich dann nichts.',
    },
  },
  leave: {
    title: 'Abmelden',
    sentence: (sender) =>
      `Geben Sie Ihre Adresse ein. Sie bekommt eine E-Mail mit dem Link, über den Sie sich bei ${sender} abmelden.`,
    button: 'Link senden',
    sent: 'Sehen Sie in Ihr Postfach',
    done: (sender) =>
      `Wenn diese Adresse E-Mails von ${sender} erhält, ist in wenigen Minuten eine E-Mail mit dem Link da. Am Tag wird höchstens eine solche E-Mail gesendet.`,
    mail: {
      subject: (sender) => `Abmelden bei ${sender}`,
      request: ({ email, sender }) =>
        `Jemand, hoffentlich Sie selbst, hat den Link angefordert, über den sich ${email} von E-Mails von ${sender} abmeldet.`,
      ignore: 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail einfach. Es ändert sich dann nichts.',
    },
  },
}
