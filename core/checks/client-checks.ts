import { type CheckFinding, finding } from './check-sentences.ts'
import type { MailShape } from './mail-shape.ts'

/** Beyond this many bytes, Gmail ignores a style sheet. */
const STYLE_BYTES = 16 * 1024

const OUTLOOK_WINDOWS = 'Outlook for Windows'
const OUTLOOK = 'Outlook'
const GMAIL = 'Gmail'
const YAHOO = 'Yahoo Mail'
const GMX = 'GMX/WEB.DE'

interface Feature {
  /** The words by which the reader of a mail notes it. */
  readonly seen: readonly string[]
  /** The name for people. */
  readonly name: string
  /** The mail programs that do without it in all their forms. */
  readonly clients: readonly string[]
}

/** Features that large mail programs lack, as caniemail.com has tested it (June 2026). */
const FEATURES: readonly Feature[] = [
  { seen: ['<script>'], name: 'script', clients: [GMAIL, OUTLOOK, 'Apple Mail', YAHOO, GMX] },
  { seen: ['<video>'], name: 'video', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['<audio>'], name: 'audio', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['<form>', '<input>', '<select>', '<textarea>'], name: 'form', clients: [OUTLOOK_WINDOWS, GMX] },
  { seen: ['<svg>'], name: 'svg', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['<object>', '<embed>', '<iframe>'], name: 'object', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['<link rel=stylesheet>'], name: 'link rel=stylesheet', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['@import'], name: '@import', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['@font-face'], name: '@font-face', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['.webp'], name: 'WebP', clients: [OUTLOOK_WINDOWS] },
  { seen: ['.avif'], name: 'AVIF', clients: [OUTLOOK_WINDOWS, GMX] },
  { seen: ['.svg'], name: 'SVG', clients: [GMAIL] },
  { seen: ['display: flex'], name: 'display: flex', clients: [OUTLOOK_WINDOWS, GMX] },
  { seen: ['display: grid'], name: 'display: grid', clients: [OUTLOOK_WINDOWS, GMX] },
  { seen: ['gap', 'row-gap', 'column-gap'], name: 'gap', clients: [OUTLOOK_WINDOWS, YAHOO, GMX] },
  { seen: ['position'], name: 'position', clients: [GMAIL, OUTLOOK_WINDOWS] },
  { seen: ['background-image'], name: 'background-image', clients: [OUTLOOK_WINDOWS] },
  { seen: ['gradient'], name: 'gradient', clients: [OUTLOOK, YAHOO, GMX] },
  { seen: ['var()'], name: 'var()', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['calc()'], name: 'calc()', clients: [OUTLOOK, YAHOO, GMX] },
  { seen: ['animation', 'animation-name'], name: 'animation', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['transform'], name: 'transform', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['filter'], name: 'filter', clients: [GMAIL, OUTLOOK, YAHOO, GMX] },
  { seen: ['object-fit'], name: 'object-fit', clients: [OUTLOOK_WINDOWS, YAHOO, GMX] },
  { seen: ['opacity'], name: 'opacity', clients: [OUTLOOK_WINDOWS, GMX] },
  { seen: ['box-shadow'], name: 'box-shadow', clients: [GMAIL, OUTLOOK_WINDOWS, YAHOO, GMX] },
]

/** The findings about features that large mail programs leave out of the mail. */
export function clientFindings({ features, sheets }: MailShape): readonly CheckFinding[] {
  const largest = Math.max(0, ...sheets)
  return [
    ...(largest > STYLE_BYTES
      ? [finding('style_large', 'body', { kb: Math.ceil(largest / 1024), limit: STYLE_BYTES / 1024 })]
      : []),
    ...FEATURES.filter(({ seen }) => seen.some((each) => features.has(each))).map(({ name, clients }) =>
      finding('feature_unsupported', 'body', { feature: name, clients: clients.join(', ') }),
    ),
  ]
}
