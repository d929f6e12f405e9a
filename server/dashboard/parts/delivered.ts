import type { Project } from '../api/project.tsx'
import type { FirstTexts } from '../texts/types.ts'

/** The name of the figure of delivered mails: another one when all of them, or some, were only written to a folder. */
export function deliveredName(t: FirstTexts, delivered = 0, toFolder = 0): string {
  const { figures } = t.home
  if (toFolder === 0) return figures.delivered
  return toFolder >= delivered ? figures.toFolder : figures.partlyToFolder
}

/** Whether mail of the project goes out at all, instead of into a folder or nowhere. */
export function goesOut({ mailWay }: Pick<Project, 'mailWay'>): boolean {
  return mailWay === 'own' || mailWay === 'installation'
}

/** How many of the delivered mails were only written to a folder, when others were not. */
export function toFolderNote(t: FirstTexts, delivered: number, toFolder: number, count: string): string | undefined {
  return toFolder > 0 && toFolder < delivered ? t.home.figures.ofTheseToFolder(count) : undefined
}

/** The state of a mail to be shown: a folder delivers nothing. */
export function shownStatus({ status, toFolder }: { readonly status: string; readonly toFolder?: boolean }): string {
  return toFolder === true && status === 'DELIVERED' ? 'toFolder' : status
}
