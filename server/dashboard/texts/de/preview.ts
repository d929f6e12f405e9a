import type { preview as english } from '../en/preview.ts'
import type { Widened } from '../types.ts'

export const preview: Widened<typeof english> = {
  title: 'Vorschau',
  as: 'Ansicht für',
  width: 'Breite',
  phone: 'Telefon',
  tablet: 'Tablet',
  desk: 'Computer',
  dark: 'Dunkler Modus',
  html: 'Mail',
  text: 'Nur Text',
  subject: 'Betreff',
  findContact: 'Kontakt suchen',
  filledFor: 'Ausgefüllt für',
  simulator: 'Oder ausprobieren, was zurückkommt. Dabei verlässt nichts diesen Server:',
  simulated: { bounce: 'eine unzustellbare Mail', complaint: 'eine Beschwerde', reply: 'eine Antwort' },
}
