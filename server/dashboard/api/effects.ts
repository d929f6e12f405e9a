import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useNotices } from '../parts/notices.ts'
import { useFirstTexts } from '../texts/texts.tsx'
import { ApiError } from './api-error.ts'
import { type Api, answerOf } from './client.ts'
import { useApi, useProjectId } from './project.tsx'

/** An answer of the API that is on its way. */
export interface Call<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** Takes a step back by the API. */
export type Undo = (api: Api) => Promise<Call<unknown>>

/** The effects of a change that was made by the API. */
export interface Effects<Data, Input> {
  /** The nouns whose queries are asked anew afterwards. */
  readonly changes: readonly string[]
  /** The notice when it is done; none when left out. */
  readonly done?: string | ((data: Data, input: Input) => string)
  /** The step that takes it back exactly, offered beside `done`; undefined where none does. */
  readonly undo?: (data: Data, input: Input) => Undo | undefined
}

/** Reports a change with its way back, and asks anew for the queries of what it changed. */
export function useEffects<Data, Input>({ changes, done, undo }: Effects<Data, Input>) {
  const notices = useNotices()
  const takeBack = useTakeBack(changes)
  const renew = useRenew()
  return {
    report(data: Data, input: Input) {
      const text = typeof done === 'function' ? done(data, input) : done
      const back = undo?.(data, input)
      if (text !== undefined) notices.done(text, back && (() => void takeBack(back)))
    },
    renew: () => renew(changes),
    /** Asks anew after a refusal that may come of a change in another tab or by another user. */
    renewAfter(refused: unknown) {
      if (refused instanceof ApiError && (refused.status === 409 || refused.status === 404)) void renew(changes)
    },
  }
}

/** The nouns of what mails are made of: when one changes, mails are checked anew. */
const IN_MAILS: ReadonlySet<string> = new Set(['layouts', 'snippets', 'uploads', 'domains'])

/** Asks anew for the queries of these nouns. */
export function useRenew(): (nouns: readonly string[]) => Promise<unknown> {
  const project = useProjectId()
  const queries = useQueryClient()
  return useCallback(
    (nouns) => {
      const isOfMails = nouns.some((noun) => IN_MAILS.has(noun))
      const asked = isOfMails ? [...nouns, 'checks'] : nouns
      return Promise.all(asked.map((noun) => queries.invalidateQueries({ queryKey: [project, noun] })))
    },
    [project, queries],
  )
}

/** Takes a step back: says so, or what the API said when it refused. `changes` are as those of `useAct`. */
export function useTakeBack(changes: readonly string[]) {
  const t = useFirstTexts()
  const api = useApi()
  const project = useProjectId()
  const notices = useNotices()
  const renew = useRenew()
  const nouns = changes.join(' ')
  return useCallback(
    async (undo: Undo) => {
      try {
        await answerOf(undo(api))
        notices.done(t.anywhere.undone)
      } catch (error) {
        notices.refused(error as Error, project)
      }
      await renew(nouns.split(' '))
    },
    [t, api, project, notices, renew, nouns],
  )
}
