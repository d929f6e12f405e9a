import { type Attributes, type Extension, InputRule, mergeAttributes, Node, nodePasteRule } from '@tiptap/core'
import { TextAlign } from '@tiptap/extension-text-align'
import { StarterKit } from '@tiptap/starter-kit'
import { fieldLabel } from '../field-label.ts'
import type { DrawnKind } from './compose.ts'
import { WAY_OUT, WIDEST } from './design.ts'
import { fieldOf, hasLiquid, OUTPUT, pathOf } from './liquid.ts'
import classes from './mail-editor.module.css'

/** The words that stand for what a block has nothing of yet, and the names of blocks for screen readers. */
export interface BlockWords {
  readonly blocks: Readonly<Record<string, string>>
  readonly noPicture: string
  readonly noPostal: string
  readonly noSnippet: string
  /** The names of fields that people read. */
  readonly fields: Readonly<Record<string, string>>
  condition(field: string, asks: string, value: string): string
  /** The words in a field's place where it is empty. */
  otherwise(fallback: string): string
}

/** An attribute that is kept in the document alone: nothing is read from HTML but what the editor copied itself. */
function kept(defaults: Readonly<Record<string, unknown>>): Attributes {
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [
      name,
      {
        default: value,
        parseHTML: (element: HTMLElement) =>
          read(element.getAttribute(`data-${name.toLowerCase()}`) ?? undefined, value),
        renderHTML: (attrs: Record<string, unknown>) =>
          attrs[name] === value ? {} : { [`data-${name.toLowerCase()}`]: written(attrs[name]) },
      },
    ]),
  )
}

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function read(text: string | undefined, value: unknown): unknown {
  if (text === undefined || typeof value === 'string') return text ?? value
  try {
    return JSON.parse(text)
  } catch {
    return value
  }
}

/** The attributes of a block: texts, but for the links to profiles. */
type Attrs = Readonly<Record<string, string> & { links?: readonly { readonly name: string }[] }>
type Show = (attrs: Attrs) => readonly unknown[]

/** A block without text of its own, whose fields are in the panel beside the mail. */
function block(name: string, defaults: Readonly<Record<string, unknown>>, label: string, show: Show): Node {
  return Node.create({
    name,
    group: 'block',
    atom: true,
    draggable: true,
    addAttributes: () => kept(defaults),
    parseHTML: () => [{ tag: `div[data-block="${name}"]` }],
    renderHTML({ node, HTMLAttributes }) {
      const around = { 'data-block': name, class: classes.block, role: 'group', 'aria-label': label }
      return ['div', mergeAttributes(HTMLAttributes, around), ...(show(node.attrs) as [string])]
    },
  })
}

const side = (attrs: Attrs) => ({ 'data-side': attrs.textAlign ?? 'left' })

/** A placeholder that only the editor shows, where the mail has nothing. */
const hint = (words: string) => ['span', { class: classes.nothing, 'data-hint': '' }, words]

