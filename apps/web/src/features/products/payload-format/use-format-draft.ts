import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { ApiError } from '../../../lib/api/api-error.ts'
import type { Reply } from '../../../lib/api-client.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { same } from '../../../ui/schema-form/use-schema-form.ts'
import { PRODUCT_LISTS, useProductChanged } from '../hooks.ts'
import type { FormatBody } from './format-draft.ts'

export type SampleResult = Reply<'formats.runSamples'>['results'][number]

export interface FormatDraft {
  format: FormatBody
  setFormat: (format: FormatBody) => void
  dirty: boolean
  busy: boolean
  failure: unknown
  /** Samples that the format on the page does not pass; saving was refused because of them. */
  failing: readonly SampleResult[] | null
  /** What the server finds wrong with single fields, by path. */
  problems: Readonly<Record<string, string>>
  save: (force?: boolean) => Promise<boolean>
  discard: () => void
}

/** The format being edited. The server's newer one is taken over while nothing here would be lost. */
export function useFormatDraft(product: ProductDetail): FormatDraft {
  const changed = useProductChanged()
  const { send } = useAct('formats.setFormat', { touches: PRODUCT_LISTS })
  const stored = useMemo(() => product.format as FormatBody, [product.format])
  const [format, change] = useState(stored)
  const [base, setBase] = useState(stored)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const dirty = !same(format, base)
  useEffect(() => {
    if (same(base, stored)) return
    setBase(stored)
    if (!dirty) change(stored)
  }, [stored, base, dirty])

  const save = useCallback(
    async (force = false) => {
      setBusy(true)
      setFailure(null)
      try {
        const { samples: _, ...saved } = await send({
          params: { id: product.id },
          body: { ...format, ...(force ? { force: true } : {}) },
        })
        const next = saved.format as FormatBody
        setBase(next)
        change(next)
        changed(saved)
        return true
      } catch (error) {
        setFailure(error)
        return false
      } finally {
        setBusy(false)
      }
    },
    [format, product.id, changed, send],
  )
  const refusal = failure instanceof ApiError ? failure : null
  return {
    format,
    setFormat: change,
    dirty,
    busy,
    failure,
    failing:
      refusal?.code === 'format.samples_failed'
        ? ((refusal.params.results ?? []) as SampleResult[]).filter(result => !result.ok)
        : null,
    problems: Object.fromEntries(Object.entries(refusal?.fields ?? {}).map(([path, { message }]) => [path, message])),
    save,
    discard: () => {
      change(base)
      setFailure(null)
    },
  }
}
