import { useRead } from '../../lib/server-state/use-read.ts'

/** The installation's whole menu. */
export function useMenu() {
  return useRead('menuEditor.list')
}