/** Everything a drawn mail may consist of. */
export function nodesOf(
  words: BlockWords,
  postalAddress: string | undefined,
  profiles: readonly string[],
  kind: DrawnKind = 'mail',
): Extension[] {
  const { blocks: name } = words
  const label = (of: string) => name[of] ?? of
  const nodes = [
    block('button', { text: '', href: '', textAlign: 'left' }, label('button'), (attrs) => [
      attrs.text?.trim()
        ? ['span', { class: classes.line, ...side(attrs) }, ['span', { class: classes.button }, attrs.text]]
        : hint(label('button')),
    ]),
    block('picture', { src: '', alt: '', href: '', width: WIDEST, textAlign: 'left' }, label('picture'), (attrs) => [
      attrs.src
        ? [
            'span',
            { class: classes.line, ...side(attrs) },
            ['img', { src: attrs.src, alt: attrs.alt, width: attrs.width }],
          ]
        : hint(words.noPicture),
    ]),
    block('spacer', { height: 24 }, label('spacer'), ({ height }) => [
      [
        'span',
        { class: classes.spacer, style: `height:${Number(height)}px` },
        ['span', { 'data-hint': '' }, `${label('spacer')} · ${height} px`],
      ],
    ]),
    block('social', { links: [], textAlign: 'center' }, label('social'), (attrs) => {
      const own = attrs.links ?? []
      const shown = own.length === 0 ? profiles : own.map(({ name: each }) => each)
      if (shown.length === 0) return [hint(label('social'))]
      const links = shown.flatMap((each, at) => [...(at === 0 ? [] : [' · ']), ['span', { class: classes.link }, each]])
      return [['span', { class: classes.line, ...side(attrs) }, ...links]]
    }),
    block(
      'card',
      { src: '', width: WIDEST, alt: '', title: '', text: '', price: '', button: '', href: '' },
      label('card'),
      ({ src, width, alt, title, text, price, button: action }) => {
        const part = (of: string | undefined, ...shown: readonly unknown[]) => (of?.trim() ? [shown] : [])
        const lines = [
          ...part(title, 'strong', { class: classes.title }, title),
          ...part(text, 'span', { class: classes.words }, text),
          ...part(price, 'strong', { class: classes.price }, price),
          ...part(action, 'span', { class: classes.action }, ['span', { class: classes.button }, action]),
        ]
        return [
          [
            'span',
            { class: classes.card },
            ...part(src, 'img', { src, alt, width }),
            ['span', { class: classes.inside }, ...(lines.length === 0 ? [hint(label('card'))] : lines)],
          ],
        ]
      },
    ),
    block('postal', { textAlign: 'left' }, label('postal'), (attrs) => [
      postalAddress === undefined
        ? hint(words.noPostal)
        : ['span', { class: classes.quiet, ...side(attrs) }, postalAddress],
    ]),
    block('wayOut', { text: '', link: '', textAlign: 'left' }, label('wayOut'), (attrs) => [
      [
        'span',
        { class: classes.quiet, ...side(attrs) },
        ...(attrs.text?.trim() ? [`${attrs.text} `] : []),
        ['span', { class: classes.link }, attrs.link || WAY_OUT],
      ],
    ]),
    block('snippet', { name: '', given: '' }, label('snippet'), (attrs) => [
      attrs.name ? ['span', { class: classes.line }, `${label('snippet')}: ${attrs.name}`] : hint(words.noSnippet),
    ]),
    block('source', { html: '' }, label('source'), ({ html }) => [['code', { class: classes.source }, html ?? '']]),
  ]
  const column = Node.create({
    name: 'column',
    content:
      '(paragraph|heading|bulletList|orderedList|blockquote|button|picture|spacer|horizontalRule|card|condition|snippet|source)+',
    isolating: true,
    parseHTML: () => [{ tag: 'div[data-block="column"]' }],
    renderHTML: () => ['div', { 'data-block': 'column', class: classes.column }, 0],
  })
  const columns = Node.create({
    name: 'columns',
    group: 'block',
    content: 'column{1,3}',
    isolating: true,
    parseHTML: () => [{ tag: 'div[data-block="columns"]' }],
    renderHTML: () => [
      'div',
      { 'data-block': 'columns', class: classes.columns, role: 'group', 'aria-label': label('columns') },
      0,
    ],
  })
  const condition = Node.create({
    name: 'condition',
    group: 'block',
    content: 'block+',
    defining: true,
    addAttributes: () => kept({ field: '', asks: 'set', value: '' }),
    parseHTML: () => [{ tag: 'div[data-block="condition"]' }],
    renderHTML({ node: { attrs }, HTMLAttributes }) {
      const says = words.condition(String(attrs.field), String(attrs.asks), String(attrs.value))
      const around = { 'data-block': 'condition', class: classes.condition, role: 'group', 'aria-label': says }
      return [
        'div',
        mergeAttributes(HTMLAttributes, around),
        ['span', { class: classes.says, contenteditable: 'false', 'data-hint': '' }, says],
        ['div', 0],
      ]
    },
  })
  // the mail's own place stands in a layout once, and cannot be deleted: without it, the document would not be valid
  const place = Node.create({
    name: 'mailContent',
    atom: true,
    selectable: true,
    parseHTML: () => [{ tag: 'div[data-block="mailContent"]' }],
    renderHTML: () => [
      'div',
      { 'data-block': 'mailContent', class: classes.mailContent, role: 'group', 'aria-label': label('mailContent') },
      label('mailContent'),
    ],
  })
  const page = Node.create({
    name: 'doc',
    topNode: true,
    content: kind === 'layout' ? 'block* mailContent block*' : 'block+',
  })
  return [
    page,
    ...(kind === 'layout' ? [place] : []),
    StarterKit.configure({
      document: false,
      heading: { levels: [1, 2, 3] },
      link: { openOnClick: false, autolink: true, defaultProtocol: 'https', isAllowedUri: allowed },
      bulletList: { HTMLAttributes: { dir: 'auto' } },
      orderedList: { HTMLAttributes: { dir: 'auto' } },
      // an empty line at the end would be a gap at the end of the mail
      trailingNode: false,
      horizontalRule: { HTMLAttributes: { class: classes.divider } },
    }),
    TextAlign.configure({ types: ['heading', 'paragraph'], alignments: ['left', 'center', 'right'] }),
    variable(words),
    liquid,
    ...nodes,
    column,
    columns,
    condition,
  ] as Extension[]
}

