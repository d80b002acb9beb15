import { useCallback } from 'react'
import { every } from '../../../lib/every.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

export function useTemplates(id: string) {
  return useRead('commandTemplates.list', { params: { id } })
}

/** What a product says about its commands. */
export function useRules(id: string) {
  return useRead('commandTemplates.rules', { params: { id } })
}

export function useSchedules(id: string) {
  return useRead('commandTemplates.schedules', { params: { id } }, { refetchInterval: every(10_000) })
}

/** Lets everything on the page be read anew. */
export function useOrdersChanged(): () => void {
  const cache = useCache()
  return useCallback(() => void cache.touch('commandTemplates', 'devices.list', 'commands.get'), [cache])
}
