import { useCallback } from 'react'
import { useCache } from '../../../lib/data/cache.ts'
import { useRead } from '../../../lib/data/use-read.ts'
import { every } from '../../../lib/every.ts'

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
