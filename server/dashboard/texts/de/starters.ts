import type { starters as english } from '../en/starters.ts'
import type { Widened } from '../types.ts'

export const starters: Widened<typeof english> = {
  title: 'Startvorlagen',
  letter: 'Schlichter Brief',
  newsletter: 'Newsletter',
  announcement: 'Ankündigung',
  receipt: 'Zahlungsbeleg',
  reset: 'Passwort zurücksetzen',
  welcome: 'Begrüßung',
}
