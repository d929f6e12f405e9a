import { ApiError } from '../api/api-error.ts'
import { useTexts } from '../texts/texts.tsx'
import { useConfirm } from './confirm.tsx'

/** Saves another name. Where others have the old one, the API refuses it and says who: then it is asked whether to change it there, too. */
export function useRenaming() {
  const t = useTexts()
  const confirm = useConfirm()
  return async <Data>(save: (renaming: { readonly rename?: true }) => Promise<Data>): Promise<Data> => {
    try {
      return await save({})
    } catch (error) {
      if (!(error instanceof ApiError) || !error.fields.some(({ field }) => field === 'rename')) throw error
      const question = { title: t.anywhere.renameTitle, text: error.message, yes: t.anywhere.renameThere }
      if (!(await confirm(question))) throw error
      return save({ rename: true })
    }
  }
}