/** Addresses that Liquid fills in are as good as those that stand there. */
function allowed(url: string): boolean {
  return hasLiquid(url) || /^(?:https?:|mailto:|tel:|sms:|#|\/)/i.test(url)
}

const TAG = /(\{\{[^{}]*\}\}|\{%[^{}]*%\})/

/** A field, written by hand or pasted: one thing that is deleted as a whole. */
const variable = (words: BlockWords) =>
  Node.create({
    name: 'variable',
    group: 'inline',
    inline: true,
    atom: true,
    selectable: true,
    addAttributes: () => kept({ field: '', fallback: '' }),
    parseHTML: () => [{ tag: 'span[data-variable]' }],
    renderHTML({ node: { attrs }, HTMLAttributes }) {
      const { field, fallback } = attrs as { field: string; fallback: string }
      const around = { 'data-variable': '', class: classes.variable, title: `{{ ${pathOf(field)} }}` }
      const label = fieldLabel(field, { editor: words })
      if (fallback === '') return ['span', mergeAttributes(HTMLAttributes, around), label]
      // left out while it is shown what one contact has there
      const otherwise = ['span', { class: classes.otherwise }, `, ${words.otherwise(fallback)}`]
      return ['span', mergeAttributes(HTMLAttributes, around), label, otherwise]
    },
    renderText: ({ node }) => `{{ ${pathOf(String(node.attrs.field))} }}`,
    addInputRules() {
      const { type } = this
      const handler: InputRule['handler'] = ({ state, range, match }) => {
        state.tr.replaceWith(range.from, range.to, type.create(fieldOf(match[0])))
      }
      return [new InputRule({ find: new RegExp(`${OUTPUT.source}$`), handler })]
    },
    addPasteRules() {
      return [
        nodePasteRule({
          find: new RegExp(OUTPUT.source, 'g'),
          type: this.type,
          getAttributes: ([source]) => fieldOf(source ?? ''),
        }),
      ]
    },
  })

/** Any other Liquid within a text, kept as it was written. */
const liquid = Node.create({
  name: 'liquid',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => kept({ source: '' }),
  parseHTML: () => [{ tag: 'span[data-liquid]' }],
  renderHTML: ({ node: { attrs }, HTMLAttributes }) => [
    'span',
    mergeAttributes(HTMLAttributes, { 'data-liquid': '', class: classes.liquid }),
    String(attrs.source),
  ],
  renderText: ({ node }) => String(node.attrs.source),
  addInputRules() {
    const { type } = this
    const handler: InputRule['handler'] = ({ state, range, match: [source = ''] }) => {
      if (!fieldOf(source)) state.tr.replaceWith(range.from, range.to, type.create({ source }))
    }
    return [new InputRule({ find: new RegExp(`${TAG.source}$`), handler })]
  },
  addPasteRules() {
    return [
      nodePasteRule({
        find: new RegExp(TAG.source, 'g'),
        type: this.type,
        getAttributes: ([, source]) => (fieldOf(source ?? '') ? false : { source }),
      }),
    ]
  },
})
