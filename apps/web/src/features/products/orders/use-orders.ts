import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'

const KEY = ['products', 'orders'] as const

export const templatesKey = (id: string) => ['products', 'templates', id] as const

export function useTemplates(id: string) {
  return useQuery({
    queryKey: templatesKey(id),
    queryFn: ({ signal }) => call('commandTemplates.list', { params: { id }, signal }),
  })
}

/** What a product says about its commands. */
export function useRules(id: string) {
  return useQuery({
    queryKey: [...KEY, 'rules', id],
    queryFn: ({ signal }) => call('commandTemplates.rules', { params: { id }, signal }),
  })
}

export function useSchedules(id: string) {
  return useQuery({
    queryKey: [...KEY, 'schedules', id],
    queryFn: ({ signal }) => call('commandTemplates.schedules', { params: { id }, signal }),
    refetchInterval: every(10_000),
  })
}

/** Lets everything on the page be read anew. */
export function useOrdersChanged(id: string): () => void {
  const client = useQueryClient()
  return useCallback(() => {
    void client.invalidateQueries({ queryKey: templatesKey(id) })
    void client.invalidateQueries({ queryKey: KEY })
  }, [client, id])
}
