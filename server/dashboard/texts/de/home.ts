import type { home as english } from '../en/home.ts'
import type { Widened } from '../types.ts'

export const home: Widened<typeof english> = {
  title: 'Übersicht',
  last30: 'Die letzten 30 Tage im Vergleich zu den 30 Tagen davor.',
  figures: {
    sent: 'Gesendet',
    delivered: 'Zugestellt',
    toFolder: 'In Ordner geschrieben',
    partlyToFolder: 'Zugestellt oder in Ordner geschrieben',
    ofTheseToFolder: (n: string) => `${n} nur in Ordner geschrieben`,
    opened: 'Geöffnet',
    clicked: 'Geklickt',
    bounced: 'Unzustellbar',
    complained: 'Spam-Meldungen',
  },
  byDay: 'Mails pro Tag',
  latest: 'Neuestes',
  allActivity: 'Alle Aktivitäten',
  underWay: 'Laufende Kampagnen',
  health: 'Zustand',
  allWell: 'Alles funktioniert.',
  sendsNothing:
    'Kein Mailserver eingerichtet: Mails werden in einen Ordner dieses Servers geschrieben und erreichen niemanden.',
  domainPending: (domain) => `${domain} ist noch nicht bestätigt: Tragen Sie die DNS-Einträge ein.`,
  domainFailed: (domain) => `${domain} ist nicht mehr bestätigt: Ein DNS-Eintrag fehlt.`,
  webhookPaused: (url) => `Der Webhook an ${url} ist angehalten: Er nahm keine Ereignisse an.`,
  formAttacked: (name) => `Programme greifen das Formular „${name}“ an: Was zu viel ist, wird abgelehnt.`,
  partDown: (part) => `Ein Teil dieses Servers antwortet nicht: ${part}.`,
  highRate: (domain) => `Viele Mails von ${domain} sind unzustellbar oder führen zu Beschwerden.`,
  todo: 'Erste Schritte',
  todoHint: 'Was vor Ihrem ersten Newsletter noch zu tun ist.',
  goThrough: 'Erste Schritte durchgehen',
  steps: {
    domain: 'Ihre Absenderdomain bestätigen',
    sender: 'Den Absender des Projekts festlegen',
    transport: 'Den Mailserver einrichten, der Ihre Mails versendet',
    mail: 'Eine erste Mail an sich selbst senden',
    contacts: 'Ihre Kontakte importieren',
    template: 'Eine Vorlage anlegen',
    campaign: 'Ihre erste Kampagne senden',
  },
}
