import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiKeyView } from '@thingwright/contracts/developer.contract'
import { useCallback } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { groupsOf, type OpenApiDocument } from '../../ui/api-docs/openapi.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { listKey } from '../../ui/list-page/use-list-query.ts'

export const API_KEYS = ['api-keys'] as const
const DEVELOPER = 'developer'

export const fetchKeys: FetchPage<ApiKeyView> = ({ filters, ...input }, signal) =>
  call('apiKeys.list', { query: { ...input, ...filters } as Query<'apiKeys.list'>, signal })

/** What the caller may give to a key, and how many keys there may be. */
export function useKeyChoices() {
  return useQuery({
    queryKey: [...API_KEYS, 'choices'],
    queryFn: async ({ signal }) => {
      const { limit, grantable, total } = await call('apiKeys.list', { query: { limit: 1, total: '1' }, signal })
      return { limit, grantable, total: total ?? 0 }
    },
  })
}

/** Keys by name, for choices. */
export function useKeyNames() {
  return useQuery({
    queryKey: [...API_KEYS, 'names'],
    queryFn: ({ signal }) => call('apiKeys.list', { query: { limit: 100, sort: 'name' }, signal }),
  })
}

export function useKeysChanged(): () => void {
  const client = useQueryClient()
  return useCallback(() => {
    void client.invalidateQueries({ queryKey: listKey(API_KEYS) })
    void client.invalidateQueries({ queryKey: [...API_KEYS, 'choices'] })
    void client.invalidateQueries({ queryKey: [...API_KEYS, 'names'] })
  }, [client])
}

export function useEndpoints() {
  return useQuery({
    queryKey: [DEVELOPER, 'endpoints'],
    queryFn: async ({ signal }) => {
      const before = Date.now()
      const endpoints = await call('developer.endpoints', { signal })
      const after = Date.now()
      // Our clock against the server's, the way there and back taken as equally long.
      return { ...endpoints, offsetMs: Math.round(endpoints.serverTime - (before + after) / 2) }
    },
    staleTime: 60_000,
  })
}

/** The interfaces of this very server. */
export function useOpenApi() {
  return useQuery({
    queryKey: [DEVELOPER, 'openapi'],
    queryFn: async ({ signal }) => {
      const response = await fetch('/api/openapi.json', { signal })
      if (!response.ok) throw new Error(`openapi.json: ${response.status}`)
      const document = (await response.json()) as OpenApiDocument
      return { groups: groupsOf(document), version: document.info.version }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useErrorCodes(locale: string) {
  return useQuery({
    queryKey: [DEVELOPER, 'errors', locale],
    queryFn: ({ signal }) => call('developer.errors', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useCallStatistics(query: Query<'developer.statistics'>) {
  return useQuery({
    queryKey: [DEVELOPER, 'statistics', query],
    queryFn: ({ signal }) => call('developer.statistics', { query, signal }),
    placeholderData: before => before,
  })
}

export function useCalls(query: Query<'developer.calls'>) {
  return useQuery({
    queryKey: [DEVELOPER, 'calls', query],
    queryFn: ({ signal }) => call('developer.calls', { query, signal }),
    placeholderData: before => before,
  })
}

export function useCall(id: string) {
  return useQuery({
    queryKey: [DEVELOPER, 'call', id],
    queryFn: ({ signal }) => call('developer.call', { params: { id }, signal }),
  })
}
