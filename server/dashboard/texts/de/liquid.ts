import type { Rewordings } from '../reworded.ts'

const PLACE = '\\(line (\\d+), column (\\d+)\\)'

export const liquid: Rewordings = [
  [`output "(.*)" not closed ${PLACE}`, '„$1“ hat kein Ende: Schließen Sie es mit }} (Zeile $2, Zeichen $3).'],
  [`tag "(.*)" not closed ${PLACE}`, '„$1“ hat kein Ende: Schließen Sie es mit %} (Zeile $2, Zeichen $3).'],
  [
    `tag (\\{%-?\\s*(\\w+)\\b.*%\\}) not closed ${PLACE}`,
    'Das Ende von $1 fehlt: Schreiben Sie {% end$2 %} dorthin, wo es aufhört (Zeile $3, Zeichen $4).',
  ],
  [
    `raw "(.*)" not closed ${PLACE}`,
    'Das Ende von {% raw %} fehlt: Schreiben Sie {% endraw %} dorthin, wo es aufhört (Zeile $2, Zeichen $3).',
  ],
  [
    `tag "end(\\w+)" not found ${PLACE}`,
    'Vor {% end$1 %} fehlt ein {% $1 … %}: Fügen Sie es hinzu, oder entfernen Sie das Ende (Zeile $2, Zeichen $3).',
  ],
  [
    `tag "(else|elsif)" not found ${PLACE}`,
    '{% $1 %} gehört zwischen {% if … %} und {% endif %} (Zeile $2, Zeichen $3).',
  ],
  [`tag "(.*)" not found ${PLACE}`, '{% $1 %} gibt es nicht: Prüfen Sie die Schreibweise (Zeile $2, Zeichen $3).'],
  [
    `undefined filter: (.*) ${PLACE}`,
    'Den Filter „$1“ gibt es nicht: Prüfen Sie die Schreibweise (Zeile $2, Zeichen $3).',
  ],
  [
    `invalid value expression: "" ${PLACE}`,
    'Zwischen den Klammern steht nichts: Schreiben Sie den Namen eines Felds hinein, oder entfernen Sie sie (Zeile $1, Zeichen $2).',
  ],
  [
    `expected "\\|" before filter ${PLACE}`,
    'Das lässt sich so nicht lesen: Verglichen wird mit ==, und am Ende steht %} (Zeile $1, Zeichen $2).',
  ],
  [
    `expected ":" after filter name ${PLACE}`,
    'Zwischen einem Filter und seinem Wert steht ein Doppelpunkt, wie in {{ name | default: "Du" }} (Zeile $1, Zeichen $2).',
  ],
  [
    `unexpected character "([“”„‘’]).* ${PLACE}`,
    'In einem Platzhalter steht das Anführungszeichen $1: Nehmen Sie gerade, wie in {{ name | default: "Du" }} (Zeile $2, Zeichen $3).',
  ],
]
