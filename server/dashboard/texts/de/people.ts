import type { people as english } from '../en/people.ts'
import type { Widened } from '../types.ts'

export const people: Widened<typeof english> = {
  title: 'Personen',
  hint: 'Alle, die auf diesem Server ein Konto haben, zu welchen Projekten sie auch gehören.',
  open: 'Alle Konten',
  openHint:
    'Wer das Passwort vergessen oder das Handy mit dem zweiten Faktor verloren hat, kommt von hier aus wieder hinein.',
  search: 'Adresse oder Name suchen',
  confirmed: 'Bestätigt',
  unconfirmed: 'Adresse nicht bestätigt',
  on: 'Ein',
  off: 'Aus',
  since: 'Konto seit',
  newPassword: 'Neues Passwort',
  removeFactor: 'Zweiten Faktor ausschalten',
  ownPassword: 'Ihr eigenes Passwort',
  makeLink: 'Link erstellen',
  linkHint: (email) =>
    `Sie bekommen einen Link, mit dem ${email} ein neues Passwort setzt. Geben Sie ihn so weiter, dass niemand mitliest: Wer ihn öffnet, hat das Konto, und die Adresse gilt als bestätigt. Er gilt einmal und eine Stunde lang. Ein zweiter Faktor bleibt.`,
  linkMade: 'Der Link steht nur hier',
  linkUntil: (until) => `Geben Sie ihn der Person weiter. Er gilt bis ${until}.`,
  copyLink: 'Link kopieren',
  factorHint: (email) =>
    `${email} meldet sich dann nur mit dem Passwort an und kann wieder einen zweiten Faktor einrichten. Alle Sitzungen dieser Person enden. Vergewissern Sie sich, dass wirklich diese Person Sie darum bittet.`,
  factorRemoved: (email) => `${email} meldet sich ohne zweiten Faktor an.`,
}
