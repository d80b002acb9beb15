import type { LinkSettings } from '@thingwright/contracts/links.contract'
import { useCallback, useEffect, useState } from 'react'
import { ApiError } from '../../../lib/api/api-error.ts'
import type { Reply } from '../../../lib/api-client.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { same } from '../../../ui/schema-form/use-schema-form.ts'

export type LinkView = Reply<'links.get'>

/** The product's link settings and the state of its port. A port that was just claimed is looked at again until it is open. */
export function useLink(id: string, enabled: boolean) {
  return useRead(
    'links.get',
    { params: { id } },
    { enabled, refetchInterval: query => (query.state.data?.port.state === 'unknown' ? 1_000 : false) },
  )
}

export interface LinkDraft {
  settings: LinkSettings
  change: (part: Partial<LinkSettings>) => void
  dirty: boolean
  busy: boolean
  failure: unknown
  /** What the server finds wrong with single fields, by path. */
  problems: Readonly<Record<string, string>>
  save: () => Promise<boolean>
  discard: () => void
  reset: () => Promise<boolean>
}

/** The settings being edited. The server's newer ones are taken over while nothing here would be lost. */
export function useLinkDraft(id: string, view: LinkView): LinkDraft {
  const cache = useCache()
  // The product's version goes up with it.
  const { send: set } = useAct('links.set', {
    touches: [only('products.get', { params: { id } }), only('devices.productAccess', { params: { id } })],
  })
  const [settings, setSettings] = useState(view.settings)
  const [base, setBase] = useState(view.settings)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const dirty = !same(settings, base)
  useEffect(() => {
    if (same(base, view.settings)) return
    setBase(view.settings)
    if (!dirty) setSettings(view.settings)
  }, [view.settings, base, dirty])

  const send = useCallback(
    async (body: Partial<LinkSettings>) => {
      setBusy(true)
      setFailure(null)
      try {
        const saved = await set({ params: { id }, body })
        setBase(saved.settings)
        setSettings(saved.settings)
        cache.put('links.get', { params: { id } }, saved)
        return true
      } catch (error) {
        setFailure(error)
        return false
      } finally {
        setBusy(false)
      }
    },
    [cache, id, set],
  )
  return {
    settings,
    change: part => setSettings({ ...settings, ...part }),
    dirty,
    busy,
    failure,
    problems:
      failure instanceof ApiError
        ? Object.fromEntries(Object.entries(failure.fields).map(([path, { message }]) => [path, message]))
        : {},
    save: () => send(settings),
    discard: () => {
      setSettings(base)
      setFailure(null)
    },
    reset: () => send({}),
  }
}
