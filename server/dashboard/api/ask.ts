import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNotices } from '../parts/notices.ts'
import { type Api, answerOf } from './client.ts'
import { type Call, type Effects, useEffects } from './effects.ts'
import { useApi, useProjectId } from './project.tsx'

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

/** A change by one call of the API. */
export type Act<Data, Input = void> = (api: Api, input: Input) => Promise<Call<Data>>

export interface ActOptions<Input, Data> extends Effects<Data, Input> {
  readonly onDone?: (data: Data, input: Input) => void
  /** True where the form shows the refusal itself, beside its fields. */
  readonly quiet?: boolean
}

/** Something that changes things by the API: says when it is done, and what the API said when it refused. */
export function useAct<Input = void, Data = unknown>(
  act: Act<Data, Input>,
  { onDone, quiet = false, ...effects }: ActOptions<Input, Data>,
) {
  const api = useApi()
  const project = useProjectId()
  const notices = useNotices()
  const { report, renew, renewAfter } = useEffects(effects)
  return useMutation<Data, Error, Input>({
    mutationFn: (input) => answerOf(act(api, input)),
    async onSuccess(data, input) {
      report(data, input)
      onDone?.(data, input)
      await renew()
    },
    onError(error) {
      if (!quiet) notices.refused(error, project)
      renewAfter(error)
    },
  })
}
