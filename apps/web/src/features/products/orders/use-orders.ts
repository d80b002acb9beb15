import { every } from '../../../lib/every.ts'
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

/** What shows a product's commands besides their own page. */
export const ORDERED = ['devices.list', 'commands.get'] as const
