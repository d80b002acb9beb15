import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { LinkSettings } from '@thingwright/contracts/links.contract'
import { useCallback, useEffect, useState } from 'react'
import { ApiError } from '../../../lib/api/api-error.ts'
import { call, type Reply } from '../../../lib/api-client.ts'
import { same } from '../../../ui/schema-form/use-schema-form.ts'
import { productKey } from '../hooks.ts'

export type LinkView = Reply<'links.get'>

const linkKey = (id: string) => ['products', 'link', id] as const

/** The product's link settings and the state of its port. A port that was just claimed is looked at again until it is open. */
export function useLink(id: string, enabled: boolean) {
  return useQuery({
    queryKey: linkKey(id),
    enabled,
    queryFn: ({ signal }) => call('links.get', { params: { id }, signal }),
    refetchInterval: query => (query.state.data?.port.state === 'unknown' ? 1_000 : false),
  })
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
  const client = useQueryClient()
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
        const saved = await call('links.set', { params: { id }, body })
        setBase(saved.settings)
        setSettings(saved.settings)
        client.setQueryData(linkKey(id), saved)
        // The product's version went up with it.
        void client.invalidateQueries({ queryKey: productKey(id) })
        void client.invalidateQueries({ queryKey: ['products', 'access', id] })
        return true
      } catch (error) {
        setFailure(error)
        return false
      } finally {
        setBusy(false)
      }
    },
    [client, id],
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
