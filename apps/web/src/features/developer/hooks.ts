import type { ApiKeyView } from '@thingwright/contracts/developer.contract'
import { call, type Query } from '../../lib/api-client.ts'
import { useFile, useMade, useRead } from '../../lib/server-state/use-read.ts'
import { groupsOf, type OpenApiDocument } from '../../ui/api-docs/openapi.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'

/** @param userId keys of this end user; null: of the caller's own people */
export const fetchKeysOf =
  (userId: string | null): FetchPage<ApiKeyView> =>
  ({ filters, ...input }, signal) =>
    call('apiKeys.list', {
      query: { ...input, ...filters, ...(userId ? { userId } : {}) } as Query<'apiKeys.list'>,
      signal,
    })

/** What the caller may give to a key, and how many keys there may be. */
export function useKeyChoices() {
  return useRead(
    'apiKeys.list',
    { query: { limit: 1, total: '1' } },
    { select: ({ limit, grantable, total }) => ({ limit, grantable, total: total ?? 0 }) },
  )
}

/** Keys by name, for choices. */
export function useKeyNames() {
  return useRead('apiKeys.list', { query: { limit: 100, sort: 'name' } })
}

export function useEndpoints() {
  return useMade(
    'developer.endpoints',
    {},
    async ({ signal }) => {
      const before = Date.now()
      const endpoints = await call('developer.endpoints', { signal })
      const after = Date.now()
      // Our clock against the server's, the way there and back taken as equally long.
      return { ...endpoints, offsetMs: Math.round(endpoints.serverTime - (before + after) / 2) }
    },
    { staleTime: 60_000 },
  )
}

/** The interfaces of this very server. */
export function useOpenApi() {
  return useFile('openapi.json', async ({ signal }) => {
    const response = await fetch('/api/openapi.json', { signal })
    if (!response.ok) throw new Error(`openapi.json: ${response.status}`)
    const document = (await response.json()) as OpenApiDocument
    return { groups: groupsOf(document), version: document.info.version }
  })
}

export function useErrorCodes(locale: string) {
  return useRead('developer.errors', {}, { about: locale, staleTime: Number.POSITIVE_INFINITY })
}

export function useCallStatistics(query: Query<'developer.statistics'>) {
  return useRead('developer.statistics', { query }, { keep: true })
}

export function useCalls(query: Query<'developer.calls'>) {
  return useRead('developer.calls', { query }, { keep: true })
}

export function useCall(id: string) {
  return useRead('developer.call', { params: { id } })
}
