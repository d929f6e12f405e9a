import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useNotices } from '../parts/notices.ts'
import { useTexts } from '../texts/texts.tsx'
import { ApiError } from './api-error.ts'
import { type Api, answerOf } from './client.ts'
import { useApi, useProjectId } from './project.tsx'

interface Call<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

export interface AskOptions<Data> {
  /** False while something it needs is not known yet. */
  readonly enabled?: boolean
  /** Asks again after so many milliseconds, or as the last answer says; false: not by itself. */
  readonly every?: number | false | ((data: Data | undefined) => number | false)
  /** Shows the last answer while the next one, with another key, is on its way. */
  readonly keep?: boolean
  /** True for an answer that never gets old, so that it is asked for once. */
  readonly once?: boolean
}

/**
 * Asks the API within the project that is open. `key` begins with the noun (`['contacts', id]`): whatever changes that
 * noun asks all of its queries anew.
 */
export function useAsk<Data>(
  key: readonly [noun: string, ...rest: unknown[]],
  ask: (api: Api, signal: AbortSignal) => Promise<Call<Data>>,
  { enabled = true, every = false, keep = false, once = false }: AskOptions<Data> = {},
) {
  const api = useApi()
  const project = useProjectId()
  return useQuery<Data>({
    queryKey: [project, ...key],
    queryFn: ({ signal }) => answerOf(ask(api, signal)),
    enabled,
    refetchInterval: typeof every === 'function' ? ({ state }) => every(state.data) : every,
    ...(once ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    ...(keep ? { placeholderData: (before: Data | undefined) => before } : {}),
  } as Parameters<typeof useQuery<Data>>[0])
}

/** Asks the API once, when something is pressed: what `useAsk` has asked for by the same key is not asked again. */
export function useAskNow() {
  const api = useApi()
  const project = useProjectId()
  const queries = useQueryClient()
  return <Data>(
    key: readonly [noun: string, ...rest: unknown[]],
    ask: (api: Api, signal: AbortSignal) => Promise<Call<Data>>,
    { once = false }: Pick<AskOptions<Data>, 'once'> = {},
  ): Promise<Data> =>
    queries.fetchQuery<Data>({
      queryKey: [project, ...key],
      queryFn: ({ signal }) => answerOf(ask(api, signal)),
      ...(once ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    })
}

/** Asks for several answers of one kind, each as `useAsk` does; those that it asked for are shared. */
export function useAskAll<Data>(
  asked: readonly (readonly [
    key: readonly [noun: string, ...rest: unknown[]],
    ask: (api: Api, signal: AbortSignal) => Promise<Call<Data>>,
    options: Pick<AskOptions<Data>, 'enabled' | 'once'>,
  ])[],
) {
  const api = useApi()
  const project = useProjectId()
  return useQueries({
    queries: asked.map(([key, ask, { enabled = true, once = false }]) => ({
      queryKey: [project, ...key],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => answerOf(ask(api, signal)),
      enabled,
      ...(once ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    })),
  })
}

/** The effects of a change that was made by the API. */
export interface Effects<Data, Input> {
  /** The nouns whose queries are asked anew afterwards. */
  readonly changes: readonly string[]
  /** The notice when it is done; none when left out. */
  readonly done?: string | ((data: Data, input: Input) => string)
  /** The step that takes it back exactly, offered beside `done`; undefined where none does. */
  readonly undo?: (data: Data, input: Input) => Undo | undefined
}

export interface ActOptions<Input, Data> extends Effects<Data, Input> {
  readonly onDone?: (data: Data, input: Input) => void
  /** True where the form shows the refusal itself, beside its fields. */
  readonly quiet?: boolean
}

/** Takes a step back by the API. */
export type Undo = (api: Api) => Promise<Call<unknown>>

/** Something that changes things by the API: says when it is done, and what the API said when it refused. */
export function useAct<Input = void, Data = unknown>(
  act: (api: Api, input: Input) => Promise<Call<Data>>,
  { onDone, quiet = false, ...effects }: ActOptions<Input, Data>,
) {
  const api = useApi()
  const project = useProjectId()
  const notices = useNotices()
  const { report, renew } = useEffects(effects)
  return useMutation<Data, Error, Input>({
    mutationFn: (input) => answerOf(act(api, input)),
    async onSuccess(data, input) {
      report(data, input)
      onDone?.(data, input)
      await renew()
    },
    onError(error) {
      if (quiet) return
      notices.refused(error, project)
      // it has become another meanwhile, in another tab or by another user: that is shown
      if (error instanceof ApiError && (error.status === 409 || error.status === 404)) void renew()
    },
  })
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
  }
}

/** Asks anew for the queries of these nouns. */
export function useRenew(): (nouns: readonly string[]) => Promise<unknown> {
  const project = useProjectId()
  const queries = useQueryClient()
  return useCallback(
    (nouns) => Promise.all(nouns.map((noun) => queries.invalidateQueries({ queryKey: [project, noun] }))),
    [project, queries],
  )
}

/** Takes a step back: says so, or what the API said when it refused. `changes` are as those of `useAct`. */
export function useTakeBack(changes: readonly string[]) {
  const t = useTexts()
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
