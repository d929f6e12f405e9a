import type { EditorView } from '@tiptap/pm/view'
import { useAct } from '../../api/ask.ts'
import { useTexts } from '../../texts/texts.tsx'
import { WIDEST } from './design.ts'
import { smallerPhoto } from './smaller-photo.ts'

/** A picture that can stand in a mail. */
export interface FoundPicture {
  readonly url: string
  readonly width: number
  readonly name: string
}

const KINDS = /^image\/(?:png|jpeg|gif|webp)$/

/** Uploads a picture and answers where it is; undefined when it was refused, which is said on the page. */
export function usePictures(): (file: File) => Promise<FoundPicture | undefined> {
  const t = useTexts()
  const upload = useAct(
    (api, file: File) => api.POST('/uploads/image', { body: { file, name: file.name.slice(-255) } }),
    { changes: ['uploads'], done: (_, { name }) => t.editor.uploaded(name) },
  )
  return async (file) => {
    try {
      const { url, width } = await upload.mutateAsync(await smallerPhoto(file))
      return { url, width, name: file.name }
    } catch {
      return undefined
    }
  }
}

/** The files that were dropped or pasted: the pictures that a mail can show, and the others. */
export function filesIn(data: DataTransfer | null): {
  readonly pictures: readonly File[]
  readonly others: readonly File[]
} {
  const files = [...(data?.files ?? [])]
  const { pictures = [], others = [] } = Object.groupBy(files, ({ type }) => (KINDS.test(type) ? 'pictures' : 'others'))
  return { pictures, others }
}

/** Puts a picture where something was dropped, or where the cursor is. Its alternative text is asked for in the panel. */
export function insertPicture({ state, dispatch }: EditorView, { url, width }: FoundPicture, at?: number): void {
  const node = state.schema.nodes.picture?.create({ src: url, width: Math.min(width, WIDEST) })
  if (node === undefined) return
  const { tr } = state
  dispatch(at === undefined ? tr.replaceSelectionWith(node) : tr.insert(at, node))
}
