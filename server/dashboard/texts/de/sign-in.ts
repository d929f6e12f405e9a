import type { signIn as english } from '../en/sign-in.ts'
import type { Widened } from '../types.ts'

export const signIn: Widened<typeof english> = {
  title: 'Anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  signIn: 'Anmelden',
  forgotten: 'Passwort vergessen?',
  with: (provider) => `Mit ${provider} anmelden`,
  ofHost: 'In der App anmelden',
  or: 'oder',
  codeTitle: 'Zwei-Faktor-Anmeldung',
  codeHint:
    'Der sechsstellige Code aus Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes. Haben Sie beides nicht mehr, kann die Person, die den Server betreibt, die Zwei-Faktor-Anmeldung aufheben.',
  code: 'Code',
  goOn: 'Weiter',
  ended: 'Melden Sie sich an, um dort weiterzumachen, wo Sie waren.',
  endedTitle: 'Ihre Sitzung ist beendet',
  endedHint: 'Melden Sie sich erneut an, um fortzufahren. Was Sie geschrieben haben, ist noch da.',
  endedOther: (now: string, before: string) =>
    `In diesem Browser ist jetzt ${now} angemeldet. Melden Sie sich als ${before} an, um auf dieser Seite fortzufahren.`,
  endedLeave: 'Diese Seite verlassen und als jemand anderes anmelden',
  comeBack: 'Das öffnet einen neuen Tab. Kehren Sie danach hierher zurück.',
  resetTitle: 'Neues Passwort setzen',
  resetHint: 'Wenn es zu Ihrer Adresse ein Konto gibt, senden wir Ihnen einen Link für ein neues Passwort.',
  resetSend: 'Link senden',
  resetSent: 'Wenn es zu dieser Adresse ein Konto gibt, ist der Link unterwegs. Er gilt eine Stunde.',
  back: 'Zurück zur Anmeldung',
  noUsers: 'Dieser Server hat noch keine Benutzer',
  noUsersHint:
    'Öffnen Sie den Einrichtungslink, den der Server beim Start ausgegeben hat. Damit legen Sie den ersten Benutzer an. Der Link gilt 24 Stunden; jeder Start gibt einen neuen aus.',
  providers: { github: 'GitHub', google: 'Google', oidc: 'Ihrem Firmenkonto' },
}
