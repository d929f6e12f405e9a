import { QueryClient } from '@tanstack/react-query'
import { ApiError, Unreachable } from './api-error.ts'
import { whenBack } from './connection.ts'

/** Tries of a question whose answer was an error of the server. Refusals are final. */
const TRIES = 2

/** The memory of what the API answered. A server that is back is asked anew. */
export function makeQueries(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        // the page itself notices when the server is away, whatever the browser says of the network
        networkMode: 'always',
        retry: (failures, error) => isPassing(error) && failures < TRIES,
      },
      mutations: { networkMode: 'always' },
    },
  })
  whenBack(() => queries.invalidateQueries())
  return queries
}

function isPassing(error: Error): boolean {
  return error instanceof Unreachable || (error instanceof ApiError && (error.status >= 500 || error.status === 429))
}
