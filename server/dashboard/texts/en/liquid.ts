import type { Rewordings } from '../reworded.ts'

const PLACE = '\\(line (\\d+), column (\\d+)\\)'

/** Mistakes in the Liquid of a mail, in words for people who write no programs; of them the most frequent. */
export const liquid: Rewordings = [
  [`output "(.*)" not closed ${PLACE}`, 'has “$1”, which has no end: close it with }} (line $2, character $3)'],
  [`tag "(.*)" not closed ${PLACE}`, 'has “$1”, which has no end: close it with %} (line $2, character $3)'],
  [
    `tag (\\{%-?\\s*(\\w+)\\b.*%\\}) not closed ${PLACE}`,
    'has no end of $1: write {% end$2 %} where it stops (line $3, character $4)',
  ],
  [
    `raw "(.*)" not closed ${PLACE}`,
    'has {% raw %} without an end: write {% endraw %} where it stops (line $2, character $3)',
  ],
  [
    `tag "end(\\w+)" not found ${PLACE}`,
    'has {% end$1 %} without a {% $1 … %} before it: add that, or remove it (line $2, character $3)',
  ],
  [
    `tag "(else|elsif)" not found ${PLACE}`,
    'has {% $1 %} outside of a condition: put it between {% if … %} and {% endif %} (line $2, character $3)',
  ],
  [`tag "(.*)" not found ${PLACE}`, 'has {% $1 %}, which does not exist: check the spelling (line $2, character $3)'],
  [
    `undefined filter: (.*) ${PLACE}`,
    'has the filter “$1”, which does not exist: check the spelling (line $2, character $3)',
  ],
  [
    `invalid value expression: "" ${PLACE}`,
    'has empty braces: write the name of a field between them, or remove them (line $1, character $2)',
  ],
  [
    `expected "\\|" before filter ${PLACE}`,
    'cannot be read here: a comparison is written with == and a tag ends with %} (line $1, character $2)',
  ],
  [
    `expected ":" after filter name ${PLACE}`,
    'needs a colon between a filter and its value, as in {{ name | default: "friend" }} (line $1, character $2)',
  ],
  [
    `unexpected character "([“”„‘’]).* ${PLACE}`,
    'has the curly quote $1 in a placeholder: use straight ones, as in {{ name | default: "friend" }} (line $2, character $3)',
  ],
]
