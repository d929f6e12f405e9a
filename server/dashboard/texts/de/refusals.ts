import type { Texts } from '../types.ts'

export const refusals: Texts['refusals'] = {
  byCode: {
    DOMAIN_NOT_VERIFIED: {
      message: 'Von dieser Adresse darf das Projekt noch nicht senden.',
      suggestion:
        'Empfänger vertrauen nur Mails einer Domain, die Sie dafür freigegeben haben. Fügen Sie die Domain der Adresse hinzu und tragen Sie die angezeigten Einträge dort ein, wo die Domain verwaltet wird.',
    },
    INVALID_SESSION: { message: 'Ihre Sitzung ist beendet.', suggestion: 'Melden Sie sich erneut an.' },
    INTERNAL_SERVER_ERROR: {
      message: 'Auf dem Server ist etwas schiefgegangen.',
      suggestion:
        'Versuchen Sie es noch einmal. Geschieht es wieder, wenden Sie sich an die Person, die den Server betreibt.',
    },
  },
  sender:
    'Die Domain dieser Adresse gehört nicht zu den Domains des Projekts. Fügen Sie sie zuerst unter „Domains“ hinzu.',
  toDomains: 'Zu den Domains',
}
