import { type Editor, Extension } from '@tiptap/core'
import { Plugin, PluginKey } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

/** The fields of one contact; undefined while none is chosen. */
export type Values = Readonly<Record<string, unknown>> | undefined

const KEY = new PluginKey<Values>('shownValues')

/** Shows beside each field what one contact has in it. The document does not change. */
export const shownValues = Extension.create({
  name: 'shownValues',
  addProseMirrorPlugins: () => [
    new Plugin<Values>({
      key: KEY,
      state: {
        init: () => undefined,
        apply: (change, before) => {
          const given = change.getMeta(KEY) as { readonly values: Values } | undefined
          return given === undefined ? before : given.values
        },
      },
      props: {
        decorations(state) {
          const values = KEY.getState(state)
          if (values === undefined) return DecorationSet.empty
          const shown: Decoration[] = []
          state.doc.descendants((node, at) => {
            if (node.type.name !== 'variable') return
            const { field, fallback } = node.attrs as { readonly field: string; readonly fallback: string }
            const value = shownOf(field, values)
            const attrs =
              value === '' && fallback === '' ? { 'data-empty': '' } : { 'data-shown': value === '' ? fallback : value }
            shown.push(Decoration.node(at, at + node.nodeSize, attrs))
          })
          return DecorationSet.create(state.doc, shown)
        },
      },
    }),
  ],
})

/** Shows the fields of this contact from now on. */
export function showValues({ view, state }: Editor, values: Values): void {
  view.dispatch(state.tr.setMeta(KEY, { values }).setMeta('addToHistory', false))
}

/** The value of a field of the contact whose values are shown; empty without one. */
export function sampleOf({ state }: Editor, field: string): string {
  const values = KEY.getState(state)
  return values === undefined ? '' : shownOf(field, values)
}

/** The most characters of a value that are shown within the text. */
const SHOWN = 40

/** The contact's value there, as a mail would print it; a key that is a whole path comes before the path. */
function shownOf(field: string, values: NonNullable<Values>): string {
  const value = Object.hasOwn(values, field)
    ? values[field]
    : field
        .split('.')
        .reduce<unknown>(
          (at, key) => (at !== null && typeof at === 'object' ? Reflect.get(at, key) : undefined),
          values,
        )
  if (value === undefined || value === null || value === false) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
